"""Masks secrets and control characters in texts."""

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from gate.calls.untrusted import Cleaner
from gate.config.documents import printable
from gate.values import JsonValue, clipped

MASK, SESSION_MASK = "[token]", "[session]"
SECRET_CHARS = 6
"""A shorter value is no secret: it would be found in every other word."""
WORD_CHARS = 8
"""The same for the words of a value, such as those of `Bearer …`, and for values written backwards."""
RESULT_CHARS = 50_000
"""Of the result of one tool call, for the model."""
REASON_CHARS = 300

_LINES = Cleaner()
_URL_SAFE = str.maketrans("+/", "-_")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\))")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Masks:
    """The secrets of an agent, or of its tools.

    Args:
        values: of environment variables that the agent, its tools or their servers get.
        folder: where the servers run; it no longer exists when a reason is read. Empty for none.
    """

    values: tuple[str, ...] = field(default=(), repr=False)
    folder: str = ""
    _forms: tuple[str, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_forms", _forms(self.values))

    def told(self, text: str) -> bool:
        """Does the text contain a secret?"""
        return any(form in text for form in self._forms)

    def masked(self, text: str, session: str = "") -> str:
        """The text without secrets."""
        for form in self._forms:
            text = text.replace(form, MASK)
        return text.replace(session, SESSION_MASK) if session else text

    def text(self, text: str) -> str:
        """The text without secrets and control characters."""
        return self.masked(cleaned(text))

    def value(self, found: JsonValue) -> JsonValue:
        """The same for all texts and keys of a JSON value that is not deeply nested."""
        if isinstance(found, str):
            return self.text(found)
        if isinstance(found, list):
            return [self.value(one) for one in found]
        if isinstance(found, dict):
            return {self.text(key): self.value(one) for key, one in found.items()}
        return found

    def line(self, value: object, limit: int = REASON_CHARS) -> str:
        """One printable line of at most `limit` characters, without anything shaped like a key; empty for no text."""
        return _LINES.line(self.text(value), limit) if isinstance(value, str) else ""

    def result(self, text: str, session: str = "") -> str:
        """A tool's result for the model: without secrets and control characters, and cut where it is long."""
        text = self.masked(cleaned(text), session)
        if len(text) <= RESULT_CHARS:
            return text
        return f"{text[:RESULT_CHARS]}\n[cut: these are the first {RESULT_CHARS:,} of {len(text):,} characters]"

    def reason(self, text: str) -> str:
        """One short line without secrets."""
        text = self.masked(cleaned(text))
        if self.folder:
            text = text.replace(f"{self.folder}/", "")
        return clipped(printable(" ".join(text.split())), REASON_CHARS)


def cleaned(text: str) -> str:
    """The text without control characters other than tabs and line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _ESCAPES.sub("", text))


def _forms(values: tuple[str, ...]) -> tuple[str, ...]:
    """The ways to write secrets, the longest first."""
    found: set[str] = set()
    for value in (*values, *_passwords(values)):
        words = [word for word in value.split() if len(word) >= WORD_CHARS]
        for one in (value, value.strip(), *words):
            if len(one.strip()) >= SECRET_CHARS:
                found |= {one, quote(one, safe=""), json.dumps(one)[1:-1], json.dumps(one, ensure_ascii=False)[1:-1]}
                found |= _written(one)
    return tuple(sorted(found, key=len, reverse=True))


def _written(secret: str) -> set[str]:
    """A secret in common encodings."""
    data = secret.encode("utf-8", "surrogatepass")
    units = secret.encode("utf-16-be", "surrogatepass").hex(" ", 2).split()
    hexes = (data.hex(), "".join(f"%{byte:02x}" for byte in data), "".join(f"\\u{unit}" for unit in units))
    found = {*hexes, hexes[0].upper(), hexes[1].upper(), "".join(f"\\u{unit.upper()}" for unit in units)}
    for before in range(3):
        # In base64 a secret may begin at any bit of a character; characters with bits of other text are left out.
        signs = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        whole = signs[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        found |= {whole, whole.translate(_URL_SAFE)}
    return found | ({secret[::-1]} if len(secret) >= WORD_CHARS else set())


def _passwords(values: Iterable[str]) -> set[str]:
    """The passwords in values that are addresses, both as written and decoded."""
    found: set[str] = set()
    for value in values:
        try:
            password = urlsplit(value.strip()).password or ""
        except ValueError:
            continue
        found |= {password, unquote(password)}
    return found
