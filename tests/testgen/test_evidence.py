"""Where copied words stand: whatever a model does to them, what is kept is the prompt's own text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.testgen.prompt_under_test import Passages

PROMPT = """# Task
Write   at most **80 words**.
If you don't find a name, answer “NA”; say nothing else…
Antworte auf Straße und in \tdeutscher Sprache.
要約は必ず日本語で、
三文以内にしてください。"""


@pytest.mark.parametrize(
    ("copied", "kept"),
    [
        ("at most **80 words**", "at most **80 words**"),
        ("At most 80 words.", "at most **80 words**."),
        ('"at most 80 words"', "at most **80 words**"),
        ('answer "NA"', "answer “NA”"),
        ("say nothing else...", "say nothing else…"),
        ("say nothing else!", "say nothing else"),
        ("auf Stra\u00adße und in deutscher Sprache", "auf Straße und in \tdeutscher Sprache"),
        ("日本語で、三文以内", "日本語で、\n三文以内"),
    ],
)
def test_found_however_it_was_copied(copied: str, kept: str) -> None:
    span = Passages(PROMPT).find(copied)
    assert span is not None
    assert span.text == kept
    assert PROMPT[span.start :].startswith(kept)


@pytest.mark.parametrize(
    "copied",
    [
        "",
        "…",
        '""',
        "at",
        "80",
        "os",
        "at mo",
        "rite at most",
        "at most 8",
        "at most 90 words",
        "at most … words",
        "at most 80 words, in French",
        "fünf Sätze",
    ],
)
def test_what_does_not_stand_there_or_tells_nothing(copied: str) -> None:
    assert Passages(PROMPT).find(copied) is None


def test_a_text_that_holds_the_words_without_end_within_others_is_given_up() -> None:
    passages = Passages("abcd" * 50_000 + " bcd")
    assert all(passages.find("bcd" + "!" * number) is None for number in range(100))


@given(st.text(), st.text())
@example("at most 80 words", '"at most 80 words"')
@example("ß", "SS!")
@example("\ud800\ud800\ud800", "\ud800")
def test_what_is_kept_is_a_passage_of_the_text(text: str, copied: str) -> None:
    span = Passages(text).find(copied)
    assert span is None or (span.text and text[span.start : span.start + len(span.text)] == span.text)


@given(st.lists(st.text("abcdeé ß…'*\n", min_size=3, max_size=12), min_size=3), st.data())
def test_any_run_of_whole_words_is_found(parts: list[str], data: st.DataObject) -> None:
    words = " ".join(parts).split()
    start = data.draw(st.integers(0, len(words)))
    end = data.draw(st.integers(start, len(words)))
    copied = "\n".join(words[start:end]).replace("'", "’").upper()
    span = Passages("  ".join(words)).find(copied)
    letters = "".join(char for char in copied if char.isalnum())
    assert (span is not None) or len(letters) < 3
