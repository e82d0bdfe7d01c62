"""Words that the output holds, or must not hold."""

import re

from gate.testgen.compile.check import Check, Checks
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.listed import listed, quoted
from gate.testgen.compile.text import LITERAL

_NOUN = (
    r"(?P<noun>words?|terms?|phrases?|strings?|texts?|symbols?|characters?|expressions?|headings?|sections?|markers?|"
    r"names?)"
)
_QUOTED = re.compile(
    rf"contain (?:any of |all of |at least one of |either of |both )?"
    rf"(?:the |these )?(?:following )?(?:exact |literal )?(?:{_NOUN}:? )?"
    rf"(?P<list>(?:both |either |neither )?{LITERAL}.*)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"contain (?:any of )?(?:the |these )(?:following )?words(?P<colon>:)? (?P<list>[^:]+)", re.IGNORECASE
)
_SINGLE = re.compile(
    r"contain the word (?P<word>(?!count|limit|order|choice|list|length|above|below|given|twice|again)[a-z]{2,30})",
    re.IGNORECASE,
)
_SOMEWHERE = re.compile(r" (?:at least once|somewhere|anywhere)$", re.IGNORECASE)
_TOGETHER = re.compile(r"contain (?:both |all of |at least one of )|.* both ", re.IGNORECASE)
"""Forbids what is named only where all of it is there."""
_SIGNS = ("string", "symbol", "character", "text", "marker")


def phrases(clause: Clause) -> Checks:
    """Contains the word …; does not contain the words …, as whole words in capitals or not."""
    said = _SOMEWHERE.sub("", clause.said)
    found = _QUOTED.fullmatch(said)
    noun = ((found["noun"] or "") if found is not None else "").lower()
    if found is not None:
        if clause.negated and _TOGETHER.match(clause.said):
            return ()
        items = quoted(clause, found["list"])
        return (_without(items, noun) if clause.negated else _with(items, found["list"], said)) if items else ()
    if (single := _SINGLE.fullmatch(said)) is not None:
        words = (single["word"],)
        return _without(words, "word") if clause.negated else _with(words, "", said)
    plain = _PLAIN.fullmatch(clause.said)
    if plain is None or not clause.negated:
        return ()
    items = listed(clause, plain["list"], sure=not plain["colon"])
    return _without(items, "words") if items and all(" " not in item for item in items) else ()


def _without(items: tuple[str, ...], noun: str) -> Checks:
    """Words are looked for as words, signs anywhere."""
    told = f"without {', '.join(items)}"
    wordlike = all(any(map(str.isalnum, item)) for item in items)
    if wordlike and not noun.startswith(_SIGNS):
        return (Check("forbidden_words", told, {"words": [*items], "inflections": False}),)
    return (Check("contains", told, {"none": [*items], "ignore_case": False}),)


def _with(items: tuple[str, ...], written: str, said: str) -> Checks:
    """All of a list that is joined by `and`, any of one that is joined by `or`."""
    words = re.sub(LITERAL, "", written)
    if said.startswith("contain at least one of "):
        return (Check("contains", f"contains one of {', '.join(items)}", {"any": [*items], "ignore_case": False}),)
    key = "any" if " or " in words else "all"
    if (key == "any" and " and " in words) or " nor " in words:
        return ()
    if key == "all" and len(items) > 1 and " and " not in words:
        return ()
    return (
        Check(
            "contains",
            f"contains {'one of ' if key == 'any' else ''}{', '.join(items)}",
            {key: [*items], "ignore_case": False},
        ),
    )
