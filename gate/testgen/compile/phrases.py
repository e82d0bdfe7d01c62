"""Words that the output holds, or must not hold."""

import re

from gate.domain.jsonvalue import JsonValue
from gate.testgen.compile.check import Check, Checks, searched
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.listed import listed, quoted
from gate.testgen.compile.text import LITERAL
from gate.testgen.compile.words import ambiguous, anywhere, word

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
    r"contain the word (?P<word>(?!count|limit|order|choice|list|length|above|below|given|twice|again|document|file|"
    r"processor|cloud)[a-z]{2,30})",
    re.IGNORECASE,
)
_NAMES = re.compile(r"contain the names (?P<list>.+)", re.IGNORECASE)
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
        if not noun and any(len(item) == 1 and item.isalpha() and item != "I" for item in items):
            # A letter within words, or a word of one letter?
            return ()
        return (_without(items, noun) if clause.negated else _with(items, found["list"], said, noun)) if items else ()
    if (single := _SINGLE.fullmatch(said)) is not None:
        words = (single["word"],)
        return _without(words, "word") if clause.negated else _with(words, "", said, "word")
    if clause.negated and (names := _NAMES.fullmatch(said)) is not None:
        named = [name for name in re.split(r",? (?:and|or) |, ", names["list"]) if name]
        return searched("|".join(map(word, named)), f"without {', '.join(named)}", negate=True)
    plain = _PLAIN.fullmatch(clause.said)
    if plain is None or not clause.negated:
        return ()
    items = listed(clause, plain["list"], sure=not plain["colon"])
    return _without(items, "words") if items and all(" " not in item for item in items) else ()


def _without(items: tuple[str, ...], noun: str) -> Checks:
    """Words are looked for as words, signs anywhere; capitals count in a word that has no small letters."""
    told = f"without {', '.join(items)}"
    wordlike = all(any(map(str.isalnum, item)) for item in items)
    if not wordlike or noun.startswith(_SIGNS):
        return (Check("contains", told, {"none": [*items], "ignore_case": False}),)
    if any(map(ambiguous, items)):
        return ()
    names = tuple(item for item in items if item.isupper() and " " not in item)
    words = tuple(item for item in items if item not in names)
    found: Checks = ()
    if words:
        options: dict[str, JsonValue] = {"words": [*words], "inflections": False}
        found = (Check("forbidden_words", f"without {', '.join(words)}", options),)
    if names:
        found += searched("|".join(map(word, names)), f"without {', '.join(names)} in capitals", negate=True)
    return found


def _with(items: tuple[str, ...], written: str, said: str, noun: str) -> Checks:
    """All of a list that is joined by `and`, any of one that is joined by `or`."""
    words = re.sub(LITERAL, "", written)
    one_at_least = said.startswith("contain at least one of ")
    some = one_at_least or " or " in words
    if not one_at_least and ((some and " and " in words) or " nor " in words):
        return ()
    if not some and len(items) > 1 and " and " not in words:
        return ()
    patterns = [_found(item, noun) for item in items]
    if some:
        return searched("|".join(patterns), f"contains one of {', '.join(items)}")
    every = "".join(rf"(?=[\s\S]*?(?:{pattern}))" for pattern in patterns)
    return searched(rf"\A{every}", f"contains {', '.join(items)}")


def _found(item: str, noun: str) -> str:
    """What is called a word is one; what is called nothing may be so many of it, and what is called a sign is part."""
    if noun.startswith((*_SIGNS, "heading", "section")):
        return anywhere(item)
    return word(item, plural=not noun)
