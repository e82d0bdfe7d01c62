"""The schemas of cases and rubrics, and the descriptions that editors show."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gate.config.gatefile import config_schema
from gate.config.rubrics import parse_rubric
from gate.errors import InputErrors
from gate.inputs import cases
from gate.inputs.caseschema import case_schema, cases_schema, rubric_schema

ROOT = Path(__file__).parents[3]
CASE = Draft202012Validator(case_schema())

GOOD: list[dict[str, Any]] = [
    {"id": "1", "input": "x"},
    {"id": 1, "messages": [{"role": "user", "content": "x"}], "slices": {"n": 2, "b": True}},
    {"id": "1", "vars": {"x": [1, {"y": None}]}, "expected": {"a": 1}},
    {"id": "1", "input": "x", "slice": "s", "cluster": "c", "criteria": "k", "threshold": 0.5, "obsolete": False},
    {"id": "1", "input": "x", "scorers": ["exact"], "extra_scorers": [{"contains": "y", "weight": 2}]},
    {"id": "1", "state": "s", "conversation": [{"role": "user", "content": "x"}], "expect": {"max_sentences": 2}},
    {"id": "1", "state": "s", "session": {"a": 1}, "conversation": [{"role": "user", "content": "x"}]},
    {"name": "1", "prompt": "x", "expected_tools": ["t"], "judge_prompt": "k", "judge_threshold": 0.5},
    {"name": "1", "rounds": [{"prompt": "x"}, {"prompt": "y"}], "test_agent_revival": True, "facts": {"a": 1}},
    {"name": "1", "user": {"goal": "g", "persona": "p", "max_turns": 3}},
]
BAD: list[dict[str, Any]] = [
    {"input": "x"},
    {"id": "1"},
    {"id": "1", "input": " "},
    {"id": "1", "input": 3},
    {"id": "1", "input": "x", "surprise": 1},
    {"id": "1", "input": "x", "threshold": 0},
    {"id": "1", "input": "x", "scorers": ["nothing"]},
    {"id": "1", "messages": []},
    {"id": "1", "messages": [{"role": "judge", "content": "x"}]},
    {"id": "1", "state": "s", "conversation": [{"role": "user", "content": "x"}], "expect": {"max_words": 2}},
    {"name": "1", "rounds": []},
    {"name": "1", "prompt": "x", "judge_threshold": 2},
    {"name": "1", "user": {"persona": "p"}},
]


def read(case: dict[str, Any]) -> bool:
    try:
        return bool(cases.parse(json.dumps(case), "a.jsonl"))
    except InputErrors:
        return False


@pytest.mark.parametrize("case", GOOD, ids=str)
def test_good_cases_are_good_in_both(case: dict[str, Any]) -> None:
    assert read(case)
    assert CASE.is_valid(case)


@pytest.mark.parametrize("case", BAD, ids=str)
def test_bad_cases_are_bad_in_both(case: dict[str, Any]) -> None:
    assert not read(case)
    assert not CASE.is_valid(case)


def test_the_schemas_are_ones() -> None:
    for schema in (case_schema(), cases_schema(), rubric_schema(), config_schema()):
        Draft202012Validator.check_schema(schema)


def test_our_own_case_files_satisfy_the_schema() -> None:
    listed = Draft202012Validator(cases_schema())
    found = json.loads((ROOT / "evals/dispatcher/golden_transcripts.json").read_text(encoding="utf-8"))
    assert listed.is_valid(found)
    assert listed.is_valid(found[0])
    assert not listed.is_valid([])
    lines = (ROOT / "gate/demo/data/cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(CASE.is_valid(json.loads(line)) for line in lines)


def test_a_rubric_satisfies_the_schema_as_its_reader() -> None:
    schema = Draft202012Validator(rubric_schema())
    good = {"scale": [1, 5], "threshold": 3, "dimensions": [{"name": "a", "description": "b", "anchors": {"1": "c"}}]}
    assert schema.is_valid(good)
    assert parse_rubric(json.dumps(good), "r.yaml")["threshold"] == 3
    for bad in ({}, {**good, "surprise": 1}, {"dimensions": []}):
        assert not schema.is_valid(bad)
