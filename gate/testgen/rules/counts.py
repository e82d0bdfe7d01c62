"""Demands on how long the output is, and on how many lines, items, tags or marks it has."""

import re
from collections.abc import Mapping

from gate.testgen.rules.sentences import (
    LITERAL,
    Check,
    Checks,
    Clause,
    Quantity,
    pattern_check,
    quoted_text,
    read_number,
    read_quantity,
    text_pattern,
    word_pattern,
)
from gate.values import JsonValue

_UNIT = re.compile(
    r"(word|sentence|character)s?(?: long| in length| in total| only| of text| total)?"
    r"(?:,? (?:including|counting) (?:spaces|blanks|whitespace|punctuation|spaces and punctuation))?",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"(?:a|an|exactly a|just a|only a) (single|one|two|three|four|five|six|seven|eight|nine|ten)[- ]"
    r"(word|sentence|paragraph|line) (?:answer|output|response|reply|summary|explanation|description|message|text)",
    re.IGNORECASE,
)
"""Such as a one-word answer."""
_WITHIN = re.compile(r"(?:as|in|on|of|kept to)(?: length)? ", re.IGNORECASE)
_LENGTH = re.compile(r"an? (?:total )?length (?:of )?", re.IGNORECASE)
SURE_LENGTH = 5
"""Words that `in five words` asks for exactly; with greater numbers it often means about so many."""


def length_checks(clause: Clause) -> Checks:
    """At most 80 words, a single sentence, between 10 and 20 characters."""
    found = demanded_length(clause)
    unit = _UNIT.fullmatch(found.of) if found is not None else None
    return _check(found, unit[1].lower()) if found is not None and unit is not None else ()


def demanded_length(clause: Clause) -> Quantity | None:
    """The quantity that an output is or contains; a forbidden one is inverted.

    That it contains three of something says nothing about a fourth, so such a number is no quantity.
    """
    verb, _, rest = clause.said.partition(" ")
    if verb not in ("be", "contain"):
        return None
    if verb == "be" and (compound := _COMPOUND.fullmatch(rest)) is not None:
        many = 1 if compound[1].lower() == "single" else read_number(compound[1])
        return None if clause.negated or many is None else Quantity(many, many, compound[2])
    within = _WITHIN.match(rest)
    found = read_quantity(_LENGTH.sub("", rest[within.end() :] if within else rest, count=1))
    if within and found is not None and found.bare and (found.high or 0) > SURE_LENGTH:
        return None
    if found is None or (found.bare and (verb == "contain" or clause.negated)):
        return None
    return found.opposite() if clause.negated else found


def _check(found: Quantity, unit: str) -> Checks:
    bounds = {"min": found.low, "max": found.high}
    options: dict[str, JsonValue] = {key: value for key, value in bounds.items() if value is not None}
    return (Check(f"{unit}s", found.told(unit), options),)


_INDENT = r"^[^\S\n]*+"
_BULLET, _NUMBERED = r"[-*+•‣–]", r"\d{1,4}[.)]"
MARKS: Mapping[str, str] = {
    "question mark": r"\?",
    "exclamation mark": "!",
    "exclamation point": "!",
    "comma": ",",
    "asterisk": r"\*",
    "ampersand": "&",
    "underscore": "_",
    "em dash": "—",
    "en dash": "–",
    "hyphen": "-",
    "dash": r"[–—―]|--|(?<=\S )-(?=\s)",
    "apostrophe": "['’]",
    "quotation mark": '["“”„«»]',
    "ellipsis": r"…|\.\.\.",
    "parenthesis": "[()]",
    "square bracket": r"[\[\]]",
    "percent sign": "%",
    "dollar sign": r"\$",
    "digit": "[0-9]",
    "semicolon": ";",
    "colon": ":",
    "hashtag": r"#\w++",
    "bullet": rf"{_INDENT}{_BULLET}[^\S\n]++\S",
    "bullet point": rf"{_INDENT}{_BULLET}[^\S\n]++\S",
    "bulleted item": rf"{_INDENT}{_BULLET}[^\S\n]++\S",
    "numbered item": rf"{_INDENT}{_NUMBERED}[^\S\n]++\S",
    "numbered point": rf"{_INDENT}{_NUMBERED}[^\S\n]++\S",
    "list item": rf"{_INDENT}(?:{_BULLET}|{_NUMBERED})[^\S\n]++\S",
}
"""What is counted anywhere in the output, in the singular."""
ITEM_MARKS = frozenset(name for name in MARKS if name.startswith(("bullet", "number", "list")))
"""Marks that an output may be made of."""
_PLURALS: Mapping[str, str] = {
    "em dashes": "em dash",
    "en dashes": "en dash",
    "dashes": "dash",
    "parentheses": "parenthesis",
    "ellipses": "ellipsis",
}
_WITHOUT = re.compile(r"contain (?:any |an? |the )?([a-z ]{4,20})", re.IGNORECASE)
_WITH = re.compile(r"contain an? ([a-z ]{4,20})", re.IGNORECASE)

