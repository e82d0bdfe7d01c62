"""Where rules stand in two versions of a prompt, and which sentences no rule rests on."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice, takewhile
from typing import Literal, TypeAlias

from gate.config.specification import Specification
from gate.testgen.prompt_under_test import PromptPiece, PromptSubject
from gate.testgen.specdiff.sentences import PromptSentence, SentenceKey, markup_at, sentences_of
from gate.testgen.specdiff.structure import plain_text
from gate.values import clipped

PromptWords: TypeAlias = str | PromptSubject
"""A prompt: as the stages read it, or the text of one without messages."""

RuleStanding: TypeAlias = Literal["stands", "touched", "gone", "unplaced"]
"""`stands`: the other version has the sentences of the rule, anywhere. `touched`: one of them differs, and
others are the same or the quoted words are still in a sentence that differs. `gone`: nothing of them is there.
`unplaced`: the rule quotes no words of its own version."""

_MOST = 50
"""Occurrences of one quotation that are looked at."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class ChangedRegion:
    """Neighbouring sentences that the other version does not have.

    Args:
        under: the headings and lead-ins above it, one a line; may be empty.
    """

    start: int
    end: int
    text: str
    under: str = ""


@dataclass(frozen=True, slots=True)
class VersionSide:
    """One version of a prompt, compared with the other.

    Args:
        common: keys of the sentences that both versions have.
        other: what differs in the other version.
    """

    text: str
    units: tuple[PromptSentence, ...]
    common: frozenset[SentenceKey]
    other: str
    pieces: tuple[PromptPiece, ...] = ()

    @property
    def differing(self) -> tuple[PromptSentence, ...]:
        """The sentences that the other version does not have."""
        return tuple(unit for unit in self.units if unit.key not in self.common)

    def standing(self, evidence: str) -> RuleStanding:
        """What became of the words of this version that a rule rests on."""
        places = quoted_spans(evidence, self.text)
        if not places:
            return "unplaced"
        in_both = [self._in_both(start, end) for start, end in places]
        if all(all(sentences) for sentences in in_both):
            return "stands"
        partly = any(any(sentences) for sentences in in_both)
        return "touched" if partly or _holds_words(self.other, plain_text(evidence)) else "gone"

    def enclosed(self, evidence: str) -> frozenset[tuple[str, ...]]:
        """The messages, comments, fences and conditions that some words of this version are in."""
        return frozenset(markup_at(self.text, self.pieces, start) for start, _ in quoted_spans(evidence, self.text))

    def around(self, evidence: str) -> Iterator[PromptSentence]:
        """The sentences that hold some words of this version, wherever these are."""
        for start, end in quoted_spans(evidence, self.text):
            yield from self._around(start, end)

    def _in_both(self, start: int, end: int) -> list[bool]:
        """For each sentence at a place, whether both versions have it; a place without words is in neither."""
        return [unit.key in self.common for unit in self._around(start, end)] or [False]

    def _around(self, start: int, end: int) -> Iterator[PromptSentence]:
        first = bisect_right(self.units, start, key=lambda unit: unit.end)
        return takewhile(lambda unit: unit.start < end, islice(self.units, first, None))


def prompt_text(words: PromptWords) -> str:
    """A prompt as one text."""
    return words if isinstance(words, str) else words.text


def is_same_prompt(base: PromptWords, head: PromptWords) -> bool:
    """Do two versions say the same, message by message?"""
    return (prompt_text(base), _pieces(base)) == (prompt_text(head), _pieces(head))


def version_sides(base: PromptWords, head: PromptWords) -> tuple[VersionSide, VersionSide]:
    """Two versions of a prompt, each compared with the other.

    A sentence is the same if its words, its headings and lead-ins, the role of its message and what encloses it are;
    its place in the prompt does not count.
    """
    left, right = sentences_of(prompt_text(base), _pieces(base)), sentences_of(prompt_text(head), _pieces(head))
    common = frozenset(unit.key for unit in left) & frozenset(unit.key for unit in right)
    gone, new = _words_of_one_version(left, common), _words_of_one_version(right, common)
    return VersionSide(prompt_text(base), left, common, new, _pieces(base)), VersionSide(
        prompt_text(head), right, common, gone, _pieces(head)
    )


