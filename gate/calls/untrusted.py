"""Typing, bounds and cleaning for everything that a server sends."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gate.messages import ToolCall
from gate.record.transcript import masked
from gate.values import JsonValue, clipped, parsed

MAX_TOKENS = 10**9
"""A larger count is not believed."""

MAX_TEXT = 2**20
"""Characters of an answer; a longer one is no answer to a case."""

_LOOKED_AT = 20_000
_HTML = (b"<!--", b"<!doctype", b"<?xml", b"<html", b"<head", b"<body")
_BLANK = b" \t\r\n\f\v\xef\xbb\xbf"
# A server may quote a part of the key, or another key: whatever is shaped like one goes.
_KEY_SHAPE = re.compile(r"\b(sk|pk)-[\w*.-]{6,}|(?<=Bearer )\S+", re.IGNORECASE)
# Shorter words are placeholders for servers without a key (`none`, `test`), or ordinary words.
_SHORTEST_KEY = 12
# Characters of a remembered text.
_WORD = 100
_NAME = 200
# Calls of tools in one reply.
_CALLS = 128


class MalformedReply(ValueError):
    """A reply that does not follow the API; the text is one clean line."""


class UnusableReply(Exception):
    """A reply that another attempt would not change; the text is one clean line."""


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Makes text from outside fit for reasons and records, without the given secrets."""

    secrets: tuple[str, ...] = field(default=(), repr=False)

    def line(self, value: object, limit: int = 300) -> str:
        """One printable line of at most `limit` characters, without secrets; empty when `value` is not text."""
        if not isinstance(value, str):
            return ""
        return _short_line(self, value, limit) if len(value) <= _WORD else self._line(value, limit)

    def _line(self, value: str, limit: int) -> str:
        kept = (" " if char.isspace() else char for char in value[:_LOOKED_AT] if not _unprintable(char))
        return clipped(_KEY_SHAPE.sub("[key]", masked(self._redacted(" ".join("".join(kept).split())))), limit)

    def text(self, value: str) -> str:
        """The same text as valid Unicode, without secrets: half a surrogate pair could not be written to a file."""
        if value.isascii():
            return self._redacted(value)
        return self._redacted(value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))

    def answer(self, value: str) -> str:
        """The text of an answer; raises `UnusableReply`."""
        if len(value) > MAX_TEXT:
            raise UnusableReply(f"the answer has {len(value):,} characters; the limit is {MAX_TEXT:,}")
        return self.text(value)

    def thinking(self, parts: Iterable[str]) -> str:
        """The thinking of a reply in its parts; only the beginning of a long one."""
        return self.text("\n\n".join(filter(None, (part.strip() for part in parts)))[:MAX_TEXT])

    def _redacted(self, text: str) -> str:
        for secret in self.secrets:
            if len(secret) >= _SHORTEST_KEY:
                text = text.replace(secret, "[key]")
        return text


@lru_cache(maxsize=256)
def _short_line(cleaner: Cleaner, value: str, limit: int) -> str:
    """Every reply names its model and why it stopped, in the same few words."""
    return cleaner._line(value, limit)


def json_object(body: bytes) -> dict[str, JsonValue]:
    """Parse a JSON object; raises `MalformedReply` for anything else, however deep or large."""
    try:
        value = parsed(body)
    except ValueError:
        raise MalformedReply(_not_json(body)) from None
    if not isinstance(value, dict):
        raise MalformedReply("the reply is not a JSON object")
    return value


_SAID = (
    *("title", "message", "msg", "error", "errors", "detail", "details", "description", "error_description", "reason"),
    *("fieldViolations", "metadata", "raw", "fault", "faultstring", "statusMessage", "Message", "errorMessage"),
)
"""Where services put words into an error, the general ones first."""
_PLACES = ("loc", "field", "path", "property")
_SEVERAL = 5
_LEVELS = 8


