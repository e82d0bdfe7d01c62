"""Messages for a model, their images, and the files that a prompt includes."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

from gate.values import WRITTEN, JsonValue, too_deep


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
        id: sent back with the result; empty where the reply has none that can be used.
        name: of a tool, which may not exist.
        arguments: usually a JSON object as text; empty where there are none.
    """

    __pydantic_config__: ClassVar = WRITTEN
    id: str
    name: str
    arguments: str

    @property
    def parsed(self) -> Mapping[str, JsonValue] | None:
        """The arguments; None if they are not a JSON object or nested too deeply."""
        try:
            found = json.loads(self.arguments or "{}")
            # Some servers encode the arguments twice.
            found = json.loads(found) if isinstance(found, str) else found
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and not too_deep(found) else None


Role = Literal["system", "user", "assistant", "tool"]
"""Prompts use the first three; `tool` is the result of a tool call."""
ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""Names of roles in files, and what they mean."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a message.

    Args:
        path: of its file, as the message names it; empty for a data URL.
        media_type: such as `image/png`; like the rest, not known before the file is read.
        data: its bytes in base64.
        sha256: of its bytes, in hexadecimal.
        size: in bytes.
    """

    __pydantic_config__: ClassVar = WRITTEN
    path: str
    media_type: str = ""
    data: str = field(default="", repr=False)
    sha256: str = ""
    size: int = 0

    @property
    def url(self) -> str:
        """The image as a data URL."""
        return f"data:{self.media_type};base64,{self.data}"

    @property
    def shown(self) -> str:
        """The text that readers and judges see instead."""
        size = f"{max(1, round(self.size / 1000)):,} kB"
        known = f", {size}, sha256 {self.sha256[:12]}" if self.sha256 else ""
        return f"[image: {self.path or self.media_type}{known}]"


ContentPart: TypeAlias = str | Image
CHARS_PER_TOKEN = 4
"""Of a text whose tokens nobody counted."""
IMAGE_TOKENS = 1_600
"""What one image counts in estimates; services count it by its size, most of them up to about as many."""


_SHOWN = re.compile(r"\[image: [^\n]*, [0-9,]+ kB, sha256 [0-9a-f]{12}\]")


def shows_image(content: str) -> bool:
    """Does the content of a message have a text in place of an image?"""
    return _SHOWN.search(content) is not None


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Args:
        content: as readers see it; may be empty if tools are called, or if a case says nothing.
        parts: of a message with images, in order; empty for a message that is only text.
        original: of an assistant, the provider's own message as JSON text, which is sent back in its place: it has the
            model's reasoning and signatures. Empty where nothing but the other fields is sent.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    failed: bool = False
    parts: tuple[ContentPart, ...] = ()
    original: str = ""

    @classmethod
    def of_parts(cls, role: Role, parts: Sequence[ContentPart]) -> "Message":
        """A message of texts, without those that are blank, and images."""
        kept = tuple(part for part in parts if not isinstance(part, str) or part.strip())
        return cls(role, "\n".join(part if isinstance(part, str) else part.shown for part in kept), parts=kept)

    @property
    def texts(self) -> tuple[str, ...]:
        """What it says, without its images."""
        return tuple(part for part in self.parts if isinstance(part, str)) if self.parts else (self.content,)

    @property
    def images(self) -> tuple[Image, ...]:
        """Its images, in order."""
        return tuple(part for part in self.parts if isinstance(part, Image))

    def with_texts(self, change: Callable[[str], str]) -> "Message":
        """The message with each of its texts changed."""
        if not self.parts:
            return replace(self, content=change(self.content))
        return self.of_parts(self.role, [change(part) if isinstance(part, str) else part for part in self.parts])

    def with_images(self, images: Sequence[Image]) -> "Message":
        """The message with more images after its content."""
        return self.of_parts(self.role, [*(self.parts or self.texts), *images]) if images else self

    @property
    def shown(self) -> str:
        """The message as readers and judges see it, with its calls of tools."""
        calls = (f"[calls {call.name}({call.arguments})]" for call in self.tool_calls)
        return "\n".join(filter(None, (self.content, *calls)))

    @property
    def told(self) -> tuple[str, ...]:
        """Everything that is sent, as texts, to compare two messages."""
        if self.parts:
            parts = (
                ("text", part) if isinstance(part, str) else (part.media_type, part.sha256 or part.path)
                for part in self.parts
            )
            about = (self.answers, str(self.failed)) if self.answers else ()
            return self.role, "parts", *about, str(len(self.parts)), *(text for part in parts for text in part)
        if not (self.tool_calls or self.answers or self.failed or self.original):
            return self.role, self.content
        calls = tuple(part for call in self.tool_calls for part in (call.id, call.name, call.arguments))
        count = str(len(self.tool_calls))
        return self.role, self.content, self.answers, str(self.failed), count, *calls, self.original


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
