"""A pattern of JavaScript without flags, as one that means the same to the gate, and back."""

import re

from gate.inputs.limits import PATTERN_CHARS

# In JavaScript `^` and `$` are the ends of the whole text, and `\d` and `\w` know ASCII alone.
_TOKEN = re.compile(r"\{\{.*?\}\}|\[(?:\\[\s\S]|[^\]\\])*\]|\\k<\w+>|\\[\s\S]|\(\?<(?![=!])|[$^]", re.DOTALL)
_IN_CLASS = re.compile(r"\\[\s\S]|\[")
_CLASSES = {r"\d": "0-9", r"\w": "A-Za-z0-9_"}
_OTHERS = {r"\D": "[^0-9]", r"\W": "[^A-Za-z0-9_]"}
_WHOLE = {"^": r"\A", "$": r"\Z", "(?<": "(?P<", "[]": "(?!)", "[^]": r"[\s\S]"}

_BACK = re.compile(r"\\[\s\S]|\(\?P<|\(\?P=(\w+)\)")
_BACK_TO = {r"\A": "^", r"\Z": "$", "(?P<": "(?<"}
_PYTHONS = re.compile(
    r"\{\{.*?\}\}|\[(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|\(\?(?![:=!<])[a-zA-Z>]*|[*+?}]\+|\{,\d+\}", re.DOTALL
)
"""Flags, atoms, possessive runs, counts and escapes that JavaScript has not, or reads otherwise; and what hides them.
"""
_ESCAPED = re.compile(r"\\(?:[^a-zA-Z]|[bBdDsSwWnrtfvuxk])")


def pythons(pattern: str) -> str:
    """What Python would read in a pattern, and JavaScript not at all or otherwise; empty where there is nothing.

    Args:
        pattern: such as `(?i)paris`, `\\p{L}`, `a{,2}`.
    """
    for found in _PYTHONS.finditer(pattern[: PATTERN_CHARS + 1]):
        token = found[0]
        if token.startswith("{{"):
            continue
        escapes = [token] if token[0] == "\\" else re.findall(r"\\[\s\S]", token) if token[0] == "[" else []
        odd = next((one for one in escapes if not _ESCAPED.fullmatch(one)), "")
        if odd or token[0] not in "[\\":
            return odd or token
    return ""


def javascript(pattern: str) -> str | None:
    """The same pattern for JavaScript; None where it has no word for it.

    Args:
        pattern: in Python's syntax.
    """
    if len(pattern) > PATTERN_CHARS:
        return None
    found = _BACK.sub(lambda one: rf"\k<{one[1]}>" if one[1] else _BACK_TO.get(one[0], one[0]), pattern)
    return None if pythons(found) else found


def translated(pattern: str) -> str:
    """The same pattern in Python's syntax.

    Args:
        pattern: of JavaScript; what stands in `{{ }}` is a field of the case, and stays.
    """
    # A longer one is refused all the same, and might take long to look through.
    return pattern if len(pattern) > PATTERN_CHARS else _TOKEN.sub(lambda found: _token(found[0]), pattern)


def _token(token: str) -> str:
    if token in _WHOLE:
        return _WHOLE[token]
    if token.startswith("["):
        return "[" + _IN_CLASS.sub(lambda one: r"\[" if one[0] == "[" else _CLASSES.get(one[0], one[0]), token[1:])
    if token.startswith(r"\k<"):
        return f"(?P={token[3:-1]})"
    if token in _CLASSES:
        return f"[{_CLASSES[token]}]"
    return _OTHERS.get(token, token)
