"""Case files of generated tests: both forms hold the same cases, and adding to them changes nothing else."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from gate.cases import reading as cases
from gate.cases.case import Case
from gate.config.specification import GeneratedTest
from gate.errors import GateError, InputErrors
from gate.limits import YAML_NODES
from gate.testgen.files import cases_jsonl, cases_yaml, fits_yaml, is_generated, with_more_tests, with_obsolete_rules
from gate.values import JsonValue
from tests.testgen.texts import UNIQUE

ONE = GeneratedTest(
    "R3-rule-1", "rule", "R3", "Hi", scenario="boundary", reasoning="At the limit", behaviour="Short", expected="Yes"
)
TALK = GeneratedTest("R4-inverse-1", "inverse", "R4", turns=("Hello", "And: now?\nYes"), scenario="edge")
VARS = GeneratedTest("control-1", "control", vars={"context": "a\nb", "n": [1, {"x": None}]})
YAML = """\
- id: R3-rule-1
  description: |-
    A good answer: Short
    Why: At the limit
  input: Hi
  expected: "Yes"
  slices: {rule: R3, kind: rule, scenario: boundary}

- id: R4-inverse-1
  rounds:
    - prompt: Hello
    - prompt: |-
        And: now?
        Yes
  slices: {rule: R4, kind: inverse, scenario: edge}
"""


def read(text: str, file: str = "c.yaml") -> list[Case]:
    return [replace(case, where="") for case in cases.parse(text, file)]


def test_a_file_for_a_reviewer() -> None:
    assert cases_yaml([ONE, TALK]) == YAML


@settings(max_examples=3)
@given(UNIQUE)
def test_both_forms_hold_what_the_tests_say(tests: list[GeneratedTest]) -> None:
    if not tests:
        return
    found = read(cases_yaml(tests))
    assert found == read(cases_jsonl(tests), "c.jsonl")
    assert [(one.id, one.input, one.vars, one.expected) for one in found] == [
        (test.id, test.input, test.vars, test.expected) for test in tests
    ]


@settings(max_examples=3)
@given(UNIQUE, UNIQUE)
def test_more_are_added_behind_what_is_there(first: list[GeneratedTest], second: list[GeneratedTest]) -> None:
    known = {test.id for test in first}
    both = [*first, *(test for test in second if test.id not in known)]
    if not first:
        return
    for text, file in ((cases_yaml(first), "c.yml"), (cases_jsonl(first), "c.jsonl")):
        more = with_more_tests(text, second, file)
        assert more.startswith(text)
        assert read(more, file) == read(cases_jsonl(both), "c.jsonl")
        assert with_more_tests(more, second, file) == more


def test_tests_of_rules_that_are_gone_are_marked_once() -> None:
    marked = with_obsolete_rules(YAML, {"R3"}, "c.yaml")
    assert marked == YAML.replace("scenario: boundary}", "scenario: boundary}\n  obsolete: true")
    assert with_obsolete_rules(marked, {"R3"}, "c.yaml") == marked
    block = "- id: R3-rule-1\n  input: x\n  slices:\n    rule: R3 # why\n    kind: rule\n\n# end\n- {id: b, input: y}\n"
    after = block.replace("kind: rule\n", "kind: rule\n  obsolete: true\n")
    assert with_obsolete_rules(block, ["R3"], "c.yaml") == after
    assert with_obsolete_rules(block, ["R4"], "c.yaml") == block


def test_what_cannot_be_added_to_is_refused() -> None:
    with pytest.raises(GateError, match="tests cannot be added to c.json"):
        with_more_tests("[]", [ONE], "c.json")
    with pytest.raises(InputErrors, match="c.jsonl:2: invalid JSON"):
        with_more_tests('{"id": "a"}\n{', [ONE], "c.jsonl")


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "input": "x", "slices": {"rule": "R1"}},
        {"id": "a", "input": "x", "slices": {"rule": "R1", "kind": "rule"}},
        {"id": "R1-rule-1", "input": "x", "slices": {"rule": "R2", "kind": "rule"}},
        {"id": "R1-rule-1", "input": "x"},
    ],
)
def test_a_case_that_no_generation_made_stays_as_it_is(row: dict[str, JsonValue]) -> None:
    text = json.dumps(row) + "\n"
    for file in ("c.jsonl", "c.yaml"):
        whole = text if file == "c.jsonl" else f"- {text}"
        assert not is_generated(whole, file)
        assert with_obsolete_rules(whole, {"R1"}, file) == whole


def test_yaml_holds_so_many() -> None:
    per_test = 6  # the case, its id and input, its slices with two values
    plain = [GeneratedTest(f"R1-rule-{i}", "rule", "R1", "x") for i in range((YAML_NODES - 1) // per_test)]
    assert fits_yaml(plain)
    more = [*plain, GeneratedTest("R1-rule-x", "rule", "R1", "x")]
    assert not fits_yaml(more)
