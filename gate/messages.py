"""Messages for a model, and the files that a prompt includes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gate.values import JsonValue, too_deep


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is described to a model.

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
    """A tool call of a model. All of it is untrusted text.

    Args:
        id: sent back with the result.
        name: of a tool, which may not exist.
        arguments: usually a JSON object as text.
    """

    id: str
    name: str
    arguments: str

    @property
    def parsed(self) -> Mapping[str, JsonValue] | None:
        """The arguments; None if they are not a JSON object or nested too deeply."""
        try:
            found = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and not too_deep(found) else None


Role = Literal["system", "user", "assistant", "tool"]
"""Prompts and cases use the first three; `tool` is the result of a tool call."""
ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""Names of roles in files, and what they mean."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Args:
        content: may be empty if tools are called.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    failed: bool = False

    @property
    def told(self) -> tuple[str, ...]:
        """All parts as texts, to compare two messages."""
        if not (self.tool_calls or self.answers or self.failed):
            return self.role, self.content
        calls = tuple(part for call in self.tool_calls for part in (call.id, call.name, call.arguments))
        return self.role, self.content, self.answers, str(self.failed), str(len(self.tool_calls)), *calls


@dataclass(frozen=True, slots=True)
class Part:
    """A file that a template includes.

    Args:
        path: from the root of the repository; in file mode from the folder of the prompt.
        text: its content.
        template: it is Jinja2, with the variables of the prompt.
    """

    path: str
    text: str
    template: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """All files that a template includes, directly or not.

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
    """Do all providers accept the name?"""
    return _TAKEN.fullmatch(name) is not None


def model_name(name: str) -> str:
    """The name for a model: `weather_get` for `weather.get`. Two names may become one."""
    return _OTHER.sub("_", name)[:TOOL_NAME_CHARS]
