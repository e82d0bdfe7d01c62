import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.scoring.validators.language import Phrases, inflected
from gate.values import JsonValue
from tests.scoring.validators.scored import score

WORDS: JsonValue = ["transition", "process", "handle"]


@pytest.mark.parametrize(
    ("answer", "plain", "inflections"),
    [
        ("We process it.", 0.0, 0.0),
        ("PROCESS", 0.0, 0.0),
        ("the in-process call", 0.0, 0.0),
        ("the process's end", 0.0, 0.0),
        ("We are processing it.", 1.0, 0.0),
        ("It was processed and handled.", 1.0, 0.0),
        ("She handles transitions", 1.0, 0.0),
        ("a word processor", 1.0, 1.0),
        ("panhandle", 1.0, 1.0),
        ("pro\u00adcess", 0.0, 0.0),
        ("ｐｒｏｃｅｓｓ", 0.0, 0.0),
        ("", 1.0, 1.0),
    ],
)
def test_words(answer: str, plain: float, inflections: float) -> None:
    assert score({"forbidden_words": WORDS}, answer) == plain
    assert score({"forbidden_words": {"words": WORDS, "inflections": True}}, answer) == inflections


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("deep dive", "A Deep\n dive!", True),
        ("deep dive", "a deep-dive", True),
        ("deep dive", "too deep. Dive!", False),
        ("deep dive", "deep sea dive", False),
        ("deep dive", "deep diver", False),
        ("don't", "I don’t know", True),
        ("don't", "I do not", False),
        ("C++", "use C++ now", True),
        ("C++", "use C+", False),
        ("@home", "find me @homes", False),
        ("***", "a *** b", True),
        ("处理", "我处理你的请求", True),
        ("größe", "GRÖSSE", True),
        ("नमस्ते", "नमस्ते जी", True),
        ("नम", "नमस्ते", False),
    ],
)
def test_phrases(phrase: str, text: str, found: bool) -> None:
    assert Phrases.of([phrase]).within(text) == ([phrase] if found else [])


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("process", {"process", "processes", "processed", "processing"}),
        ("handle", {"handle", "handles", "handled", "handling"}),
        ("stop", {"stop", "stops", "stopped", "stopping"}),
        ("visit", {"visits", "visited", "visiting"}),
        ("carry", {"carries", "carried", "carrying"}),
        ("play", {"plays", "played", "playing"}),
        ("die", {"dies", "died", "dying"}),
        ("free", {"frees", "freed", "freeing"}),
        ("go", {"goes", "going"}),
        ("quit", {"quits", "quitting"}),
        ("panic", {"panicked", "panicking"}),
        ("quiz", {"quizzes", "quizzed"}),
        ("need", {"needs", "needed", "needing"}),
        ("fix", {"fixes", "fixed", "fixing"}),
    ],
)
def test_inflections(word: str, forms: set[str]) -> None:
    assert forms <= inflected(word)


@given(st.text("abcdefgh", min_size=1, max_size=8), st.sampled_from(["{}", "x {}.", "({})", "{}!\nz"]))
def test_a_word_is_found_wherever_it_stands_alone(word: str, frame: str) -> None:
    assert Phrases.of([word]).within(frame.format(word)) == [word]
    assert Phrases.of([word]).within(frame.format("q" + word)) == []
    assert Phrases.of([word]).within(frame.format(word + "q")) == []


@pytest.mark.parametrize(
    ("kind", "options"),
    [("forbidden_words", {"words": ["apologize"]}), ("words", {"max": 2}), ("sentences", {"max": 1})],
)
@pytest.mark.parametrize("blanks", [" " * 100_001, "\n" * 100_001, " \n\t" * 50_000])
def test_blanks_before_an_answer_hide_nothing(kind: str, options: dict[str, JsonValue], blanks: str) -> None:
    assert score({kind: options}, f"{blanks}I apologize. I do.") == 0.0


@pytest.mark.parametrize("unseen", ["\u034f", "\ufe0f", "\u3164", "\u00ad", "\u200d"])
def test_what_no_screen_shows_hides_no_word(unseen: str) -> None:
    assert score({"forbidden_words": {"words": ["apologize"]}}, f"I apo{unseen}logize") == 0.0