_SOME = re.compile(r"(?:contain|be in) (bullet points|bullets)", re.IGNORECASE)


def mark_checks(clause: Clause) -> Checks:
    """A question mark somewhere; no exclamation marks."""
    found = (_WITHOUT if clause.negated else _WITH).fullmatch(clause.said)
    name = singular(found[1].lower()) if found is not None else ""
    if not clause.negated and (some := _SOME.fullmatch(clause.said)) is not None:
        name = singular(some[1].lower())
    told = f"no {name}" if clause.negated else f"a {name}"
    return pattern_check(MARKS[name], told, negate=clause.negated) if name in MARKS else ()


def singular(name: str) -> str:
    """A mark, singular or plural in small letters, as `MARKS` names it."""
    return name if name in MARKS else _PLURALS.get(name, name.removesuffix("s"))


MOST_THINGS = 1_000
"""The greatest count that becomes a pattern."""
TAG = r"<([a-z][a-z0-9]{0,19})> (?:tag|element|paragraph)s?"

_BLOCKS: Mapping[str, str] = {
    "line": r"\S[^\n]*+\s*+",
    "paragraph": r"\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+\s*+",
}
"""What the whole output is made of. Empty lines do not count, and end a paragraph."""
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


def count_checks(clause: Clause) -> Checks:
    """At least three bullet points, a single paragraph, exactly one `<h1>` tag."""
    if _NO_BREAKS.fullmatch(clause.said):
        return (
            pattern_check(_made_of(_BLOCKS["line"], Quantity(None, 1, "")), "no line breaks") if clause.negated else ()
        )
    found = demanded_length(clause)
    if found is None or max(found.low or 0, found.high or 0) > MOST_THINGS:
        return ()
    thing = _THING.fullmatch(found.of)
    name = thing[1].lower() if thing is not None else ""
    if (block := name.removesuffix("s")) in _BLOCKS:
        return pattern_check(_made_of(_BLOCKS[block], found), found.told(block))
    mark = singular(name)
    if clause.said.startswith("be ") and mark not in ITEM_MARKS:
        return ()
    if mark in MARKS:
        return pattern_check(holding_pattern(MARKS[mark], found), found.told(mark))
    if (tag := _TAGS.fullmatch(found.of)) is not None:
        return pattern_check(
            holding_pattern(opening_tag(tag[1]), found), found.told(f"<{tag[1]}> tag"), ignore_case=True
        )
    if (text := _OCCURRENCES.fullmatch(found.of)) is not None:
        wanted, noun = quoted_text(clause, text["text"]), (text["noun"] or "").lower()
        if not noun and len(wanted) == 1 and wanted.isalpha():
            return ()
        sought = text_pattern(wanted) if noun not in ("", "word") else word_pattern(wanted)
        return pattern_check(holding_pattern(f"(?:{sought})", found), f"“{wanted}” {found.told('time')}")
    return ()


def each_checks(clause: Clause) -> Checks:
    """Each `<p>` tag contains exactly one `<strong>` tag."""
    parts = _EACH.fullmatch(clause.said)
    if parts is None or clause.negated:
        return ()
    outer = parts[1]
    checks: Checks = ()
    for found, inner in _inside(parts[2]):
        told = f"{found.told(f'<{inner}> tag')} in each <{outer}>"
        made = pattern_check(_within_each(outer, inner, found), told, ignore_case=True)
        if not made or inner.lower() == outer.lower():
            return ()
        checks += made
    return checks