class _Words:
    """A text with one blank between its words, and the original place of each word."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in _WORD.finditer(text)]
        self._starts = array("L", (start for start, _ in spans))
        self._joined = " ".join(text[start:end] for start, end in spans)
        lengths = (end - start + 1 for start, end in spans)
        self._offsets = array("L", accumulate(lengths, initial=0))

    def find(self, words: str) -> Iterator[tuple[int, int]]:
        """The places of some words, one after the other; each pass over the text takes linear time."""
        at = self._joined.find(words)
        while at >= 0:
            yield self._place(at), self._place(at + len(words) - 1) + 1
            at = self._joined.find(words, at + len(words))

    def _place(self, at: int) -> int:
        word = bisect_right(self._offsets, at) - 1
        return self._starts[word] + at - self._offsets[word]


@lru_cache(maxsize=4)
def _words_of(text: str) -> _Words:
    """Of a prompt; cached, since the words of many rules are looked for in it."""
    return _Words(text)


def quoted_spans(evidence: str, text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each occurrence of the evidence; line breaks and blanks may differ, all else is literal."""
    words = " ".join(evidence.split())
    return tuple(islice(_words_of(text).find(words), _MOST)) if words else ()


def changed_regions(side: VersionSide) -> tuple[ChangedRegion, ...]:
    """What one version has and the other has not, neighbouring sentences together."""
    out: list[ChangedRegion] = []
    row: list[PromptSentence] = []
    for unit in side.units:
        if unit.key in side.common or (row and row[-1].key[:-1] != unit.key[:-1]):
            out += _region(side.text, row)
            row = []
        if unit.key not in side.common:
            row.append(unit)
    return (*out, *_region(side.text, row))


def _region(text: str, row: Sequence[PromptSentence]) -> list[ChangedRegion]:
    if not row:
        return []
    start, end = row[0].start, row[-1].end
    return [ChangedRegion(start, end, text[start:end], row[0].under)]


def _pieces(words: PromptWords) -> tuple[PromptPiece, ...]:
    return () if isinstance(words, str) else words.pieces


def _words_of_one_version(units: Sequence[PromptSentence], common: frozenset[SentenceKey]) -> str:
    return "\n".join(unit.words for unit in units if unit.key not in common)


def _holds_words(text: str, words: str) -> bool:
    """As whole words, in languages that separate them."""
    before, after = (r"(?<!\w)" if _ascii(words[:1]) else ""), (r"(?!\w)" if _ascii(words[-1:]) else "")
    return bool(words) and re.search(before + re.escape(words) + after, text) is not None


def _ascii(char: str) -> bool:
    return char.isascii() and char.isalnum()


_SET = re.compile(r"\{%[-+]?\s*set\s+([\w.,\s]+?)\s*(?:=|\||[-+]?%\})", re.DOTALL)
_STATEMENT = re.compile(r"\{[%{].*?[%}]\}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")


def changed_names(side: VersionSide) -> frozenset[str]:
    """The names that one version sets in a way of its own."""
    statements = (statement for unit in side.differing for statement in _STATEMENT.findall(unit.words))
    sets = filter(None, map(_SET.match, statements))
    return frozenset(name for statement in sets for name in _NAME.findall(statement[1]))


def uses_names(side: VersionSide, evidence: str, names: frozenset[str]) -> bool:
    """Does a sentence that holds the evidence insert one of the names, or depend on it?"""
    if not names:
        return False
    texts = (unit.words + "\n" + "\n".join(unit.within) for unit in side.around(evidence))
    return any(names & set(_NAME.findall(statement)) for text in texts for statement in _template_parts(text))


def _template_parts(text: str) -> Iterator[str]:
    yield from _STATEMENT.findall(text)
    yield from text.split("\n")[1:]


UNREAD_CHARS = 160
"""Characters of a sentence that a note quotes."""


def unread_sentences(
    base: Specification, head: Specification, both: tuple[VersionSide, VersionSide]
) -> tuple[str, ...]:
    """One note for each changed sentence without a rule, the shortest first.

    A specification can be of another version than the prompt that it is compared with, and a model can overlook a
    demand: then no rule is dropped or new, and the change of the prompt would go unnoticed.
    """
    gone, new = (_sentences_without_rule(*version) for version in zip((base, head), both, strict=True))
    notes = [(unit, "A sentence was removed that belongs to no rule") for unit in gone]
    notes += [(unit, "A sentence was added that belongs to no rule") for unit in new]
    notes.sort(key=lambda note: len(note[0].words))
    return tuple(dict.fromkeys(f'{what}: "{clipped(unit.words, UNREAD_CHARS)}".' for unit, what in notes))


def _sentences_without_rule(specification: Specification, side: VersionSide) -> list[PromptSentence]:
    """Without headings and lead-ins of other sentences, which show with these."""
    with_rule = {unit.start for evidence in _evidence(specification) for unit in side.around(evidence)}
    scopes = {words for unit in side.differing for words in unit.under.split("\n")}
    return [unit for unit in side.differing if unit.start not in with_rule and unit.words not in scopes]


def _evidence(specification: Specification) -> Iterator[str]:
    yield from (rule.evidence for rule in specification.rules)
    yield from (rule.evidence for component in specification.components for rule in component.rules)
