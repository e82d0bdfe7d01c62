"""Tests of agents as case files have them: what they become, and every mistake with its line."""

import json

import pytest

from gate.domain.case import Persona
from gate.inputs.cases import parse
from tests.unit.inputs.texts import errors

DETAILS = {
    "name": "get_listing_details",
    "prompt": "What are the details of my Beach House listing?",
    "expected_tools": ["get_listing_details"],
    "judge_prompt": """The response should contain:
        - The listing name (Beach House)
        - The property address
        - Current pricing information
        - Occupancy rate or availability status
        The information should be formatted clearly and be easy to read.""",
    "judge_threshold": 0.7,
}
ROUNDS = {
    "name": "multi_round_conversation",
    "rounds": [
        {"prompt": "What are my listings?", "judge_prompt": "Should list all properties"},
        {
            "prompt": "What's the occupancy for the first one?",
            "judge_prompt": "Should reference the first listing from previous response and show occupancy data",
        },
    ],
    "test_agent_revival": True,
}
"""Both examples of the article that the form comes from, letter by letter."""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("c.jsonl", f"{json.dumps(DETAILS)}\n{json.dumps(ROUNDS)}\n"),
        ("c.json", json.dumps([DETAILS, ROUNDS], indent=2)),
        ("c.yaml", json.dumps([DETAILS, ROUNDS])),
    ],
)
def test_both_examples_load_as_they_stand(file: str, text: str) -> None:
    details, talk = parse(text, file)
    assert (details.id, details.input, details.judge_threshold) == (DETAILS["name"], DETAILS["prompt"], 0.7)
    assert (details.criteria, details.rounds, details.revival) == (DETAILS["judge_prompt"], (), False)
    (tools,) = details.extra_scorers
    assert (tools.kind, tools.name, tools.options, tools.required) == (
        "tools",
        "expected_tools",
        {"all": ["get_listing_details"]},
        True,
    )
    assert (talk.id, talk.revival, talk.criteria, talk.extra_scorers) == (ROUNDS["name"], True, None, ())
    given = [(one["prompt"], one["judge_prompt"]) for one in ROUNDS["rounds"]]  # type: ignore[attr-defined]
    assert [(one.said, one.criteria) for one in talk.rounds] == given


YAML = """\
# Asked by landlords.
- name: occupancy
  description: What a person reads.
  prompt: How full is it?
  slices: {tier: enterprise}
  facts: {listing: Beach House, month: May}
  expected_tools: {in_order: [get_listings, get_occupancy], max_errors: 0}
- id: revenue-1
  name: revenue
  rounds:
    - prompt: What did I earn?
      expected_tools: [get_revenue]
      judge_threshold: 0.9
    - prompt: And in June?
      expected_tools: []
- name: shopper
  user: {persona: in a hurry, goal: Book a flat, max_turns: 4}
- name: plain
  user: {goal: Learn what is free}
- id: question
  input: Where is my order?
  expected: 3
"""


def test_yaml_has_the_same_forms() -> None:
    occupancy, revenue, shopper, plain, question = parse(YAML, "c.yml")
    assert (occupancy.slices, occupancy.facts) == ({"tier": "enterprise"}, "listing: Beach House\nmonth: May")
    assert occupancy.description == "What a person reads."
    wanted = {"in_order": ["get_listings", "get_occupancy"], "max_errors": 0}
    assert occupancy.extra_scorers[0].options == wanted
    assert (revenue.id, revenue.input) == ("revenue-1", "What did I earn?")
    first, second = revenue.rounds
    assert (first.threshold, first.scorers[0].name, first.scorers[0].options) == (
        0.9,
        "expected_tools of rounds",
        {"all": ["get_revenue"]},
    )
    assert (second.threshold, second.scorers, second.line) == (None, (), 14)
    assert shopper.user == Persona("in a hurry", "Book a flat", 4)
    assert plain.user == Persona("a customer", "Learn what is free")
    assert (question.id, question.where, question.expected) == ("question", "c.yml:20", 3)