@dataclass(slots=True)
class ErrorWords:
    """What an error of any shape says: its sentences, the codes in it, and the parameter that it blames, or empty."""

    said: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    param: str = ""

    @classmethod
    def of(cls, body: bytes, cleaner: Cleaner) -> "ErrorWords":
        """The words of an error reply: JSON of any shape, plain text, or a web page, which is named and not shown."""
        if is_html(body):
            return cls(["an HTML page instead of JSON"])
        text = body[:_LOOKED_AT].decode("utf-8", "replace")
        try:
            words = cls.within(parsed(body), cleaner)
        except ValueError:
            words = cls.within(text, cleaner)
        # An unknown shape is shown as it is.
        return words if words.said or not body.strip(b"{}[] \r\n") else replace(words, said=[cleaner.line(text)])

    @classmethod
    def within(cls, value: JsonValue, cleaner: Cleaner) -> "ErrorWords":
        """The words in a value of any shape."""
        words = cls()
        words.add(value, cleaner)
        return words

    def sentence(self, cleaner: Cleaner) -> str:
        """All of them in one line."""
        return cleaner.line("; ".join(self.said))

    def add(self, value: JsonValue, cleaner: Cleaner, levels: int = _LEVELS) -> None:
        """Note the words of a value; those of a list are in the order of the list."""
        if len(self.said) >= _SEVERAL:
            return
        if isinstance(value, str):
            self._say(value, cleaner, levels)
        elif isinstance(value, list):
            for item in value[:_SEVERAL] if levels else ():
                self.add(item, cleaner, levels - 1)
        elif isinstance(value, dict) and levels:
            self._read(value, cleaner, levels)

    def _read(self, error: dict[str, JsonValue], cleaner: Cleaner, levels: int) -> None:
        self.codes += filter(None, (cleaner.line(error.get(key), 80) for key in ("code", "type")))
        place = next((_place(error[key]) for key in _PLACES if key in error), "")
        self.param = self.param or cleaner.line(error.get("param"), 80) or cleaner.line(place, 80)
        before = len(self.said)
        for key in _SAID:
            self.add(error.get(key), cleaner, levels - 1)
        if place and len(self.said) > before:
            self.said[before] = f"{place}: {self.said[before]}"

    def _say(self, text: str, cleaner: Cleaner, levels: int) -> None:
        inner = text.lstrip()
        if inner.startswith(("{", "[")) and levels:
            # A gateway hands on the error of the service behind it as text.
            try:
                return self.add(parsed(inner.encode("utf-8", "replace")), cleaner, levels - 1)
            except ValueError:
                pass
        if is_html(inner.encode("utf-8", "replace")):
            text = "an HTML page as its message"
        line = cleaner.line(text)
        if line and not any(line in said for said in self.said):
            self.said.append(line)


def _place(value: JsonValue) -> str:
    """Where an error is: a path, of which `body` is no part."""
    parts = value if isinstance(value, list) else [value]
    return ".".join(str(part) for part in parts[:_LEVELS] if isinstance(part, (str, int)) and part != "body")


def is_html(body: bytes) -> bool:
    """Does this begin like a web page?"""
    return body.lstrip(_BLANK)[:9].lower().startswith(_HTML)


def object_at(value: JsonValue, key: str) -> dict[str, JsonValue]:
    """The object under `key`, or an empty one when there is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def tool_call(call_id: JsonValue, name: JsonValue, arguments: JsonValue, cleaner: Cleaner) -> ToolCall:
    """A tool call of a reply, bounded and clean; its id may be missing, and its arguments may be an object or missing.

    Raises `MalformedReply`, `UnusableReply`.
    """
    given = cleaner.line(call_id, 200)
    if not isinstance(name, str) or not 0 < len(name) <= _NAME:
        raise MalformedReply("a tool call of the reply has no tool name")
    called = cleaner.line(name, _NAME)
    if not called:
        raise MalformedReply("a tool call of the reply has no tool name")
    if arguments is None:
        text = ""
    else:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(given if given == call_id else "", called, cleaner.answer(text))


def limited_calls(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls of one reply. Raises `MalformedReply`: there are too many."""
    if len(calls) > _CALLS:
        raise MalformedReply(f"the reply calls {len(calls):,} tools at once; the limit is {_CALLS}")
    return tuple(calls)


def original_message(message: JsonValue, cleaner: Cleaner) -> str:
    """A provider's own message as text."""
    return cleaner.text(json.dumps(message, ensure_ascii=False))


def token_count(value: JsonValue) -> int | None:
    """A number of tokens, or None if it is not valid."""
    return value if type(value) is int and 0 <= value <= MAX_TOKENS else None


def _not_json(body: bytes) -> str:
    if not body.strip():
        return "the reply is empty"
    return "the reply is an HTML page, not JSON" if is_html(body) else "the reply is not JSON"


def _unprintable(char: str) -> bool:
    """Controls, invisible format marks (direction overrides among them), surrogates and private use."""
    return not char.isspace() and unicodedata.category(char).startswith("C")
