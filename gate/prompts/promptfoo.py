"""Prompts as promptfoo reads them: Nunjucks, and a conversation where the text is a list of messages."""

import json
import re
from pathlib import PurePosixPath

from gate.config.documents import Problems, one_problem, quoted, read_yaml
from gate.errors import InputErrors
from gate.limits import PROMPT_CHARS
from gate.messages import ROLES, Message
from gate.prompts.pointers import pointed_text
from gate.prompts.version import PlaceholderRules, Prompt
from gate.templates.nunjucks import as_jinja
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, as_mapping

_AS_WRITTEN = PlaceholderRules(template=False)
_MAYBE_MESSAGES = re.compile(r"\s*(\[|-\s|messages:|\{\s*\"messages\")")
_DUMPED = re.compile(r"([:,\[]\s*)\{\{\s*(\w+)\s*\|\s*dump\s*\}\}")
"""A value of JSON that Nunjucks writes with its quotes."""
_SEVERAL = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)


def parse_promptfoo(text: str, path: str, where: str, name: str | None = None) -> Prompt:
    """Read a prompt of promptfoo.

    Args:
        text: of the file.
        path: its ending decides how a text inside the file is found.
        where: the name of the file in messages.
        name: of the text inside the file; None for the whole file.

    Raises:
        InputErrors: it is empty, too large, several prompts, or a template that the gate would read differently.
    """
    line, content = 0, text.removeprefix("\ufeff").replace("\r\n", "\n")
    if name is not None:
        pointed = pointed_text(text, path, name, where, _AS_WRITTEN)
        line, content = pointed.line, pointed.text
    elif PurePosixPath(path).suffix.lower() == ".txt":
        if len([part for part in _SEVERAL.split(content) if part.strip()]) > 1:
            raise one_problem(where, 0, "has several prompts, between lines of ---", f"name one of them: {path}::0")
        content = _SEVERAL.sub("", content).strip()
    else:
        content = content.removesuffix("\n")
    if len(content) > PROMPT_CHARS:
        raise one_problem(where, line, f"is longer than {PROMPT_CHARS:,} characters", "shorten the prompt")
    if not content.strip():
        raise one_problem(where, line, "is empty", "write the prompt into it")
    messages = messages_in(content)
    problems = Problems(where)
    contents = [Message("system", content)] if messages is None else messages
    translated = [message.with_texts(lambda one: _translated(one, line, problems)) for message in contents]
    problems.check()
    return Prompt(tuple(translated), template=True, chat=messages is not None)


def _translated(content: str, line: int, problems: Problems) -> str:
    if re.fullmatch(r"\s*file://\S+\s*", content):
        message = f"{quoted(content.strip())} is the name of a file, and the model would get only this name"
        problems.add(line, message, "use the file as the prompt, or write its text here")
    try:
        return as_jinja(content)
    except BadTemplate as error:
        problems.add(line or error.line, error.message, "the prompt is read as a template of Nunjucks")
        return content


def messages_in(text: str) -> list[Message] | None:
    """The messages of a text that is a list of them in JSON or YAML; else None."""
    if not _MAYBE_MESSAGES.match(text):
        return None
    value: JsonValue
    try:
        value = json.loads(_DUMPED.sub(r'\1"{{ \2 }}"', text))
    except (ValueError, RecursionError):
        try:
            value = read_yaml(text, "prompt").data
        except InputErrors:
            return None
    turns = value if isinstance(value, list) else as_mapping(value).get("messages")
    messages: list[Message] = []
    for turn in map(as_mapping, turns if isinstance(turns, list) else ()):
        role, content = ROLES.get(str(turn.get("role"))), turn.get("content")
        if role is None or not isinstance(content, str):
            return None
        messages.append(Message(role, content))
    return messages or None
