"""Values as YAML that a person likes to edit and that every reader of YAML 1.1 and 1.2 takes for the same."""

import json
import re
from collections.abc import Mapping, Sequence

from gate.domain.jsonvalue import JsonValue

_SHORT = 100
"""Columns of a list or mapping on one line."""
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*(?: [\w./-]+)*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})


def entries(row: Mapping[str, JsonValue]) -> list[str]:
    """The lines of a mapping in block style; texts of several lines stand in literal blocks.

    Args:
        row: its entries, in their order.
    """
    lines: list[str] = []
    for key, value in row.items():
        name = flow(key)
        if isinstance(value, str) and _literal(value):
            style = "|" if value.endswith("\n") else "|-"
            lines += [f"{name}: {style}", *indented(value.removesuffix("\n").split("\n"))]
        elif isinstance(value, (list, dict)) and value and not _fits(value):
            lines += [f"{name}:", *indented(entries(value) if isinstance(value, dict) else items(value))]
        else:
            lines.append(f"{name}: {flow(value)}")
    return lines


def items(values: Sequence[JsonValue]) -> list[str]:
    """The lines of a list in block style."""
    lines: list[str] = []
    for value in values:
        if isinstance(value, dict) and value:
            first, *rest = entries(value)
            lines += [f"- {first}", *indented(rest)]
        else:
            lines.append(f"- {flow(value)}")
    return lines


def indented(lines: Sequence[str], columns: int = 2) -> list[str]:
    """The lines further to the right; empty ones stay empty."""
    return [" " * columns + line if line else line for line in lines]


def flow(value: JsonValue) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.lower() not in _WORDS else _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def _fits(value: JsonValue) -> bool:
    return len(flow(value)) <= _SHORT and not _any_literal(value)


def _any_literal(value: JsonValue) -> bool:
    if isinstance(value, str):
        return _literal(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_any_literal, inner))


def _literal(text: str) -> bool:
    """Several lines that a literal block gives back as they are, whatever the reader."""
    lines = text.removesuffix("\n").split("\n")
    if "\n" not in text or not lines[0].strip() or not lines[-1].strip() or lines[0].startswith(" "):
        return False
    return all(line.isprintable() and (line.strip() or not line) for line in lines)


def _quoted(text: str) -> str:
    """In double quotes, with whatever cannot be seen escaped."""
    told = json.dumps(text, ensure_ascii=False)
    return told if told.isprintable() else "".join(sign if sign.isprintable() else _escaped(sign) for sign in told)


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
