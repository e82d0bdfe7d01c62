"""Messages with roles, as chat files, prompt files of other tools and cases list them."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from gate.config.documents import Document
from gate.config.validation import FileModel, validate
from gate.config.values import not_blank
from gate.domain.message import Message, Role
from gate.inputs.limits import PROMPT_CHARS
from gate.inputs.problems import one_problem

ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


class Turn(FileModel):
    """One turn of a conversation."""

    model_config = ConfigDict(use_attribute_docstrings=True)
    meant: ClassVar[Mapping[str, str]] = {"text": "content"}

    role: Literal["system", "developer", "user", "assistant"]
    """Who speaks."""
    content: Annotated[str, Field(max_length=PROMPT_CHARS), AfterValidator(not_blank)]
    """What is said."""

    @property
    def message(self) -> Message:
        """As it is sent."""
        return Message(ROLES[self.role], self.content)


class _ChatFile(FileModel):
    messages: Annotated[list[Turn], Field(examples=["[{role: system, content: …}]"])]


_TURNS = TypeAdapter(list[Turn], config={"defer_build": True})


def read_chat(document: Document) -> tuple[tuple[int, Message], ...]:
    """The messages of a chat file, each with its line.

    Args:
        document: a list of `{role, content}`, or a mapping with such a list under `messages`.

    Raises:
        InputErrors: every mistake.
    """
    if isinstance(document.data, dict):
        turns = validate(_ChatFile, document).messages
    elif isinstance(document.data, list):
        turns = validate(_TURNS, document)
    else:
        hint = "begin with '- role: system', or name a text prompt .md or .txt"
        raise one_problem(document.file, 1, "is not a chat file: it must hold a list of {role, content}", hint)
    place = ("messages",) if isinstance(document.data, dict) else ()
    if not turns:
        said = "messages must be a list of {role, content}, not an empty list"
        raise one_problem(document.file, document.line_of(*place), said)
    return tuple((document.line_of(*place, at), turn.message) for at, turn in enumerate(turns))
