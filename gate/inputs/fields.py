"""Typed reading of one mapping: each method checks, notes what is wrong, and returns something usable."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from gate.inputs.limits import NAME_CHARS
from gate.inputs.nodes import Node, described
from gate.inputs.problems import Problems, did_you_mean, quoted

_T = TypeVar("_T")
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers that are allowed, both ends included unless `above` or `below` says otherwise."""

    low: float
    high: float
    above: bool = False
    below: bool = False

    def holds(self, value: float) -> bool:
        low = value > self.low if self.above else value >= self.low
        high = value < self.high if self.below else value <= self.high
        return low and high

    def __str__(self) -> str:
        low = f"{'above' if self.above else 'from'} {self.low:,.15g}"
        below = "and below" if self.above else "to below"
        return f"{low} {below if self.below else 'to'} {self.high:,.15g}"


class Fields:
    """The entries of one mapping.

    A wrong value is noted in `problems` and the default is returned: nothing that was read counts once a problem is
    noted, because the reader of the file raises then.

    Args:
        node: the mapping; None or an empty value is an empty mapping.
        name: dotted path in messages, `policy`; empty at the top.
        problems: gets every mistake.
    """

    def __init__(self, node: Node | None, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.line = node.line if node else 0
        self.entries: Mapping[str, Node] = {}
        if node is None or node.value is None:
            return
        if isinstance(node.value, Mapping):
            self.entries = node.value
        else:
            problems.add(node.line, f"{name or 'the file'} must be a mapping, not {described(node.value)}")

    def only(self, known: Sequence[str], later: Iterable[str] = (), meant: Mapping[str, str] = _NONE) -> None:
        """Refuse other keys.

        Args:
            known: what is allowed.
            later: keys that are words of the format, and not built yet.
            meant: what users write, to what they mean.
        """
        for key, node in self.entries.items():
            if key in known:
                continue
            place = f" in {self.name}" if self.name else ""
            if key in later:
                self.problems.add(node.line, f"{key!r}{place} is not supported in this version", "remove it")
                continue
            hint = f"did you mean {meant[key]!r}?" if key in meant else did_you_mean(key, known)
            self.problems.add(node.line, f"unknown key {quoted(key)}{place}", hint)

    def get(self, key: str) -> Node | None:
        return self.entries.get(key)

    def has(self, key: str) -> bool:
        return key in self.entries

    def line_of(self, key: str) -> int:
        return self.entries[key].line if key in self.entries else self.line

    def mapping(self, key: str) -> "Fields":
        return Fields(self.entries.get(key), self._full(key), self.problems)

    def require(self, key: str, example: str) -> bool:
        """Note that `key` is missing, showing how to write it; False when it is."""
        if key in self.entries:
            return True
        place = f" in {self.name}" if self.name else ""
        self.problems.add(self.line, f"{key!r} is missing{place}", f"for example {example}")
        return False

    def text(self, key: str, default: str = "", *, most: int = NAME_CHARS, hint: str = "") -> str:
        """A string that is not blank and at most `most` characters long; the hint says what to write for a blank."""
        node = self.entries.get(key)
        if node is None:
            return default
        if not isinstance(node.value, str):
            quotes = "put it in quotes" if isinstance(node.value, (bool, int, float)) else ""
            return self._wrong(key, "must be text", default, quotes or hint)
        if not node.value.strip():
            self.problems.add(node.line, f"{self._full(key)} is blank", hint)
            return default
        if len(node.value) > most:
            self.problems.add(node.line, f"{self._full(key)} is longer than {most:,} characters")
            return default
        return node.value

    def number(self, key: str, default: float, allowed: Range, hint: str = "") -> float:
        value = self._value(key)
        if value is _MISSING:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not allowed.holds(value):
            return self._wrong(key, f"must be a number {allowed}", default, hint)
        return float(value)

    def integer(self, key: str, default: int, allowed: Range, hint: str = "") -> int:
        value = self._value(key)
        if value is _MISSING:
            return default
        whole = isinstance(value, int) and not isinstance(value, bool)
        whole = whole or (isinstance(value, float) and value.is_integer())
        if not whole or not isinstance(value, (int, float)) or not allowed.holds(value):
            return self._wrong(key, f"must be a whole number {allowed}", default, hint)
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self._value(key)
        if value is _MISSING:
            return default
        return value if isinstance(value, bool) else self._wrong(key, "must be true or false", default)

    def choice(self, key: str, default: str, words: Sequence[str]) -> str:
        value = self._value(key)
        if value is _MISSING:
            return default
        if not isinstance(value, str) or value not in words:
            return self._wrong(key, "must be " + " or ".join(words), default)
        return value

    def texts(self, key: str) -> tuple[Node, ...]:
        """A list of different strings, none blank, each with its line."""
        node = self.entries.get(key)
        if node is None:
            return ()
        if not isinstance(node.value, tuple):
            return self._wrong(key, "must be a list of texts", (), "write it as [one, two]")
        good: dict[str, Node] = {}
        for item in node.value:
            if not isinstance(item.value, str) or not item.value.strip():
                self.problems.add(item.line, f"{self._full(key)} must hold texts, not {described(item.value)}")
            elif item.value in good:
                self.problems.add(item.line, f"{self._full(key)} names {quoted(item.value)} twice")
            else:
                good[item.value] = item
        return tuple(good.values())

    def _full(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def _value(self, key: str) -> object:
        node = self.entries.get(key)
        return _MISSING if node is None else node.value

    def _wrong(self, key: str, must: str, default: _T, hint: str = "") -> _T:
        node = self.entries[key]
        self.problems.add(node.line, f"{self._full(key)} {must}, not {described(node.value)}", hint)
        return default


_MISSING = object()
