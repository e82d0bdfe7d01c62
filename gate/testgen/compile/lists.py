"""The whole output is a list: with bullets, with numbers, or with commas."""

import re
from collections.abc import Mapping

from gate.testgen.compile.check import Checks, searched
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.marks import MARKS
from gate.testgen.compile.numbers import Quantity, quantity
from gate.testgen.compile.things import holding

_ITEM = r"(?:items?|entries|entry|elements?|values?|points?|bullets?|bullet points?)"
_SIZE = rf"(?: (?:of|with|containing) (?P<size>(?:\S+ ){{1,5}}?){_ITEM})?"
_BE = r"be (?:only |just )?(?:formatted )?(?:(?:in|as) )?(?:an? |one )?(?:single )?"
_MARKED: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(rf"{_BE}(?:bulleted|bullet(?:[- ]point)?|unordered) list{_SIZE}", re.IGNORECASE), "bullet", "[-*+•‣–]"),
    (re.compile(rf"{_BE}(?:numbered|ordered) list{_SIZE}", re.IGNORECASE), "numbered item", r"\d{1,4}[.)]"),
)
_SEPARATED = re.compile(rf"{_BE}(comma|semicolon)[- ]separated list{_SIZE}", re.IGNORECASE)
_SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";"}
_MOST = 100
"""Items of a list that a rule may ask for."""
_SOME = Quantity(1, None, "")


def whole_list(clause: Clause) -> Checks:
    """A bulleted list, a numbered list of five items, a comma-separated list; and no text around it."""
    if clause.negated:
        return ()
    for said, name, mark in _MARKED:
        if (found := said.fullmatch(clause.said)) is not None and (many := _many(found["size"])) is not None:
            other = searched(rf"^(?!{mark}[^\S\n])\S", f"no line but those of {name}s", negate=True)
            return other + searched(holding(MARKS[name], many), many.told(name))
    found = _SEPARATED.fullmatch(clause.said)
    many = _many(found["size"]) if found is not None else None
    return _separated(found[1].lower(), many) if found is not None and many is not None else ()


def _separated(name: str, many: Quantity) -> Checks:
    """One line without empty items. Where it may do without a comma, it is one word or one name then."""
    mark, least = _SEPARATORS[name], max((many.low or 0) - 1, 0)
    part = rf"[^\n{mark}]*?[^\s{mark}][^\n{mark}]*+"
    no_lead = r"(?![-*+•][^\S\n])(?!\w++(?:[^\S\n]++\w++)++:)"
    alone = r"[^\s;|,]++(?=\s*+\Z)|\p{Lu}[^\s;|,]*+(?:[^\S\n]\p{Lu}[^\s;|,]*+)++(?=\s*+\Z)"
    enough = "" if least else rf"(?=[^\n]*?{mark}|{alone})"
    times = f"{{{least},{'' if many.high is None else max(many.high - 1, 0)}}}+"
    pattern = rf"\A\s*+{no_lead}{enough}{part}(?:{mark}{part}){times}\s*\Z"
    return searched(pattern, f"a list with {name}s" if many == _SOME else f"{many.told('item')} with {name}s")


def _many(size: str | None) -> Quantity | None:
    """How many items; at least one where nothing is said."""
    if size is None:
        return _SOME
    found = quantity(f"{size}items")
    return None if found is None or max(found.low or 0, found.high or 0) > _MOST else found
