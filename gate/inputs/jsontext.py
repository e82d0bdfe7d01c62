"""Strict JSON: no NaN, no Infinity, no duplicate keys, no half surrogates, bounded depth."""

import json
import math
from collections import Counter

from gate.domain.jsonvalue import DEPTH, JsonValue, too_deep
from gate.inputs.problems import quoted

_DEEP = f"nested more than {DEPTH} levels deep"


class BadJson(Exception):
    """Text that is not the JSON we take.

    Args:
        message: what is wrong.
        line: 1-based, in the text; 0 where there is none.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message, self.line = message, line


def parse_json(text: str) -> JsonValue:
    """One JSON value (RFC 8259).

    Raises:
        BadJson: with the position, where the parser names one.
    """
    try:
        value: JsonValue = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"invalid JSON at column {error.colno}: {error.msg}", error.lineno) from None
    except RecursionError:
        raise BadJson(_DEEP) from None
    _check(value, text)
    return value


def _check(value: JsonValue, text: str) -> None:
    """What the parser lets pass: depth, and half surrogates, which come from the text itself or from an escape."""
    # First: the encoder goes less deep than the parser.
    if text.count("[") + text.count("{") > DEPTH and too_deep(value):
        raise BadJson(_DEEP)
    try:
        text.encode()
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadJson("half of a surrogate pair (\\ud800 to \\udfff) is not text") from None


def _constant(word: str) -> JsonValue:
    raise BadJson(f"{word} is not a JSON number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadJson(f"{quoted(text)} is too large a number")
    return number


def _integer(text: str) -> int:
    if len(text) > 300:
        raise BadJson(f"{quoted(text)} is too large a number")
    return int(text)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        count = Counter(key for key, _ in pairs)
        raise BadJson(f"the key {quoted(count.most_common(1)[0][0])} is given twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_float, parse_int=_integer, object_pairs_hook=_object)
