"""Assertions in code: a few one-line forms that a scorer says as well. No other code is read, and none is run."""

import re
from collections.abc import Callable, Mapping

from gate.domain.jsonvalue import JsonValue

Options = dict[str, JsonValue]

_TEXT = r"""(?P<quote>['"])(?P<text>(?:(?!(?P=quote))[^\\{])+)(?P=quote)"""
_LENGTH = r"(?P<sign><=|>=|===?|<|>)\s*(?P<number>\d{1,9})"
_BOUNDS: Mapping[str, tuple[int | None, int | None]] = {
    "<": (None, -1),
    "<=": (None, 0),
    ">": (1, None),
    ">=": (0, None),
    "==": (0, 0),
    "===": (0, 0),
}
"""What a comparison with a number allows: the least and the most, each from that number."""


def _length(found: re.Match[str]) -> Options:
    low, high = _BOUNDS[found["sign"]]
    number = int(found["number"])
    limits: Options = {}
    if low is not None:
        limits["min"] = number + low
    if high is not None:
        limits["max"] = number + high
    return {"characters": limits}


def _holds(found: re.Match[str]) -> Options:
    return {"contains": {"value": found["text"], "ignore_case": False}}


def _is(found: re.Match[str]) -> Options:
    return {"exact": {"value": found["text"], "strip": False}}


def _edge(found: re.Match[str]) -> Options:
    return {f"{found['edge'].lower()}s_with": {"value": found["text"], "strip": False}}


def _json(_: re.Match[str]) -> Options:
    return {"json": {"fence": False}}


_FORMS: Mapping[str, tuple[tuple[str, Callable[[re.Match[str]], Options]], ...]] = {
    "javascript": (
        (rf"(?P<no>!)?output\.includes\({_TEXT}\)", _holds),
        (rf"(?P<no>!)?output\.(?P<edge>start|end)sWith\({_TEXT}\)", _edge),
        (rf"output\s*(?:(?P<no>!)==?|===?)\s*{_TEXT}", _is),
        (rf"output(?:\.trim\(\))?\.length\s*{_LENGTH}", _length),
        (r"JSON\.parse\(output\)", _json),
    ),
    "python": (
        (rf"{_TEXT} (?P<no>not )?in output", _holds),
        (rf"(?P<no>not )?output\.(?P<edge>start|end)swith\({_TEXT}\)", _edge),
        (rf"output\s*(?:==|(?P<no>!)=)\s*{_TEXT}", _is),
        (rf"len\(output(?:\.strip\(\))?\)\s*{_LENGTH}", _length),
        (r"json\.loads\(output\)", _json),
    ),
}
LANGUAGES = frozenset(_FORMS)


def scorer_of(language: str, code: JsonValue) -> Options | None:
    """The scorer that says what the code says; None where it is a program.

    Args:
        language: `javascript` or `python`.
        code: the value of the assertion.
    """
    if not isinstance(code, str):
        return None
    # To promptfoo, Python on several lines is the body of a function.
    text = code.rstrip().removesuffix(";") if language == "javascript" else code
    for pattern, make in _FORMS[language]:
        if found := re.fullmatch(pattern, text):
            negate = bool(found.groupdict().get("no"))
            return {**make(found), **({"negate": True} if negate else {})}
    return None
