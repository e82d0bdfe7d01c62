"""A judge's "same" has to agree with what code can see."""

import pytest

from gate.record.parts import Relation
from gate.testgen.specdiff.strictness import checked_relation


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("Each sentence has below 12 words.", "Each sentence has below 120 words.", "numbers"),
        ("It has three points.", "It has four points.", "numbers"),
        ("It must name a price.", "It must not name a price.", "negations"),
        ("It must name the shop.", "It may name the shop.", "words of obligation"),
        ('It ends with "Veloheim".', 'It ends with "Bikeheim".', "quoted words"),
        ("It has at most 12 words.", "It has at least 12 words.", "bounds"),
        ("It names the price and the date.", "It names the price or the date.", "connectives"),
        ("It always ends with thanks.", "It sometimes ends with thanks.", "quantifiers"),
        ("It is in German.", "It is in German unless the user is in a hurry.", "connectives"),
        ("Dates are written as DD/MM.", "Dates are written as MM/DD.", "capitals"),
        ("It never names a price.", "It never names a final price.", "more words: final"),
    ],
)  # fmt: skip
def test_what_differs_is_not_the_same(before: str, after: str, what: str) -> None:
    relation, reason = checked_relation("reworded", (before, after), "wording")
    assert relation == "unknown"
    assert what in reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The answer has at most 80 words.", "The answer has no more than 80 words."),
        ("The answer must not exceed 80 words.", "The answer is at most 80 words long."),
        ("Every item names its price.", "Each item names its price."),
    ],
)
def test_other_words_for_the_same_stay_the_same(before: str, after: str) -> None:
    assert checked_relation("reworded", (before, after), "wording") == ("reworded", "")


@pytest.mark.parametrize("relation", ["reworded", "tightened", "changed"])
def test_a_judge_alone_makes_no_rule_of_two_strangers(relation: Relation) -> None:
    pair = ("It must never name a price.", "Greetings are warm.")
    assert checked_relation(relation, pair, "meaning")[0] == "unknown"


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("Each item has below 12 words.", "Each item has below 120 words.", "numbers"),
        ("Each item has at least 12 words.", "Each item has at least 3 words.", "numbers"),
        ("It names the price and the date.", "It names the price or the date.", "or"),
        ("It never names a price.", "It names a price.", "negation"),
    ],
)
def test_what_became_weaker_is_not_stricter(before: str, after: str, what: str) -> None:
    relation, reason = checked_relation("tightened", (before, after), "wording")
    assert relation == "unknown"
    assert what in reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Each item has below 120 words.", "Each item has below 12 words."),
        ("Each item has at least 3 words.", "Each item has at least 1,200 words."),
        ("It names a price.", "It never names a price."),
    ],
)
def test_what_became_stricter_may_be_said_to_be_so(before: str, after: str) -> None:
    assert checked_relation("tightened", (before, after), "wording") == ("tightened", "")
