"""A prompt at one git ref."""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.messages import NO_PARTS, Message, Parts
from gate.record.transcript import Failed
from gate.values import JsonValue, digest


@dataclass(frozen=True, slots=True)
class Built:
    """Texts of a Python function for the session of each case."""

    texts: Mapping[str, str | Failed]

    @property
    def failures(self) -> tuple[Failed, ...]:
        """One for each session without a text."""
        return tuple(text for text in self.texts.values() if isinstance(text, Failed))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A parsed prompt file, before a case is filled in.

    Args:
        messages: of the file; plain text and templates are one `system` message, a function has none.
        template: contents are Jinja2, rendered per case.
        chat: the file has messages with roles.
        built: the texts of a Python function; None for a file.
        unused: the file's own settings of the model, key to JSON; not used, and not part of any digest.
    """

    messages: tuple[Message, ...]
    template: bool = False
    chat: bool = False
    parts: Parts = NO_PARTS
    built: Built | None = None
    unused: tuple[tuple[str, str], ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of everything that can change the request."""
        turns: list[JsonValue] = [[message.role, message.content] for message in self.messages]
        told: dict[str, JsonValue] = {"messages": turns, "template": self.template, "chat": self.chat}
        if self.parts.files:
            parts: list[JsonValue] = [[part.path, part.text, part.template] for part in self.parts.files]
            told |= {"path": self.parts.path, "parts": parts}
        if self.built is not None:
            told["built"] = {key: _told(text) for key, text in self.built.texts.items()}
        return digest(told)


def _told(text: str | Failed) -> JsonValue:
    return ["failed", text.reason] if isinstance(text, Failed) else text


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One prompt at one git ref (or in one file, in file mode).

    Args:
        path: repository path, or the file's path in file mode; `python:module:function` for a function.
        ref: as the user named it: `origin/main`, `HEAD`, `working tree`, `file`.
    """

    path: str
    ref: str
    sha: str | None
    prompt: Prompt
