"""Messages that are sent to a model, and the files that a prompt is put together from."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gate.values import JsonValue, too_deep


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as a model is told of it.

    Args:
        schema: JSON Schema of its arguments, as JSON text.
    """

    name: str
    description: str
    schema: str

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """The schema as a JSON object."""
        found: dict[str, JsonValue] = json.loads(self.schema)
        return found


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model wants to be called; all of it is a stranger's text.

    Args:
        id: the interface's name for this call; its result is sent back under it.
        name: of the tool, which need not exist.
        arguments: as the model wrote them: JSON text of an object, or not even that.
    """

    id: str
    name: str
    arguments: str

    @property
    def parsed(self) -> Mapping[str, JsonValue] | None:
        """The arguments as an object; None where they are something else, or nested too deeply to be worked with."""
        try:
            found = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and not too_deep(found) else None


Role = Literal["system", "user", "assistant", "tool"]
"""A prompt and a case know the first three; the last one carries the result of a tool back to the model."""
ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""The role that each word for one means."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Args:
        content: what is said; may be empty where tools are called.
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


_TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OTHER = re.compile(r"[^a-zA-Z0-9_-]")
TOOL_NAME_CHARS = 64


def is_tool_name(name: str) -> bool:
    """Do all providers take the name as it is?"""
    return _TAKEN.fullmatch(name) is not None


def model_name(name: str) -> str:
    """What a model is told in place of a name, which may be told for others, too: `weather_get` for `weather.get`."""
    return _OTHER.sub("_", name)[:TOOL_NAME_CHARS]
