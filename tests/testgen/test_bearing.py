"""Evidence says something of its rule, or was copied from anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.promptpex.published_tables import PAGE
from benchmarks.rules.grounded_evidence import Taken, taken
from gate.config.specification import OutputRule
from gate.testgen.prompt_under_test import Passages
from gate.testgen.specification.grounding import (
    WordDifference,
    grounding_by_words,
    numbers_in,
    sentence_around,
    supports_rule,
    word_difference,
)

PROMPT = """You answer the guests of a shop.
Answer in at most 80 words, in the tone of a letter. Name the order's number.
Never:
- promise a refund
- name a competitor
Call every guest "dear guest"."""


def grounding(rule: str, evidence: str, prompt: str = PROMPT) -> str:
    return grounding_by_words(OutputRule("R1", rule, evidence), Passages(prompt))


@pytest.mark.parametrize(
    ("rule", "evidence"),
    [
        ("The answer has at most 80 words.", "at most 80 words"),
        ("The answer must be no longer than eighty words.", "at most 80 words"),
        ("The answer promises no refund.", "promise a refund"),
        ("The answer names no competitor.", "name a competitor"),
        ("The answer names the number of the order.", "Name the order's number"),
        ('The guest is called "dear guest".', 'Call every guest "dear guest".'),
    ],
)
def test_evidence_that_says_it(rule: str, evidence: str) -> None:
    assert grounding(rule, evidence) == "verbatim"


@pytest.mark.parametrize(
    ("rule", "evidence"),
    [
        ("Every answer must rhyme.", "the"),
        ("The answer names three prices.", "Never"),
        ("The answer names the price of the order.", "Never"),
        ("The answer promises a refund.", "promise a refund"),
        ("The answer has at least 2 paragraphs.", "at most 80 words"),
        ('The guest is called "dear friend".', 'Call every guest "dear guest".'),
        ("The answer has at most 79 words.", "at most 80 words"),
        ("The answer is kind.", "never stands there"),
    ],
)
def test_evidence_that_does_not_say_it_leaves_it_open(rule: str, evidence: str) -> None:
    assert grounding(rule, evidence) == "unknown"


def test_another_number_of_the_same_thing_is_no_evidence() -> None:
    assert grounding("The answer must have at most 8 words.", "at most 80 words") == "ungrounded"
    assert word_difference("At most 8 words.", "At most 80 words.", PROMPT) == WordDifference("8", "80")
    assert word_difference("At most 8 words.", "At most **80** words.", PROMPT) == WordDifference("8", "80")
    assert word_difference("At most 8 lines.", "At most 80 words.", PROMPT) is None
    assert word_difference("At most 8 words.", "At most 80 words.", PROMPT + " The title has 8 words.") is None
    assert word_difference("Fewer than 81 words.", "At most 80 words.", PROMPT) is None


def test_how_often_evidence_is_taken_is_as_the_page_says() -> None:
    found = taken()
    assert found == Taken(75, 85, 18, 422, 0)
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{found.own} of {found.of_own} rules" in page
    assert f"{found.other} of {found.of_other} pairs" in page


@given(st.text(), st.text(), st.text())
def test_any_texts_can_be_compared(rule: str, evidence: str, prompt: str) -> None:
    assert supports_rule(rule, evidence, prompt) in (True, False)
    assert word_difference(rule, evidence, prompt) is None or numbers_in(rule)
    span = Passages(prompt).find(evidence)
    assert span is None or span.text in sentence_around(prompt, span)
