"""Content parts of messages, as OpenAI's chat interface writes them: texts, and images as data URLs or files."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gate.config.documents import Problems, described, one_problem, quoted
from gate.config.validation import value_errors
from gate.errors import InputErrors
from gate.limits import IMAGE_BYTES, IMAGES, IMAGES_BYTES
from gate.messages import ContentPart, Image, Message
from gate.prompts.version import Library
from gate.templates.rendering import resolved

TEXT_PARTS = ("text", "input_text", "output_text")
"""Types of text parts in the interfaces of models."""

_MIB = 1024**2
_TOO_LARGE = f"is larger than {IMAGE_BYTES / _MIB:g} MiB, the most that all providers take"
_NOT_AN_IMAGE = "is not a PNG, JPEG, GIF or WebP image"
_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]+;base64,", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_COMMIT = "commit the image and write its path, or write data:image/png;base64,…"
_EXAMPLE = "for example {type: image_url, image_url: {url: images/receipt.png}}"
_PATH = "paths are relative to the file with the message; start with '/' for the root of the repository"


def _part_schema(kind: str, key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, key: value},
        "required": ["type", key],
        "additionalProperties": False,
    }


_URL = {
    "type": "object",
    "properties": {"url": {"type": "string", "description": "A data URL, or the path of a file of the repository."}},
    "required": ["url"],
    "additionalProperties": False,
}
PARTS_SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {
        "anyOf": [
            *(_part_schema(kind, "text", {"type": "string"}) for kind in TEXT_PARTS),
            _part_schema("image_url", "image_url", _URL),
        ]
    },
}
"""The JSON Schema of a content that is a list of parts."""


def content_of(value: list[Any]) -> str | tuple[ContentPart, ...]:
    """The content of a message that is a list of parts; one text if all of them are texts.

    Raises:
        ValidationError: each wrong part, with its place.
    """
    parts, wrong = list[ContentPart](), list[tuple[tuple[int | str, ...], str, str]]()
    for at, part in enumerate(value):
        try:
            parts.append(_part(part))
        except _BadPartError as error:
            wrong.append(((at, *error.place), error.message, error.hint))
    if not value:
        wrong.append(((), "is an empty list", f"write a text, or parts: {_EXAMPLE}"))
    if sum(isinstance(part, Image) for part in parts) > IMAGES:
        wrong.append(((), f"has more than {IMAGES} images", "use several messages or cases"))
    if wrong:
        raise value_errors(*wrong)
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if len(texts) == len(parts) else tuple(parts)


class _BadPartError(Exception):
    def __init__(self, message: str, hint: str = "", place: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.hint, self.place = message, hint, place


def _part(part: Any) -> ContentPart:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in TEXT_PARTS:
        _check_keys(part, ("type", "text"))
        text = part.get("text")
        if not isinstance(text, str):
            raise _BadPartError(f"must be text, not {described(text)}", place=("text",))
        if not text.strip():
            raise _BadPartError("must not be blank", "remove the part", ("text",))
        return text
    if kind == "image_url":
        _check_keys(part, ("type", "image_url"))
        return _image_url(part.get("image_url"))
    given = described(part) if kind is None else f"of the type {described(kind)}"
    raise _BadPartError(f"must be a part of the type text or image_url, not {given}", _EXAMPLE)


def _check_keys(part: Mapping[str, Any], known: tuple[str, ...], place: tuple[str, ...] = ()) -> None:
    if unknown := next((key for key in part if key not in known), None):
        raise _BadPartError(f"has the unknown key {quoted(str(unknown))}", f"known: {', '.join(known)}", place)


def _image_url(value: Any) -> Image:
    inner, place = value, ("image_url", "url")
    if not isinstance(inner, dict) or not isinstance(inner.get("url"), str):
        raise _BadPartError("must be a mapping with a url", _EXAMPLE, ("image_url",))
    _check_keys(inner, ("url",), ("image_url",))
    url = inner["url"].strip()
    if head := _DATA_URL.match(url):
        try:
            return _image("", _decoded(url[head.end() :]))
        except ValueError as error:
            raise _BadPartError(f"{error}", _COMMIT, place) from None
    if "{{" in url or "{%" in url:
        hint = "write the image into the input of each case"
        raise _BadPartError("is a template, and only texts are filled in", hint, place)
    scheme = _SCHEME.match(url)
    if scheme is None:
        if not url:
            raise _BadPartError("must not be blank", _EXAMPLE, place)
        return Image(url)
    name = scheme[0].lower()
    if name in ("http:", "https:"):
        said = "is an address, and the gate fetches nothing: what is behind it can change between the two arms"
    elif name == "data:":
        said = "is not a data URL of an image in base64"
    else:
        said = f"is neither a data URL nor the path of a file, but begins with {quoted(scheme[0])}"
    raise _BadPartError(said, _COMMIT, place)


def image_of(data: str) -> Image:
    """An image from base64 text; raises ValueError with why it is none, as the rest of a sentence."""
    return _image("", _decoded(data))


def _decoded(text: str) -> bytes:
    """The bytes of base64 text; raises ValueError."""
    if len(text) > IMAGE_BYTES * 2:
        raise ValueError(_TOO_LARGE)
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("is a data URL whose base64 is broken") from None


def _image(path: str, data: bytes) -> Image:
    """An image of these bytes; raises ValueError."""
    if len(data) > IMAGE_BYTES:
        raise ValueError(_TOO_LARGE)
    media_type = _media_type(data)
    if not media_type:
        pointer = data.startswith(b"version https://git-lfs")
        raise ValueError(_NOT_AN_IMAGE + (", but a pointer of Git LFS" if pointer else ""))
    return Image(path, media_type, base64.b64encode(data).decode(), hashlib.sha256(data).hexdigest(), len(data))


def _media_type(data: bytes) -> str:
    """The type of an image by its first bytes; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


