"""Where the words of a rule stand in a prompt."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from gate.testgen.specdiff.places import quoted_spans

MOST = 50
TEXTS = st.text("ab .\n\t\u2003\x1c", max_size=60) | st.text(max_size=40)


def by_pattern(evidence: str, text: str) -> tuple[tuple[int, int], ...]:
    """The same by a search for a pattern, which is slow where words repeat."""
    words = evidence.split()
    if not words:
        return ()
    return tuple(found.span() for found in re.finditer(r"\s+".join(map(re.escape, words)), text))[:MOST]


@given(TEXTS, TEXTS)
@example("a a", "a a a a a")
@example("a", "a" * 200)
@example("", "a")
@example("a\nb", "  a \t b ")
def test_words_stand_where_a_pattern_finds_them(evidence: str, text: str) -> None:
    assert quoted_spans(evidence, text) == by_pattern(evidence, text)


@given(TEXTS, st.data())
def test_every_passage_of_whole_words_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    passage = text[start : data.draw(st.integers(start, len(text)))]
    assert bool(quoted_spans(passage, text)) == bool(passage.split())


def test_a_long_quotation_from_a_text_that_repeats_itself() -> None:
    text, evidence = "a " * 500_000 + "b.", "a " * 1_990 + "b"
    assert quoted_spans(evidence, text) == ((len(text) - 1 - len(evidence), len(text) - 1),)
