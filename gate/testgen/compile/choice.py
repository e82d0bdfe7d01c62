"""The whole output is one of a few words, or one text."""

from collections.abc import Sequence

import regex

from gate.domain.jsonvalue import JsonValue
from gate.testgen.compile.check import Check, Checks, searched
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.listed import listed, literal
from gate.testgen.compile.numbers import number
from gate.testgen.compile.text import LITERAL

_ONLY = r"(?:exactly |only |strictly |just |solely |simply )?"
_NOUN = (
    "categories|category|labels?|values?|options?|words?|letters?|class|classes|tags?|strings?|choices?|names?|answers?|"
    "outputs?|tokens?|terms?|codes?|numbers?|digits?"
)
_HEAD = (
    r"(?P<head>(?: (?:the|these|following|given|allowed|permitted|specified|predefined|possible|valid|available|fixed|"
    rf"two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}}(?= )|{_NOUN})\b)*+)"
)
"""Between `one of` and the list."""
_KIND = r"(?:(?: (?!(?:not|no|except|but|plus|without|or|and|if|other)\b)[a-z-]+)? (?!besides|unless)[a-z-]{3,}s)?"
"""What the items are, in a plural that nobody listed; only where a colon or a bracket shows where the list begins."""
_NOTHING_ELSE = r"(?:,? and nothing else,?| exactly)?"
_CASE = (
    r"(?:,? ?\(?(?P<case>case[- ]insensitive|in any case|regardless of (?:its )?case|ignoring (?:the )?case|"
    r"(?P<strict>case[- ]sensitive))\)?)?"
)
_TAIL = r"(?:,? (?:and|with) nothing else|,? only|,? exactly)?"
_LIST = rf"(?P<list>.+?){_CASE}{_TAIL}"
_PATTERNS = tuple(
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        rf"be {_ONLY}one of{_HEAD}{_KIND}{_NOTHING_ELSE}(?: \(case[- ]insensitive\))?(?P<colon>:) {_LIST}",
        rf"be {_ONLY}one of{_HEAD}{_KIND} (?P<colon>\()(?P<list>.+?)\){_TAIL}",
        rf"be {_ONLY}one of{_HEAD} {_LIST}",
        rf"be {_ONLY}(?:a|an|one) (?:{_NOUN}) (?:from|in|of) (?:this|the following) list(?P<colon>:) {_LIST}",
        rf"be {_ONLY}(?:a |an |one |a single )(?:{_NOUN})(?P<colon>:) {_LIST}",
        rf"be {_ONLY}(?P<either>(?:either )?(?P<list>.+?)){_CASE}{_TAIL}",
    )
)
_NUMBERS = regex.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b", regex.IGNORECASE)
_INSENSITIVE = regex.compile(r"\(case[- ]insensitive\)|case[- ]insensitive", regex.IGNORECASE)
_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in "yes/no true/false pass/fail positive/negative high/low spam/ham safe/unsafe relevant/irrelevant "
    "correct/incorrect valid/invalid approve/reject accept/reject approved/rejected accepted/rejected real/fake "
    "entailment/contradiction agree/disagree urgent/routine".split()
)
"""Of what `either … or …` names without quotation marks, two that are labels; other words may be a description."""
_CODE = regex.compile(r"[A-Z]|\d{1,3}")
"""A letter or a number is meant as it is written; a word in capitals may name a format."""
_STRICT = regex.compile(
    r"\bexactly(?! one\b| the following| a\b)|\bexact\b|\bverbatim\b|\bspell(?:ed|ing)\b|\bas written\b",
    regex.IGNORECASE,
)
"""Words after which capitals and a full stop count."""
_EXACT = regex.compile(
    rf"be {_ONLY}(?:the )?(?:(?:exact|single|literal) )?(?:word|string|text|phrase|value|token|letter|label)? ?"
    rf"({LITERAL}){_TAIL}",
    regex.IGNORECASE,
)


def choice(clause: Clause) -> Checks:
    """One of a list, in capitals or not and with a full stop or none, unless the rule says `exactly`."""
    if clause.negated:
        return ()
    if (one := _EXACT.fullmatch(clause.alone)) is not None:
        text = literal(clause, one[1])
        if not _STRICT.search(clause.said):
            return _one_of((text,), strict=False)
        options: dict[str, JsonValue] = {"value": text, "ignore_case": False, "strip": True}
        return (Check("exact", f"exactly “{text}”", options),)
    for pattern in _PATTERNS:
        found = pattern.fullmatch(clause.alone)
        if found is None:
            continue
        groups = found.groupdict()
        either = groups.get("either")
        text = regex.sub(r"^either ", "", groups["list"], flags=regex.IGNORECASE)
        items = listed(clause, text, sure=not groups.get("colon"))
        many = {number(word) for word in _NUMBERS.findall(groups.get("head") or "")}
        if either is not None and not _either(either, items):
            continue
        if len(items) >= 2 and many <= {len(items)}:
            return _one_of(items, strict=_strict(clause.said, groups, items))
    return ()


def _either(said: str, items: Sequence[str]) -> bool:
    """Quoted, or words that are labels."""
    if " and " in said:
        return False
    if "§" in said:
        return True
    words = {item.lower() for item in items}
    if any(pair <= words for pair in _OPPOSITES) and all(" " not in item for item in items):
        return True
    return bool(items) and all(map(_CODE.fullmatch, items))


def _strict(said: str, groups: dict[str, str | None], items: Sequence[str]) -> bool:
    """Does it count how they are spelled? Where two differ in nothing else, it does."""
    if groups.get("strict") or len({item.casefold() for item in items}) < len(items):
        return True
    if groups.get("case") or _INSENSITIVE.search(said):
        return False
    return _STRICT.search(said) is not None


def _one_of(items: Sequence[str], *, strict: bool) -> Checks:
    words = "|".join(map(regex.escape, items))
    told = f"one of {', '.join(items)}" if len(items) > 1 else f"“{items[0]}”"
    how = "spelled so" if strict else "in capitals or not"
    return searched(rf"\A\s*+(?:{words}){'' if strict else '[.]?'}\s*\Z", f"{told}, {how}", ignore_case=not strict)
