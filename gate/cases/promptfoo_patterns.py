"""Regular expressions of JavaScript in Python, and back.

In JavaScript `^` and `$` are the ends of the whole text, and `\\d` and `\\w` match only ASCII.
"""

import re

from gate.limits import PATTERN_CHARS

_TOKEN = re.compile(r"\{\{.*?\}\}|\[(?:\\[\s\S]|[^\]\\])*\]|\\k<\w+>|\\[\s\S]|\(\?<(?![=!])|[$^]", re.DOTALL)
_IN_CLASS = re.compile(r"\\[\s\S]|\[")
_CLASSES = {r"\d": "0-9", r"\w": "A-Za-z0-9_"}
_NEGATED = {r"\D": "[^0-9]", r"\W": "[^A-Za-z0-9_]"}
_WHOLE = {"^": r"\A", "$": r"\Z", "(?<": "(?P<", "[]": "(?!)", "[^]": r"[\s\S]"}
_FROM_PYTHON = re.compile(r"\\[\s\S]|\(\?P<|\(\?P=(\w+)\)")
_TO_JAVASCRIPT = {r"\A": "^", r"\Z": "$", "(?P<": "(?<"}
_PYTHON_ONLY = re.compile(
    r"\{\{.*?\}\}|\[(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|\(\?(?![:=!<])[a-zA-Z>]*|[*+?}]\+|\{,\d+\}", re.DOTALL
)
"""Syntax of Python that JavaScript lacks or reads differently, and what hides it."""
_ESCAPES = re.compile(r"\\(?:[^a-zA-Z]|[bBdDsSwWnrtfvuxk])")


def unknown_to_javascript(pattern: str) -> str:
    """The part of a pattern that JavaScript does not support or reads differently, such as `(?i)`; empty if none."""
    for match in _PYTHON_ONLY.finditer(pattern[: PATTERN_CHARS + 1]):
        token = match[0]
        if token.startswith("{{"):
            continue
        escapes = [token] if token[0] == "\\" else re.findall(r"\\[\s\S]", token) if token[0] == "[" else []
        odd = next((escape for escape in escapes if not _ESCAPES.fullmatch(escape)), "")
        if odd or token[0] not in "[\\":
            return odd or token
    return ""


def javascript_pattern(pattern: str) -> str | None:
    """A Python pattern for JavaScript; None if it cannot be expressed."""
    if len(pattern) > PATTERN_CHARS:
        return None
    converted = _FROM_PYTHON.sub(
        lambda token: rf"\k<{token[1]}>" if token[1] else _TO_JAVASCRIPT.get(token[0], token[0]), pattern
    )
    return None if unknown_to_javascript(converted) else converted


def python_pattern(pattern: str) -> str:
    """A JavaScript pattern for Python; `{{ … }}` is a field of the case and stays."""
    # A longer one is rejected later, and could take long to convert.
    return pattern if len(pattern) > PATTERN_CHARS else _TOKEN.sub(lambda match: _python_token(match[0]), pattern)


def _python_token(token: str) -> str:
    if token in _WHOLE:
        return _WHOLE[token]
    if token.startswith("["):
        inner = _IN_CLASS.sub(lambda one: r"\[" if one[0] == "[" else _CLASSES.get(one[0], one[0]), token[1:])
        return f"[{inner}"
    if token.startswith(r"\k<"):
        return f"(?P={token[3:-1]})"
    if token in _CLASSES:
        return f"[{_CLASSES[token]}]"
    return _NEGATED.get(token, token)
