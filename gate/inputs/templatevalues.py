"""What templates may do with values: allowed methods and filters, each bounded in what it can build."""

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from jinja2 import Undefined
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.tests import TESTS as JINJA_TESTS

from gate.inputs.limits import LOOP_STEPS, RENDERED_CHARS
from gate.inputs.rendering_clock import check, checked

METHODS = frozenset(
    "capitalize count endswith find get index isalpha isdigit islower isupper items keys lower lstrip rsplit rstrip "
    "split splitlines startswith strip title upper values".split()
)

_INDENT = 100
_MAX_BITS = 4096


def sized(value: Any) -> Any:
    """The value itself, if it is of bounded size, with what is shared counted as often as it would be written."""
    characters, values = RENDERED_CHARS, LOOP_STEPS
    stack = [value]
    while stack:
        item = stack.pop()
        values -= 1
        characters -= len(item) if isinstance(item, str) else 0
        if characters < 0 or values < 0 or (isinstance(item, int) and item.bit_length() > _MAX_BITS):
            raise _too_large()
        if isinstance(item, Mapping):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
    return value


def text_of(value: Any) -> str:
    """How a value is written into a text: strings as they are, everything else as JSON."""
    if isinstance(value, (str, Undefined)):
        return str(value)
    return to_json(value)


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON of bounded length, with letters of all languages as they are."""
    if indent is not None and not 0 <= indent <= _INDENT:
        raise SecurityError(f"an indent must be from 0 to {_INDENT}")
    encoder = json.JSONEncoder(ensure_ascii=False, indent=indent, default=_as_list)
    pieces: list[str] = []
    left = RENDERED_CHARS
    for piece in encoder.iterencode(value):
        left -= len(piece)
        if left < 0:
            raise _too_large()
        pieces.append(piece)
    return "".join(pieces)


def joined(values: Iterable[Any], separator: str = "") -> str:
    """Texts put together, measured on the way."""
    pieces: list[str] = []
    left = RENDERED_CHARS
    for value in values:
        check()
        piece = text_of(value)
        left -= len(piece) + len(separator)
        if left < 0:
            raise _too_large()
        pieces.append(piece)
    return separator.join(pieces)


def _too_large() -> SecurityError:
    return SecurityError(f"a value of more than {RENDERED_CHARS:,} characters or {LOOP_STEPS:,} parts is not supported")


def _as_list(value: object) -> list[Any]:
    if isinstance(value, Undefined):
        str(value)
    if not isinstance(value, Iterable):
        raise TypeError(f"{type(value).__name__} cannot be written as text")
    items = list(islice(value, LOOP_STEPS + 1))
    if len(items) > LOOP_STEPS:
        raise _too_large()
    return items


def _replace(value: Any, old: Any, new: Any) -> str:
    text, before, after = text_of(value), text_of(old), text_of(new)
    if len(text) + text.count(before) * len(after) > RENDERED_CHARS:
        raise _too_large()
    return text.replace(before, after)


def _indent(value: Any, width: int = 4, first: bool = False) -> str:
    if not 0 <= width <= _INDENT:
        raise SecurityError(f"an indent must be from 0 to {_INDENT}")
    text, pad = text_of(value), " " * width
    if len(text) + text.count("\n") * width > RENDERED_CHARS:
        raise _too_large()
    lines = text.split("\n")
    padded = [pad + line if line and (number or first) else line for number, line in enumerate(lines)]
    return "\n".join(padded)


def _join(values: Iterable[Any], d: str = "") -> str:
    return joined(values, d)


_KEPT = (
    "abs capitalize count d default dictsort first float int items last length list lower map max min reject "
    "rejectattr reverse round select selectattr sort title trim truncate unique upper wordcount"
).split()

_OWN: Mapping[str, Callable[..., Any]] = {
    "indent": _indent,
    "join": _join,
    "replace": _replace,
    "string": text_of,
    "tojson": to_json,
}

_JINJAS: dict[str, Any] = {name: JINJA_FILTERS[name] for name in _KEPT}
_TESTS: dict[str, Any] = dict(JINJA_TESTS)

FILTERS = {name: checked(function) for name, function in (*_JINJAS.items(), *_OWN.items())}
TESTS = {name: checked(function) for name, function in _TESTS.items()}