def test_every_mistake_is_told_at_once_and_with_its_line() -> None:
    text = """\
- name: a
  rounds:
    - judge_prompt: polite
    - prompt: And then?
      criteria: polite
- name: b
  prompt: x
  judge_threshold: 70
- prompt: y
  judge_prompt: polite
- name: d
  prompt: x
  rounds: [{prompt: y}, {prompt: z}]
  user: {goal: g}
- name: e
  rounds: []
- name: f
  prompt: x
  test_agent_revival: true
- name: g
  expected_tools: [a]
- name: h
  prompt: x
  expected_tools: [3]
- text
- name: i
  user: {persona: p, max_turns: 99, mood: bad}
"""
    told = errors(lambda: parse(text, "c.yaml"))
    lines = [
        "c.yaml:3: 'prompt' is missing in round 1",
        "c.yaml:5: unknown key 'criteria' in round 2",
        "c.yaml:8: judge_threshold must be a number",
        "c.yaml:9: 'name' is missing",
        "c.yaml:12: a case has either 'prompt' or 'rounds', not both",
        "c.yaml:14: a case has either 'rounds' or a simulated 'user', not both",
        "c.yaml:16: rounds must be a list of rounds, not an empty list",
        "c.yaml:19: test_agent_revival needs two rounds or more",
        "c.yaml:20: 'prompt' is missing",
        "c.yaml:25: a case must be a mapping, not 'text'",
        "c.yaml:27: 'goal' is missing in user",
        "c.yaml:27: unknown key 'mood' in user",
        "c.yaml:27: user.max_turns must be a whole number from 1 to 50, not 99",
    ]
    assert [line for line in lines if line not in told] == [], told
    assert "did you mean 'judge_prompt'?" in told
    assert "c.yaml:24: scorers[0].tools.all[0] must be text, not 3" in told
    assert "c.yaml:15" not in told  # rounds that are no rounds are told once


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"rounds": [{"prompt": "x"}] * 51}, "a case has at most 50 rounds, and this one has 51"),
        ({"rounds": "What?"}, "rounds must be a list of rounds, not 'What?'"),
        ({"rounds": ["What?"]}, "round 1 must be a mapping, not 'What?'"),
        ({"rounds": [{"prompt": " "}]}, "round 1.prompt is blank"),
        ({"prompt": "x", "judge_threshold": 0}, "judge_threshold must be a number above 0"),
        ({"prompt": "x", "expected_tools": {"every": ["a"]}}, "unknown key 'every'"),
        ({"prompt": "x", "judge_prompt": 3}, "judge_prompt must be text"),
        ({"user": {"goal": "x"}, "test_agent_revival": "yes"}, "test_agent_revival must be true or false"),
        ({"prompt": "x", "rounds": [{"prompt": "x"}], "turns": 2}, "'turns' is not supported in this version"),
    ],
    ids=str,
)
def test_a_case_that_cannot_be(case: dict[str, object], told: str) -> None:
    text = errors(lambda: parse(json.dumps({"name": "a", **case}), "c.jsonl"))
    assert told in text
    assert "c.jsonl:1" in text


@pytest.mark.parametrize("text", ["", "# nothing\n", "[]", "null"])
def test_a_yaml_file_without_cases(text: str) -> None:
    assert "holds no cases" in errors(lambda: parse(text, "c.yaml"))


def test_a_yaml_file_that_is_none() -> None:
    assert "c.yaml:3: invalid YAML" in errors(lambda: parse("- name: a\n  prompt: [\n", "c.yaml"))


def test_one_name_twice() -> None:
    text = "- {name: a, prompt: x, judge_prompt: y}\n- {name: a, prompt: z, judge_prompt: y}\n"
    assert "c.yaml:2: the id 'a' is already used on line 1" in errors(lambda: parse(text, "c.yaml"))
