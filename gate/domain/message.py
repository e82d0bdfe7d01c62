"""Messages that are sent to a model, and the files that a prompt is put together from."""

from dataclasses import dataclass
from typing import Literal

from gate.domain.tools import ToolCall

Role = Literal["system", "user", "assistant", "tool"]
"""A prompt and a case know the first three; the last one carries the result of a tool back to the model."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Args:
        role: who speaks.
        content: what is said; may be empty where tools are called.
        tool_calls: what an assistant's turn wants to be called.
        answers: id of the call whose result a tool's turn carries.
        failed: that call failed, and the content says why.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    failed: bool = False

    @property
    def told(self) -> tuple[str, ...]:
        """All of it as texts: two turns that differ have different ones."""
        if not (self.tool_calls or self.answers or self.failed):
            return self.role, self.content
        calls = tuple(part for call in self.tool_calls for part in (call.id, call.name, call.arguments))
        return self.role, self.content, self.answers, str(self.failed), str(len(self.tool_calls)), *calls


@dataclass(frozen=True, slots=True)
class Part:
    """A file that a template pulls in.

    Args:
        path: from the root of the repository; in file mode from the folder of the prompt.
        text: what it holds.
        template: its text is Jinja2, with the variables of the prompt; otherwise it is put in as it is.
    """

    path: str
    text: str
    template: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """All files that a template pulls in, and those that these pull in.

    Args:
        path: of the prompt, from the same root, since the paths of includes are relative to it.
        files: each once.
    """

    path: str = ""
    files: tuple[Part, ...] = ()


NO_PARTS = Parts()