def _inside(said: str) -> list[tuple[Quantity, str]]:
    """The tags that each element holds and how many, joined by `and`; empty if any part says something else."""
    for place in (None, *(match.start() for match in re.finditer(" and ", said))):
        found = read_quantity(said[:place])
        tag = _TAGS.fullmatch(found.of) if found is not None else None
        if found is None or tag is None or found.bare or max(found.low or 0, found.high or 0) > MOST_THINGS:
            continue
        rest = _inside(said[place + len(" and ") :]) if place is not None else []
        return [(found, tag[1]), *rest] if rest or place is None else []
    return []


def opening_tag(tag: str) -> str:
    """The opening tag of an element, with or without attributes; one that prose quotes in backticks does not count."""
    return rf"(?<!`)<{tag}(?=[\s/>])[^<>]*+>(?!`)"


def _times(found: Quantity) -> str:
    return f"{{{found.low or 0},{'' if found.high is None else found.high}}}+"


def _made_of(block: str, found: Quantity) -> str:
    return rf"\A\s*+(?:{block}){_times(found)}\Z"


def holding_pattern(thing: str, found: Quantity) -> str:
    """A pattern for so many of a thing (a pattern), one after the other; it does not backtrack into what it found."""
    one = rf"(?>[\s\S]*?{thing})"
    if found.high is None:
        return rf"\A{one}{{{found.low}}}"
    return rf"\A{one}{_times(found)}(?![\s\S]*?{thing})"


def _within_each(outer: str, inner: str, found: Quantity) -> str:
    """Every element up to its end, or to where the next one begins; an output without any keeps the rule."""
    begin, end = opening_tag(outer), rf"</{outer}\s*>|{opening_tag(outer)}"
    other = rf"(?:(?!{end}|{opening_tag(inner)})[\s\S])*+"
    between = rf"(?:(?!{begin})[\s\S])*+"
    return rf"\A{between}(?:{begin}{other}(?:{opening_tag(inner)}{other}){_times(found)}(?={end}|\Z){between})*+\Z"


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
_SOME_ITEMS = Quantity(1, None, "")


def list_checks(clause: Clause) -> Checks:
    """A bulleted list, a numbered list of five items, a comma-separated list; and no text around it."""
    if clause.negated:
        return ()
    for said, name, mark in _MARKED:
        if (found := said.fullmatch(clause.said)) is not None and (many := _many(found["size"])) is not None:
            other = pattern_check(rf"^(?!{mark}[^\S\n])\S", f"no line but those of {name}s", negate=True)
            return other + pattern_check(holding_pattern(MARKS[name], many), many.told(name))
    found = _SEPARATED.fullmatch(clause.said)
    many = _many(found["size"]) if found is not None else None
    return _separated(found[1].lower(), many) if found is not None and many is not None else ()


def _separated(name: str, many: Quantity) -> Checks:
    """One line without empty items; where one item is enough, it is one word or one name."""
    mark, least = _SEPARATORS[name], max((many.low or 0) - 1, 0)
    part = rf"[^\n{mark}]*?[^\s{mark}][^\n{mark}]*+"
    no_lead = r"(?![-*+•][^\S\n])(?!\w++(?:[^\S\n]++\w++)++:)"
    alone = r"[^\s;|,]++(?=\s*+\Z)|\p{Lu}[^\s;|,]*+(?:[^\S\n]\p{Lu}[^\s;|,]*+)++(?=\s*+\Z)"
    enough = "" if least else rf"(?=[^\n]*?{mark}|{alone})"
    times = f"{{{least},{'' if many.high is None else max(many.high - 1, 0)}}}+"
    pattern = rf"\A\s*+{no_lead}{enough}{part}(?:{mark}{part}){times}\s*\Z"
    return pattern_check(
        pattern, f"a list with {name}s" if many == _SOME_ITEMS else f"{many.told('item')} with {name}s"
    )


def _many(size: str | None) -> Quantity | None:
    """How many items; at least one where no number is given."""
    if size is None:
        return _SOME_ITEMS
    found = read_quantity(f"{size}items")
    return None if found is None or max(found.low or 0, found.high or 0) > _MOST else found
