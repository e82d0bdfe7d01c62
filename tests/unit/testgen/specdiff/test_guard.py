"""A judge's "same" has to agree with what code can see."""

import pytest

from gate.testgen.specdiff.guard import held


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("Each sentence has below 12 words.", "Each sentence has below 120 words.", "numbers"),
        ("It has three points.", "It has four points.", "numbers"),
        ("It must name a price.", "It must not name a price.", "negations"),
        ("It never names a price.", "It names a price.", "negations"),
        ("Die Antwort nennt den Preis.", "Die Antwort nennt keinen Preis.", "negations"),
        ("It must name the shop.", "It may name the shop.", "words of obligation"),
        ('It ends with "Veloheim".', 'It ends with "Bikeheim".', "quoted words"),
    ],
)  # fmt: skip
def test_what_differs_is_not_the_same(before: str, after: str, what: str) -> None:
    relation, reason = held("reworded", (before, after), "wording")
    assert relation == "unknown"
    assert what in reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The answer has at most 80 words.", "The answer has no more than 80 words."),
        ("The answer must not exceed 80 words.", "The answer is at most 80 words long."),
        ("It has at most 3 points.", "It has three points at most."),
        ("It never names a price.", "It does not name prices."),
        ('It ends with "Veloheim".', "It ends with “Veloheim”."),
    ],
)
def test_other_words_for_the_same_stay_the_same(before: str, after: str) -> None:
    assert held("reworded", (before, after), "wording") == ("reworded", "")


def test_a_judge_alone_makes_no_rule_of_two_strangers() -> None:
    pair = ("It must never name a price.", "Greetings are warm.")
    assert held("reworded", pair, "meaning")[0] == "unknown"
    assert held("tightened", pair, "meaning") == ("tightened", "")
