"""Demands on words: what the output contains, starts and ends with, or is one of."""

import re
from collections.abc import Mapping, Sequence

import regex

from gate.testgen.rules.sentences import (
    LITERAL,
    Check,
    Checks,
    Clause,
    is_ambiguous,
    listed_items,
    pattern_check,
    quoted_items,
    quoted_text,
    read_number,
    text_pattern,
    word_pattern,
)
from gate.values import JsonValue

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
"""Forbids the named texts only where all of them are there."""
_SIGNS = ("string", "symbol", "character", "text", "marker")


def phrase_checks(clause: Clause) -> Checks:
    """Contains the word …; does not contain the words …, as whole words in capitals or not."""
    said = _SOMEWHERE.sub("", clause.said)
    found = _QUOTED.fullmatch(said)
    noun = ((found["noun"] or "") if found is not None else "").lower()
    if found is not None:
        if clause.negated and _TOGETHER.match(clause.said):
            return ()
        items = quoted_items(clause, found["list"])
        if not noun and any(len(item) == 1 and item.isalpha() and item != "I" for item in items):
            # A letter within words, or a word of one letter?
            return ()
        return (_without(items, noun) if clause.negated else _with(items, found["list"], said, noun)) if items else ()
    if (single := _SINGLE.fullmatch(said)) is not None:
        words = (single["word"],)
        return _without(words, "word") if clause.negated else _with(words, "", said, "word")
    if clause.negated and (names := _NAMES.fullmatch(said)) is not None:
        named = [name for name in re.split(r",? (?:and|or) |, ", names["list"]) if name]
        return pattern_check("|".join(map(word_pattern, named)), f"without {', '.join(named)}", negate=True)
    plain = _PLAIN.fullmatch(clause.said)
    if plain is None or not clause.negated:
        return ()
    items = listed_items(clause, plain["list"], sure=not plain["colon"])
    return _without(items, "words") if items and all(" " not in item for item in items) else ()


def _without(items: tuple[str, ...], noun: str) -> Checks:
    """Words are looked for as words, signs anywhere; capitals count in a word that has no small letters."""
    told = f"without {', '.join(items)}"
    wordlike = all(any(map(str.isalnum, item)) for item in items)
    if not wordlike or noun.startswith(_SIGNS):
        return (Check("contains", told, {"none": [*items], "ignore_case": False}),)
    if any(map(is_ambiguous, items)):
        return ()
    names = tuple(item for item in items if item.isupper() and " " not in item)
    words = tuple(item for item in items if item not in names)
    found: Checks = ()
    if words:
        options: dict[str, JsonValue] = {"words": [*words], "inflections": False}
        found = (Check("forbidden_words", f"without {', '.join(words)}", options),)
    if names:
        found += pattern_check(
            "|".join(map(word_pattern, names)), f"without {', '.join(names)} in capitals", negate=True
        )
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
        return pattern_check("|".join(patterns), f"contains one of {', '.join(items)}")
    every = "".join(rf"(?=[\s\S]*?(?:{pattern}))" for pattern in patterns)
    return pattern_check(rf"\A{every}", f"contains {', '.join(items)}")


def _found(item: str, noun: str) -> str:
    """As whole words, and also in the plural where no noun is given; signs, headings and sections anywhere."""
    if noun.startswith((*_SIGNS, "heading", "section")):
        return text_pattern(item)
    return word_pattern(item, plural=not noun)


_EDGE = re.compile(
    r"(?P<edge>start|end) with (?:the (?:exact )?(?:(?:(?P<word>words?)|phrases?|strings?|texts?|characters?|prefix|"
    rf"suffix|marker|symbols?|lines?|sentence) )?)?(?:either )?(?P<list>{LITERAL}.*)",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"be (?:enclosed|wrapped|put|placed) (?:in|within) <([a-z]\w{0,19})> tags?", re.IGNORECASE)
_NAMED = re.compile(r"end with (?:a|an) ([a-z ]{4,20})", re.IGNORECASE)
_MARKS: Mapping[str, str] = {
    "question mark": "?",
    "period": ".",
    "full stop": ".",
    "exclamation mark": "!",
    "exclamation point": "!",
    "colon": ":",
    "semicolon": ";",
    "comma": ",",
}
_OPENS = r"\A[\s*_#>\"'“‘«(\[]*+"
"""Marks of Markdown and quotation marks may stand before the first letter."""
_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"start with (?:a|an) (?:capital|uppercase|upper-case|capitalized) letter",
     _OPENS + r"\p{Lu}", "a capital at the start"),
    (r"start with (?:a|an) (?:lowercase|lower-case) letter", _OPENS + r"\p{Ll}", "a small letter at the start"),
    (r"start with a digit", r"\A\s*+[0-9]", "a digit at the start"),
    (r"end with a digit", r"[0-9]\s*\Z", "a digit at the end"),
    (r"be (?:enclosed|wrapped|put|placed) in (?:double )?quot(?:es|ation marks)",
     r"\A\s*+[\"“][^\"“”]*+[\"”]\s*\Z", "quotation marks around it"),
    (r"end with a question(?: (?:to|for) (?:the|your) (?:users?|customers?|readers?|audience))?",
     r"[?？][^\p{L}\p{N}]*\Z", "a question at the end"),
    (r"end with (?:a punctuation mark|punctuation)", r"[.!?…:;,\"'”’»)\]。！？]\s*\Z", "a punctuation mark at the end"),
)  # fmt: skip
"""What the output may start or end with, in words that quote nothing."""
_COMPILED = tuple((re.compile(said, re.IGNORECASE), pattern, told) for said, pattern, told in _KINDS)
_WORD = re.compile(r"(?P<edge>start|end) with the word (?P<word>(?-i:[A-Z])\w{1,30})", re.IGNORECASE)


