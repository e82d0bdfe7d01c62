import pytest

from gate.scoring.validators.language import sentences, word_count
from gate.values import JsonValue
from tests.scoring.validators.scored import judged


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 0),
        ("👍", 0),
        ("Hello", 1),
        ("Hello! How are you?", 2),
        ("What?! No way!!", 2),
        ("Dr. Smith is here. He waits.", 2),
        ("Mr. and Mrs. Jones.", 1),
        ("It costs 3.50 euro. Ok?", 2),
        ("Version 1.2.3 is out.", 1),
        ("Visit www.example.com now. Bye.", 2),
        ("We come at 5 p.m. on Monday.", 1),
        ("We come at 5 p.m. Please wait.", 2),
        ("Apples, pears, etc. are here.", 1),
        ("Apples, pears, etc. We have all.", 2),
        ("Use e.g. a hammer.", 1),
        ("Use e.g. Hammer No. 5.", 1),
        ("No. That is wrong.", 2),
        ("Wait... let me see.", 1),
        ("Wait... Let me see.", 2),
        ("Wait… let me look", 1),
        ("J. R. R. Tolkien wrote it.", 1),
        ("George W. Bush won. He left.", 2),
        ("It is I. You know.", 2),
        ("I live in the U.S. It is big.", 2),
        ('"Really?" he asked.', 1),
        ('He said "Stop." Then he left.', 2),
        ("ok. i will call.", 2),
        ("Great 👍. Thanks!", 2),
        ("Am 3. Mai um 10 Uhr. Passt das?", 2),
        ("Das ist z. B. gut. Ja.", 2),
        ("你好。你是谁？我很好！", 3),
        ("नमस्ते। आप कैसे हैं?", 2),
        ("مرحبا؟ نعم.", 2),
        ("- one\n- two\n- three", 3),
        ("1. First\n2. Second", 2),
        ("Hello\n\nWorld", 2),
        ("One line\nthat is broken.", 1),
        ("What's your name (first and last)? And your zip?", 2),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(sentences(text)) == count, sentences(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("one two  three\n", 3),
        ("well-known don't 3.5 e.g. foo@bar.com", 5),
        ("this - and that – or that—too", 6),
        ("and/or", 2),
        ("!!! ... 👍", 0),
        ("Größe über alles", 3),
        ("नमस्ते दुनिया", 2),
        ("我爱你 ok", 4),
        ("カタカナ", 4),
        ("안녕 하세요", 2),
    ],
)
def test_words(text: str, count: int) -> None:
    assert word_count(text) == count


@pytest.mark.parametrize(
    ("written", "answer", "value", "reason"),
    [
        ({"words": {"max": 3}}, "one two three", 1.0, "has 3 words"),
        ({"words": {"max": 2}}, "one two three", 0.0, "has 3 words, more than 2"),
        ({"words": {"min": 3}}, "one two three", 1.0, "has 3 words"),
        ({"words": {"min": 2}}, "one", 0.0, "has 1 word, fewer than 2"),
        ({"sentences": {"max": 1}}, "One. Two.", 0.0, "has 2 sentences, more than 1"),
        ({"sentences": {"min": 1, "max": 2}}, "One. Two.", 1.0, "has 2 sentences"),
        ({"sentences": {"min": 1}}, " ", 0.0, "has 0 sentences, fewer than 1"),
        ({"characters": {"max": 5}}, " héllo\n", 1.0, "has 5 characters"),
        ({"characters": {"max": 1_000}}, "x" * 2_000, 0.0, "has 2,000 characters, more than 1,000"),
    ],
)
def test_ranges(written: JsonValue, answer: str, value: float, reason: str) -> None:
    found = judged(written, answer)
    assert (found.value, found.reason) == (value, reason)
