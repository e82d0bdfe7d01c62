"""The values of `format` in a JSON Schema that are checked, as JSON Schema Validation 2020-12, 7.3, defines them."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gate.values import JsonValue

if TYPE_CHECKING:
    from jsonschema import FormatChecker

_TIME = re.compile(
    r"(?:(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60))(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII | re.IGNORECASE,
)
_DURATION = re.compile(r"P(?!\Z)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?!\Z)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)", re.ASCII)
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL = re.compile(rf'{_ATOM}(?:\.{_ATOM})*|"(?:[^"\\\r\n]|\\[ -~])*"')
_WIDE_LOCAL = re.compile(r'[^\s@"(),:;<>\[\]\\.]+(?:\.[^\s@"(),:;<>\[\]\\.]+)*')
_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)")
_WIDE_LABEL = re.compile(r"(?!-)[^\W_](?:[\w-]{0,62})(?<!-)")
_URI = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")
_IRI = re.compile(r"(?:[^\x00-\x20\x7f<>\"{}|\\^`%]|%[0-9A-Fa-f]{2})*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_RELATIVE_POINTER = re.compile(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)")


def _is_time(text: str) -> bool:
    if _TIME.fullmatch(text) is None:
        return False
    if text[6:8] != "60":
        return True
    # A leap second is at the end of a day of UTC.
    hours, minutes = int(text[:2]), int(text[3:5])
    offset = 0 if text[-1] in "zZ" else int(text[-5:-3]) * 60 + int(text[-2:])
    offset = -offset if text[-6] == "-" and text[-1] not in "zZ" else offset
    return (hours * 60 + minutes - offset) % 1440 == 1439


def _is_date(text: str) -> bool:
    return _is_of_library("date", text)


def _is_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


def _is_hostname(text: str) -> bool:
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def _is_address(domain: str) -> bool:
    """An address in place of a domain: `[127.0.0.1]` or `[IPv6:::1]`."""
    try:
        if domain.startswith("IPv6:"):
            return IPv6Address(domain.removeprefix("IPv6:")).scope_id is None
        IPv4Address(domain)
    except ValueError:
        return False
    return True


def _is_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or len(local) > 64 or _LOCAL.fullmatch(local) is None:
        return False
    if domain.startswith("[") and domain.endswith("]"):
        return _is_address(domain[1:-1])
    return _is_hostname(domain)


def _is_wide_email(text: str) -> bool:
    """Also with letters of other scripts (RFC 6531)."""
    local, _, domain = text.rpartition("@")
    wide = _WIDE_LOCAL.fullmatch(local) and all(_WIDE_LABEL.fullmatch(label) for label in domain.split("."))
    return _is_email(text) or (bool(wide) and len(local) <= 64)


def _is_reference(text: str, characters: re.Pattern[str] = _URI) -> bool:
    if characters.fullmatch(text) is None or text.count("#") > 1:
        return False
    try:
        parts = urlsplit(text)
        return parts.port is None or parts.port >= 0
    except ValueError:
        return False


def _is_uri(text: str, characters: re.Pattern[str] = _URI) -> bool:
    return _SCHEME.match(text) is not None and _is_reference(text, characters)


def _is_of_library(name: str, text: str) -> bool:
    from jsonschema import FormatChecker

    return FormatChecker((name,)).conforms(text, name)


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "time": _is_time,
    "duration": lambda text: _DURATION.fullmatch(text) is not None,
    "email": _is_email,
    "idn-email": _is_wide_email,
    "hostname": _is_hostname,
    "ipv4": lambda text: _is_of_library("ipv4", text),
    "ipv6": lambda text: _is_of_library("ipv6", text),
    "uri": _is_uri,
    "uri-reference": _is_reference,
    "iri": lambda text: _is_uri(text, _IRI),
    "iri-reference": lambda text: _is_reference(text, _IRI),
    "uuid": lambda text: _is_of_library("uuid", text),
    "json-pointer": lambda text: _POINTER.fullmatch(text) is not None,
    "relative-json-pointer": lambda text: _RELATIVE_POINTER.fullmatch(text) is not None,
}
_VALUES = frozenset({"const", "enum", "default", "examples"})
"""Keywords whose value is data, and no schema."""


@cache
def format_checker() -> "FormatChecker":
    """Checks texts for the formats above; other values, and other formats, always pass."""
    from jsonschema import FormatChecker

    checker = FormatChecker(())
    for name, check in _CHECKS.items():
        checker.checks(name)(lambda value, check=check: not isinstance(value, str) or check(value))
    return checker


def unchecked_formats(schema: JsonValue) -> Iterator[str]:
    """The formats in a schema that nothing checks."""
    stack = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            name = item.get("format")
            if isinstance(name, str) and name not in _CHECKS:
                yield name
            stack.extend(value for key, value in item.items() if key not in _VALUES)
