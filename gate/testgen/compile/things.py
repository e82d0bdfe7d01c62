"""How many of something the output holds: paragraphs, lines, items of a list, tags, marks."""

import re
from collections.abc import Mapping

from gate.testgen.compile.check import Checks, searched
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.lengths import counted
from gate.testgen.compile.listed import literal
from gate.testgen.compile.marks import ITEMS, MARKS, singular
from gate.testgen.compile.numbers import Quantity, quantity
from gate.testgen.compile.text import LITERAL
from gate.testgen.compile.words import anywhere, word

MOST = 1_000
"""The greatest count that becomes a pattern."""
TAG = r"<([a-z][a-z0-9]{0,19})> (?:tag|element|paragraph)s?"

_BLOCKS: Mapping[str, str] = {
    "line": r"\S[^\n]*+\s*+",
    "paragraph": r"\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+\s*+",
}
"""What the whole output is made of. Empty lines are none, and end a paragraph."""
_THING = re.compile(r"(.+?)(?: long| in length| in total| only| of text)?", re.IGNORECASE)
_TAGS = re.compile(TAG, re.IGNORECASE)
_OCCURRENCES = re.compile(
    rf"(?:(?:occurrence|instance)s? of )?(?:the (?P<noun>word|string|character|symbol) )?(?P<text>{LITERAL})s?",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"each <([a-z][a-z0-9]{0,19})> (?:tag|element) (?:contains?|includes?|ha(?:ve|s)) (.+)", re.IGNORECASE
)
_NO_BREAKS = re.compile(r"contain (?:any )?(?:line breaks?|newlines?|new lines|newline characters)", re.IGNORECASE)


def count(clause: Clause) -> Checks:
    """At least three bullet points, a single paragraph, exactly one `<h1>` tag."""
    if _NO_BREAKS.fullmatch(clause.said):
        return searched(_made_of(_BLOCKS["line"], Quantity(None, 1, "")), "no line breaks") if clause.negated else ()
    found = counted(clause)
    if found is None or max(found.low or 0, found.high or 0) > MOST:
        return ()
    thing = _THING.fullmatch(found.of)
    name = thing[1].lower() if thing is not None else ""
    if (block := name.removesuffix("s")) in _BLOCKS:
        return searched(_made_of(_BLOCKS[block], found), found.told(block))
    mark = singular(name)
    if clause.said.startswith("be ") and mark not in ITEMS:
        return ()
    if mark in MARKS:
        return searched(holding(MARKS[mark], found), found.told(mark))
    if (tag := _TAGS.fullmatch(found.of)) is not None:
        return searched(holding(opening(tag[1]), found), found.told(f"<{tag[1]}> tag"), ignore_case=True)
    if (text := _OCCURRENCES.fullmatch(found.of)) is not None:
        wanted, noun = literal(clause, text["text"]), (text["noun"] or "").lower()
        if not noun and len(wanted) == 1 and wanted.isalpha():
            return ()
        sought = anywhere(wanted) if noun not in ("", "word") else word(wanted)
        return searched(holding(f"(?:{sought})", found), f"“{wanted}” {found.told('time')}")
    return ()


def each(clause: Clause) -> Checks:
    """Each `<p>` tag contains exactly one `<strong>` tag."""
    parts = _EACH.fullmatch(clause.said)
    if parts is None or clause.negated:
        return ()
    outer = parts[1]
    checks: Checks = ()
    for found, inner in _inside(parts[2]):
        told = f"{found.told(f'<{inner}> tag')} in each <{outer}>"
        made = searched(_within_each(outer, inner, found), told, ignore_case=True)
        if not made or inner.lower() == outer.lower():
            return ()
        checks += made
    return checks


def _inside(said: str) -> list[tuple[Quantity, str]]:
    """The tags that each element holds and how many, joined by `and`; empty where some part says anything else."""
    for place in (None, *(match.start() for match in re.finditer(" and ", said))):
        found = quantity(said[:place])
        tag = _TAGS.fullmatch(found.of) if found is not None else None
        if found is None or tag is None or found.bare or max(found.low or 0, found.high or 0) > MOST:
            continue
        rest = _inside(said[place + len(" and ") :]) if place is not None else []
        return [(found, tag[1]), *rest] if rest or place is None else []
    return []


def opening(tag: str) -> str:
    """The opening tag of an element, with attributes or without; one that prose quotes in backticks is none."""
    return rf"(?<!`)<{tag}(?=[\s/>])[^<>]*+>(?!`)"


def _times(found: Quantity) -> str:
    return f"{{{found.low or 0},{'' if found.high is None else found.high}}}+"


def _made_of(block: str, found: Quantity) -> str:
    return rf"\A\s*+(?:{block}){_times(found)}\Z"


def holding(thing: str, found: Quantity) -> str:
    """A pattern for so many, found one after the other; none of what was found is looked at again.

    Args:
        thing: its pattern.
        found: how many.
    """
    one = rf"(?>[\s\S]*?{thing})"
    if found.high is None:
        return rf"\A{one}{{{found.low}}}"
    return rf"\A{one}{_times(found)}(?![\s\S]*?{thing})"


def _within_each(outer: str, inner: str, found: Quantity) -> str:
    """Every element up to its end, or to where the next one begins; an output without any keeps the rule."""
    begin, end = opening(outer), rf"</{outer}\s*>|{opening(outer)}"
    other = rf"(?:(?!{end}|{opening(inner)})[\s\S])*+"
    between = rf"(?:(?!{begin})[\s\S])*+"
    return rf"\A{between}(?:{begin}{other}(?:{opening(inner)}{other}){_times(found)}(?={end}|\Z){between})*+\Z"
