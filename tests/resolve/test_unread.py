"""What no scorer of a suite reads of its prompt, and of a change of it."""

from dataclasses import replace

import pytest

from gate.config.scorer import ScorerSpec
from gate.messages import Message
from gate.resolve.two_refs import on_change, on_exam
from gate.suite import Suite
from tests.support.runs import arm, suite

WORDS = ScorerSpec("words", "words", {"min": 1, "max": 150})
EMOJI = ScorerSpec("forbidden_words", "words-2", {"words": ["cheap"], "inflections": False})
OLD = 'Use at most 80 words. Be polite. Never say "cheap".'


def made(new: str, *scorers: ScorerSpec, old: str = OLD) -> Suite:
    whole = suite([{}])
    return replace(whole, baseline=arm(old), candidate=arm(new), exam=replace(whole.exam, scorers=scorers))


def test_an_exam_says_which_orders_nothing_reads() -> None:
    assert on_exam(made(OLD, WORDS, EMOJI)) == (
        "prompts/p.md: no scorer checks 1 of its 3 instructions, so an answer that breaks it does not score lower: "
        "“Be polite.”. A judge would check it."
    )
    assert "2 of its 3 instructions" in on_exam(made(OLD, WORDS))
    assert on_exam(made("Use at most 80 words.", WORDS)) == ""


@pytest.mark.parametrize(
    "scorer",
    [
        ScorerSpec("judge", "judge", {"criteria": "Polite."}),
        ScorerSpec("python", "own", {"function": "scorers:polite"}),
        ScorerSpec("similarity", "similarity", {"value": "{{ expected }}"}),
        ScorerSpec("contains", "contains", {"value": "{{ expected }}"}),
    ],
)
def test_nothing_is_said_where_a_scorer_may_read_anything(scorer: ScorerSpec) -> None:
    assert on_exam(made(OLD, WORDS, scorer)) == ""
    assert on_change(made("Be rude.", WORDS, scorer)) == ""


def test_a_change_says_what_the_verdict_says_nothing_of() -> None:
    assert on_change(made(OLD.replace("Be polite", "Be rude to everybody"), WORDS, EMOJI)) == (
        "prompts/p.md: no scorer checks 2 instructions that changed, so the verdict says nothing about them "
        "(a judge would): gone “Be polite.”; new “Be rude to everybody.”."
    )
    assert on_change(made(OLD, WORDS, EMOJI)) == ""


def test_what_takes_the_place_of_an_order_that_is_read_is_not_told() -> None:
    assert on_change(made(OLD.replace("at most 80 words", "as many words as you like"), WORDS, EMOJI)) == ""


def test_the_label_that_gate_init_reads_off_a_prompt_counts_as_read() -> None:
    label = ScorerSpec("regex", "label", {"pattern": r"\A\W*(?:positive|negative)\b", "ignore_case": True})
    prompt = "Label each review as positive or negative."
    assert on_exam(made(prompt, label)) == ""
    assert "checks its only instruction" in on_exam(made(prompt, WORDS))


def test_of_a_prompt_in_many_parts_no_more_is_read_than_of_one() -> None:
    lines = [f"Mention the {name} of number {number}." for number in range(100) for name in ("colour", "weight")]
    parts = tuple(Message("system", "\n".join(lines).replace("number", f"shelf {shelf}")) for shelf in range(40))
    several = made("Be kind.", WORDS)
    prompt = replace(several.candidate.version.prompt, messages=parts)
    version = replace(several.candidate.version, prompt=prompt)
    changed = replace(several, candidate=replace(several.candidate, version=version))
    assert "no scorer checks 300 of its 300 instructions" in on_exam(changed)