@dataclass(slots=True)
class ImageFiles:
    """Reads the images that the messages of one file name; each image is read once.

    Args:
        library: of the file with the messages.
    """

    library: Library
    _read: dict[str, Image] = field(default_factory=dict)
    _bytes: int = 0

    def messages(self, messages: Iterable[tuple[int, Message]], problems: Problems) -> list[Message]:
        """The messages with the content of their images.

        Args:
            messages: each with its line.
            problems: gets every error.
        """
        found = []
        for line, message in messages:
            parts = list[ContentPart]()
            for part in message.parts:
                try:
                    parts.append(part if isinstance(part, str) else self._image(part, line))
                except InputErrors as errors:
                    for problem in errors.problems:
                        problems.add(line, problem.message, problem.hint)
            found.append(Message.of_parts(message.role, parts) if message.parts else message)
        return found

    def _image(self, image: Image, line: int) -> Image:
        if image.sha256:
            return image
        path, reason = resolved(self.library.path, image.path)
        if reason:
            raise one_problem(self.library.path, line, f"the path {quoted(image.path)} of an image {reason}", _PATH)
        if path not in self._read:
            self._read[path] = self._file(path, line)
        return self._read[path]

    def _file(self, path: str, line: int) -> Image:
        said = partial(one_problem, self.library.path, line)
        try:
            data = self.library.read(path)
        except InputErrors as errors:
            problem = errors.problems[0]
            raise said(f"the image {quoted(path)} cannot be used: it {problem.message}", problem.hint) from None
        if data is None:
            raise said(f"there is no image {quoted(path)}", _PATH)
        self._bytes += len(data)
        if self._bytes > IMAGES_BYTES:
            raise said(f"the images are larger than {IMAGES_BYTES // _MIB} MiB together", "use fewer or smaller images")
        try:
            return _image(path, data)
        except ValueError as error:
            raise said(f"the image {quoted(path)} {error}", "convert it to PNG or JPEG, or make it smaller") from None
