"""Whole sentences become scorers, or none."""

import json

import pytest

from benchmarks.rule_wordings import outcome, read
from gate.domain.promptspec import OutputRule
from gate.inputs.scorers.read import parse_scorers
from gate.testgen.compile.compile import compile_rule, compile_rules, told
from tests.unit.testgen.compile.support import compiled, kept, understood

TUNED = [wording for wording in read() if wording["set"] == "tuned"]


@pytest.mark.parametrize("wording", TUNED, ids=[wording["text"][:60] for wording in TUNED])
def test_a_tuned_wording_becomes_what_it_says_or_nothing(wording):
    found = outcome(wording)
    assert not found.fault
    assert (found.compiled is None) == (wording["expect"] is None)


def test_the_wordings_are_many_and_a_third_is_held_out():
    kinds = {wording["kind"] for wording in read()} - {"none"}
    assert kinds == {"length", "counts", "choice", "json", "language", "words", "format"}
    for kind in kinds:
        own = [wording for wording in read() if wording["kind"] == kind]
        assert len(own) >= 30
        assert sum(wording["set"] == "held-out" for wording in own) == len(own) // 3
    assert sum(wording["kind"] == "none" for wording in read()) >= 60
    assert len({wording["text"] for wording in read()}) == len(read())


@pytest.mark.parametrize(
    "wording", [wording for wording in TUNED if wording["expect"]], ids=lambda one: one["text"][:60]
)
def test_the_reader_of_scorers_takes_what_is_built(wording):
    for spec in understood(wording["text"]).scorers:
        written = {spec.kind: json.loads(json.dumps({**spec.options})), "name": spec.name, "negate": spec.negate}
        assert parse_scorers([written], "compiled") == (spec,)


def test_scorers_are_named_after_their_rule():
    found = understood("The output must be in German and at most 12 words long.")
    assert [(spec.kind, spec.name) for spec in found.scorers] == [("language", "R1"), ("words", "R1-2")]


def test_a_user_reads_what_is_checked():
    rules = [
        OutputRule("R1", "The output must be friendly."),
        OutputRule("R3", "The response must not exceed 80 words."),
        OutputRule("R4", 'The output must be "Yes" or "No".'),
    ]
    assert [told(one) for one in compile_rules(rules)] == [
        "R3 by code: at most 80 words",
        "R4 by code: one of Yes, No, spelled so",
    ]


def test_one_demand_of_two_that_is_not_understood_leaves_the_rule_to_the_judge():
    assert compiled("The output must be at most 80 words.") is not None
    assert compiled("The output must be at most 80 words and be polite.") is None
    assert compiled("The output must be polite and at most 80 words.") is None


@pytest.mark.parametrize(
    "text",
    [
        "The output must not exceed 40 characters and contain a joke.",
        'The output must not start with "Sure" and end with "!".',
    ],
)
def test_what_is_forbidden_is_not_carried_over_an_and(text):
    assert compiled(text) is None


def test_a_demand_of_its_own_behind_a_forbidden_one():
    text = 'The output must not exceed 20 characters and must end with "!".'
    assert kept(text, "Hello!")
    assert not kept(text, "Hello")
    assert not kept(text, "Hello, dear and lovely world!")


def test_what_must_not_always_be_so_may_be_so():
    assert compiled('The output must always contain "A".') is not None
    assert compiled('The output should not always contain "A".') is None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("The output must be a maximum length of 12 words.", {"max": 12}),
        ("The output must be a minimum length of 12 words.", {"min": 12}),
        ("The output must be a total length of 12 words.", {"min": 12, "max": 12}),
        ("Limit the output to at most 12 words.", {"max": 12}),
        ("The output must be limited to a maximum of 12 words.", {"max": 12}),
        ("The output must exceed 12 words.", {"min": 13}),
    ],
)
def test_a_bound_is_not_lost_on_the_way(text, options):
    assert understood(text).scorers[0].options == options


@pytest.mark.parametrize(
    "text",
    ["Keep the response at 12 words.", "Limit the output to 2 to 3 sentences.", "The output must use capitals."],
)
def test_what_may_mean_more_than_one_thing(text):
    assert compiled(text) is None


def test_numbers_are_items_of_a_list():
    assert kept("The output must be one of the numbers 1, 2, 3.", "2")
    assert kept("The output must be one of 3 labels: red, green, blue.", "red")


def test_three_demands():
    text = 'The output must be in German, and must be at most 9 words, and must end with "!".'
    assert [spec.kind for spec in understood(text).scorers] == ["language", "words", "ends_with"]


def test_two_languages_at_once_are_no_rule_for_code():
    assert compiled("The output must be in German and be in English.") is None


def test_a_demand_within_elements_is_none_on_the_whole():
    assert compiled('Each <p> tag must contain exactly one <em> tag and end with ".".') is None


@pytest.mark.parametrize(
    "subject", ["The input", "The title", "The summary", "The answers", "Each answer", "The text", "It"]
)
def test_only_the_whole_output_is_held_to_a_rule(subject):
    assert compiled(f"{subject} must be at most 12 words.") is None


@pytest.mark.parametrize("modal", ["may", "can", "could", "should ideally", "should preferably", "must usually"])
def test_what_is_no_must_is_none(modal):
    assert compiled(f"The output {modal} be at most 12 words.") is None


@pytest.mark.parametrize(
    "tail", [" if possible", " unless asked", " when the user is short", " or so", ", roughly", " per line"]
)
def test_a_condition_or_hedge_leaves_a_rule_to_the_judge(tail):
    assert compiled(f"The output must be at most 12 words{tail}.") is None


def test_inverse_and_evidence_play_no_part():
    rule = OutputRule("R2", "The output must be one word.", evidence="at most 3 words", inverse="… two words.")
    found = compile_rule(rule)
    assert found is not None
    assert found.scorers[0].options == {"min": 1, "max": 1}
