"""A prompt at one git ref, and the messages that are sent."""

from dataclasses import dataclass
from typing import Literal

from gate.domain.jsonvalue import JsonValue, digest

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its file says it, before a case is put in.

    Args:
        messages: the file's messages; plain text and templates are one `system` message.
        template: contents are Jinja2 and are rendered per case.
        chat: the file gave messages with roles (a chat file).
    """

    messages: tuple[Message, ...]
    template: bool = False
    chat: bool = False

    @property
    def digest(self) -> str:
        """SHA-256 of everything that can change what is sent."""
        turns: list[JsonValue] = [[message.role, message.content] for message in self.messages]
        return digest({"messages": turns, "template": self.template, "chat": self.chat})


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One prompt at one git ref (or in one file, in file mode).

    Args:
        path: repository path, or the file's path in file mode.
        ref: what the user named: `origin/main`, `HEAD`, `working tree`, `file`.
        sha: commit, where there is one.
        prompt: the parsed prompt.
    """

    path: str
    ref: str
    sha: str | None
    prompt: Prompt
