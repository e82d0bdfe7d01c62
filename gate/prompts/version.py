"""A prompt at one git ref, and the messages that are sent."""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.messages import NO_PARTS, Message, Parts
from gate.record.transcript import Failed
from gate.values import JsonValue, digest


@dataclass(frozen=True, slots=True)
class Built:
    """What a Python function made of the session of each case.

    Args:
        texts: system message by the key of its session (`gate.cases.rendering.key_of`), or why there is none.
    """

    texts: Mapping[str, str | Failed]

    @property
    def failures(self) -> tuple[Failed, ...]:
        """One for each session without a text."""
        return tuple(text for text in self.texts.values() if isinstance(text, Failed))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its file says it, before a case is put in.

    Args:
        messages: the file's messages; plain text and templates are one `system` message, and a function has none.
        template: contents are Jinja2 and are rendered per case.
        chat: the file gave messages with roles (a chat file).
        parts: the files that its templates pull in.
        built: the texts of a prompt that a Python function builds; None where a file holds the prompt.
        unused: what the file says about the model, by key, as JSON; the suite's model and parameters count, and no
            digest changes with it.
    """

    messages: tuple[Message, ...]
    template: bool = False
    chat: bool = False
    parts: Parts = NO_PARTS
    built: Built | None = None
    unused: tuple[tuple[str, str], ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of everything that can change what is sent."""
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
        path: repository path, or the file's path in file mode; `python:module:function` where code builds it.
        ref: what the user named: `origin/main`, `HEAD`, `working tree`, `file`.
        sha: commit, where there is one.
        prompt: the parsed prompt.
    """

    path: str
    ref: str
    sha: str | None
    prompt: Prompt
