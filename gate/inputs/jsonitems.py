"""A JSON file that holds a list: its items one after the other, each with the line that it begins on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs.jsontext import BadJson, parse_value
from gate.inputs.limits import LINE_CHARS
from gate.inputs.nodes import Node

_BRACKET = re.compile(r'(?:[^"\[\]{}]|"(?:[^"\\]|\\.)*+")*+([\[\]{}])', re.DOTALL)
"""All up to the next bracket that stands in no string, and it."""
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Item:
    """One value of the list.

    Args:
        value: what it holds.
        line: 1-based line of its first character.
        start, end: where it stands in the text, in characters.
    """

    value: JsonValue
    line: int
    start: int
    end: int


class TooLong(BadJson):
    """An item that is too long to be read; nothing after it is looked at."""


def items(text: str) -> Iterator[Item]:
    """The items of the list that the text is; a text that is one object is its only item.

    One that is longer than `LINE_CHARS` is refused before it is read: in memory it can take fifty times its room.

    Args:
        text: the file.

    Raises:
        BadJson: when the items before the mistake have been given.
    """
    reader = _Reader(text)
    if reader.next() != "[":
        yield reader.item()
        reader.end()
        return
    reader.at += 1
    if reader.next() == "]":
        reader.at += 1
        reader.end()
        return
    while True:
        yield reader.item()
        sign = reader.next()
        if sign not in (",", "]"):
            raise reader.bad("Expecting ',' delimiter")
        reader.at += 1
        if sign == "]":
            break
    reader.end()


def located(text: str, item: Item) -> Node:
    """The item with the line of each of its values and keys; a second reading, for messages.

    Args:
        text: the file that `item` was read from.
        item: one of `items`, so that it is known to be sound and of bounded depth.
    """
    reader = _Reader(text)
    reader.at, reader.line = item.start, item.line
    return reader.node()


class _Reader:
    """Walks through the text, counting lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def next(self) -> str:
        """The next character that is no space, not yet taken; empty at the end."""
        start = self.at
        blank = _BLANK.match(self.text, start)
        self.at = blank.end() if blank else start
        self.line += self.text.count("\n", start, self.at)
        return self.text[self.at : self.at + 1]

    def item(self) -> Item:
        self.next()
        start, line = self.at, self.line
        if len(self.text) - start > LINE_CHARS and _too_long(self.text, start):
            raise TooLong(f"the case is longer than {LINE_CHARS:,} characters", line)
        try:
            value, self.at = parse_value(self.text, start)
        except BadJson as error:
            raise BadJson(error.message, error.line or line, error.column) from None
        self.line += self.text.count("\n", start, self.at)
        return Item(value, line, start, self.at)

    def end(self) -> None:
        if self.next():
            raise self.bad("Extra data")

    def bad(self, message: str) -> BadJson:
        column = self.at - self.text.rfind("\n", 0, self.at)
        return BadJson(f"invalid JSON at column {column}: {message}", self.line, column)

    def node(self) -> Node:
        """The next value, with lines."""
        sign = self.next()
        line = self.line
        if sign == "[":
            return Node(tuple(self._members("]")), line)
        if sign == "{":
            return Node({str(key.value): self._entry(key) for key in self._members("}")}, line)
        value, self.at = parse_value(self.text, self.at)
        return Node(None if isinstance(value, (list, dict)) else value, line)

    def _members(self, close: str) -> Iterator[Node]:
        """The values of a list, or the keys of an object, whose values the caller takes."""
        self.at += 1
        while (sign := self.next()) != close:
            self.at += sign == ","
            yield self.node()
        self.at += 1

    def _entry(self, key: Node) -> Node:
        """The value after a key, on the key's line."""
        self.next()
        self.at += 1
        return Node(self.node().value, key.line)


def _too_long(text: str, start: int) -> bool:
    """Does a list or an object begin here that does not end soon? What is no JSON may be taken for one."""
    at, end, depth = start, start + LINE_CHARS, 0
    if text[start] not in "[{":
        return False
    while found := _BRACKET.match(text, at, end):
        depth += 1 if found[1] in "[{" else -1
        at = found.end()
        if depth <= 0:
            return False
    return depth > 0
