"""`.prompt.yml`, the prompt files of GitHub Models: messages with `{{name}}` placeholders, and test data.

A placeholder is filled with the text of that name and nothing more: whatever else looks like a template in such a file
is text. https://docs.github.com/github-models/use-github-models/storing-prompts-in-github-repositories
"""

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from gate.config.documents import read_yaml
from gate.config.validation import FileModel, validate
from gate.domain.message import Message
from gate.inputs.chat import Turn
from gate.inputs.ownsettings import own_settings
from gate.inputs.problems import Problems, one_problem, quoted

ENDINGS = (".prompt.yml", ".prompt.yaml")
SETTINGS = ("model", "modelParameters", "responseFormat", "jsonSchema")
"""What the other tool sends with the messages."""
TEST_DATA = "testData"

_PLACEHOLDER = re.compile(r"\{\{[ \t]*([^\W\d][\w-]*)[ \t]*\}\}")
_TAKEN = frozenset(
    (*keyword.kwlist, "true", "false", "none", "self", "loop", "super", "caller", "varargs", "kwargs", "range", "dict")
)
"""Words of the language that the placeholders are filled by."""
_SIGN = re.compile(r"\{(?=[{%#]|\Z)|\r")
"""What would begin a tag, and what templates read as another line end."""


@dataclass(frozen=True, slots=True)
class PromptYml:
    """What the gate takes out of the file.

    Args:
        messages: each with its line; contents are templates in which only placeholders are no text.
        settings: what the file says about the model.
    """

    messages: tuple[tuple[int, Message], ...]
    settings: tuple[tuple[str, str], ...]


def _lowered(role: Any) -> Any:
    return role.lower() if isinstance(role, str) else role


class _Turn(Turn):
    """The format does not tell the roles in capitals apart."""

    role: Annotated[Literal["system", "developer", "user", "assistant"], BeforeValidator(_lowered)]


class _File(FileModel):
    model_config = ConfigDict(extra="ignore")

    messages: Annotated[list[_Turn], Field(min_length=1, examples=["[{role: system, content: …}]"])]


def is_prompt_yml(path: str) -> bool:
    """Is this a prompt file of GitHub Models, by its name?"""
    return path.lower().endswith(ENDINGS)


def read_prompt(text: str, problems: Problems, *, template: bool = False) -> PromptYml:
    """The prompt; keys that the gate does not know are let pass, since the file belongs to another tool.

    Args:
        text: the file.
        problems: gets every mistake.
        template: leave the contents as they are: the user says that they are Jinja2.

    Raises:
        InputErrors: it is no YAML mapping, or its messages have mistakes.
    """
    document = read_yaml(text, problems.file)
    if not isinstance(document.data, dict):
        hint = "begin with 'messages:', or give the file another name"
        raise one_problem(problems.file, 1, "is not a prompt file of GitHub Models: it must hold a mapping", hint)
    messages = [turn.message for turn in validate(_File, document).messages]
    lines = [document.line_of("messages", at) for at in range(len(messages))]
    if not template:
        messages = [
            replace(message, content=_as_template(message.content, line, problems))
            for line, message in zip(lines, messages, strict=True)
        ]
    return PromptYml(tuple(zip(lines, messages, strict=True)), own_settings(document.data, SETTINGS))


def placeholders(content: str) -> Sequence[str]:
    """The names that a message of such a file asks for, in their order."""
    return list(dict.fromkeys(found[1] for found in _PLACEHOLDER.finditer(content)))


def _as_template(content: str, line: int, problems: Problems) -> str:
    """The content as a template that gives all of it back, with its placeholders filled."""
    pieces: list[str] = []
    at = 0
    for found in _PLACEHOLDER.finditer(content):
        name = found[1]
        if not name.isidentifier() or name in _TAKEN or name.startswith("__"):
            hint = "use letters, digits and single underscores, and no word such as 'true' or 'for'"
            problems.add(line, f"the placeholder {quoted(found[0])} has a name that cannot be filled in", hint)
        pieces += [_literal(content[at : found.start()]), f"{{{{ {name} }}}}"]
        at = found.end()
    return "".join([*pieces, _literal(content[at:])])


def _literal(text: str) -> str:
    return _SIGN.sub(lambda found: "{{ '{' }}" if found[0] == "{" else "{{ '\\r' }}", text)