def edge_checks(clause: Clause) -> Checks:
    """Starts with "Dear", ends with a question mark; blanks around the output are ignored."""
    for said, pattern, told in _COMPILED:
        if said.fullmatch(clause.said):
            return pattern_check(pattern, told, negate=clause.negated)
    if (word := _WORD.fullmatch(clause.said)) is not None:
        return _edge(word["edge"].lower(), (word["word"],), negate=clause.negated, whole=True)
    if (tag := _TAGGED.fullmatch(clause.said)) is not None and not clause.negated:
        return pattern_check(
            rf"\A\s*+<{tag[1]}>(?:(?!</?{tag[1]}>)[\s\S])*+</{tag[1]}>\s*\Z", f"within <{tag[1]}> tags"
        )
    named = _NAMED.fullmatch(clause.said)
    if named is not None:
        mark = _MARKS.get(named[1].lower())
        return _edge("end", (mark,), negate=clause.negated) if mark else ()
    found = _EDGE.fullmatch(clause.said)
    items = quoted_items(clause, found["list"]) if found is not None and " and " not in found["list"] else ()
    if found is None or not items:
        return ()
    return _edge(found["edge"].lower(), items, negate=clause.negated, whole=clause.negated or bool(found["word"]))


def _edge(edge: str, items: tuple[str, ...], *, negate: bool, whole: bool = False) -> Checks:
    told = f"{f'does not {edge}' if negate else f'{edge}s'} with {' or '.join(items)}"
    if len(items) == 1 and not whole:
        options: dict[str, JsonValue] = {"value": items[0], "ignore_case": False, "strip": True}
        return (Check(f"{edge}s_with", told, options, negate),)
    words = "|".join(_whole(edge, item.strip()) if whole else re.escape(item.strip()) for item in items)
    pattern = rf"\A\s*+(?:{words})" if edge == "start" else rf"(?:{words})\s*\Z"
    return pattern_check(pattern, told, negate=negate)


def _whole(edge: str, item: str) -> str:
    """What is forbidden, and what is called a word, counts as whole words: `It` does not start with `I`."""
    if edge == "start":
        return re.escape(item) + (r"(?![\w'’])" if item[-1].isalnum() else "")
    return (r"(?<!\w)" if item[0].isalnum() else "") + re.escape(item)


_ONLY = r"(?:exactly |only |strictly |just |solely |simply )?"
_CHOICE_NOUN = (
    "categories|category|labels?|values?|options?|words?|letters?|class|classes|tags?|strings?|choices?|names?|answers?|"
    "outputs?|tokens?|terms?|codes?|numbers?|digits?"
)
_HEAD = (
    r"(?P<head>(?: (?:the|these|following|given|allowed|permitted|specified|predefined|possible|valid|available|fixed|"
    rf"two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}}(?= )|{_CHOICE_NOUN})\b)*+)"
)
"""Between `one of` and the list."""
_KIND = r"(?:(?: (?!(?:not|no|except|but|plus|without|or|and|if|other)\b)[a-z-]+)? (?!besides|unless)[a-z-]{3,}s)?"
"""The items, in any plural; only where a colon or a bracket shows where the list begins."""
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
        rf"be {_ONLY}(?:a|an|one) (?:{_CHOICE_NOUN}) (?:from|in|of) (?:this|the following) list(?P<colon>:) {_LIST}",
        rf"be {_ONLY}(?:a |an |one |a single )(?:{_CHOICE_NOUN})(?P<colon>:) {_LIST}",
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
"""Two labels without quotation marks in `either … or …`; other words may be a description."""
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


def choice_checks(clause: Clause) -> Checks:
    """One of a list, in capitals or not and with a full stop or none, unless the rule says `exactly`."""
    if clause.negated:
        return ()
    if (one := _EXACT.fullmatch(clause.alone)) is not None:
        text = quoted_text(clause, one[1])
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
        items = listed_items(clause, text, sure=not groups.get("colon"))
        many = {read_number(word) for word in _NUMBERS.findall(groups.get("head") or "")}
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
    """Does the spelling of the items count? It does where two of them differ in nothing else."""
    if groups.get("strict") or len({item.casefold() for item in items}) < len(items):
        return True
    if groups.get("case") or _INSENSITIVE.search(said):
        return False
    return _STRICT.search(said) is not None


def _one_of(items: Sequence[str], *, strict: bool) -> Checks:
    words = "|".join(map(regex.escape, items))
    told = f"one of {', '.join(items)}" if len(items) > 1 else f"“{items[0]}”"
    how = "spelled so" if strict else "in capitals or not"
    return pattern_check(rf"\A\s*+(?:{words}){'' if strict else '[.]?'}\s*\Z", f"{told}, {how}", ignore_case=not strict)
