"""Splits a prompt into sentences, each with what it hangs on: headings, lead-ins, tags, and what may cancel it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from gate.testgen.prompt_under_test import PromptPiece
from gate.testgen.specdiff.markup import MarkupContext, markup_of
from gate.testgen.specdiff.structure import TextBlock, plain_text, sentence_spans, text_blocks

SentenceKey: TypeAlias = tuple[tuple[str, ...], str, str, str]
_LIVE = re.compile(r"\{[{%#]")


@dataclass(frozen=True, slots=True)
class PromptSentence:
    """One sentence, or one item of a list, of a prompt.

    Args:
        under: its headings and lead-ins in the same form; may be empty. What a list item demands depends on them:
            "Never:" or "Always:".
        within: the role of its message, and what may cancel it there: a statement of a template, a comment, a fence,
            words that are crossed out.
    """

    start: int
    end: int
    words: str
    under: str
    tags: str = ""
    within: tuple[str, ...] = ()

    @property
    def key(self) -> SentenceKey:
        """Two sentences with the same key say the same."""
        return self.within, self.tags, self.under, self.words


@lru_cache(maxsize=8)
def sentences_of(text: str, pieces: tuple[PromptPiece, ...] = ()) -> tuple[PromptSentence, ...]:
    """The sentences of a prompt in order; white space belongs to none."""
    return tuple(
        sentence
        for piece, context in _contexts(text, pieces)
        for block in text_blocks(text[piece.start : piece.end])
        for sentence in _block_sentences(text, piece, context, block)
    )


def _block_sentences(
    text: str, piece: PromptPiece, context: MarkupContext, block: TextBlock
) -> Iterator[PromptSentence]:
    own = text[piece.start : piece.end]
    for start, end in sentence_spans(own, block.start, block.end):
        part = own[start:end]
        if words := plain_text(part):
            start += len(part) - len(part.lstrip())
            role, template, *around = _within(piece, context, start)
            template = template or ("template" if piece.template and _LIVE.search(words) else "")
            place = piece.start + start
            yield PromptSentence(
                place,
                place + len(part.strip()),
                words,
                block.under,
                context.tags_at(start),
                (role, template, *around),
            )


def _within(piece: PromptPiece, context: MarkupContext, place: int) -> tuple[str, ...]:
    around = context.at(place)
    return piece.role, "template" if piece.template and any(around) else "", *around


def markup_at(text: str, pieces: tuple[PromptPiece, ...], place: int) -> tuple[str, ...]:
    """The role of the message around a place (in characters), and what may cancel it; see `PromptSentence.within`."""
    for piece, context in _contexts(text, pieces):
        if piece.start <= place < piece.end:
            return _within(piece, context, place - piece.start)
    return ()


@lru_cache(maxsize=8)
def _contexts(text: str, pieces: tuple[PromptPiece, ...]) -> tuple[tuple[PromptPiece, MarkupContext], ...]:
    whole = pieces or (PromptPiece(0, len(text)),)
    return tuple((piece, markup_of(text[piece.start : piece.end])) for piece in whole)
