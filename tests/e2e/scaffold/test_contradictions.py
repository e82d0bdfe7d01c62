"""Scorers, and rules that code checks, that no answer can meet together are found by code."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.scorer import ScorerSpec, parse_scorers
from gate.scoring.contradictions import contradictions
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from tests.support.command import gate
from tests.support.repository import make

OBJECT = {"schema": {"type": "object"}}
CONTRADICT: list[tuple[Any, Any, str]] = [
    ({"words": {"max": 20}}, {"words": {"min": 100}}, "at least 100 words, and at most 20 words"),
    ({"sentences": {"max": 1}}, {"sentences": {"min": 2}}, "at least 2 sentences, and at most 1 sentence"),
    ({"characters": {"max": 9}}, {"characters": {"min": 10}}, "at least 10 characters, and at most 9 characters"),
    ({"characters": {"max": 50}}, {"words": {"min": 60}}, "at least 60 words, and at most 50 characters"),
    ({"words": {"max": 3}}, {"sentences": {"min": 5}}, "at least 5 sentences, and at most 3 words"),
    ({"words": {"max": 20}}, {"words": {"max": 30, "negate": True}}, "at least 31 words, and at most 20 words"),
    ({"words": {"min": 20}}, {"words": {"min": 10, "negate": True}}, "at least 20 words, and at most 9 words"),
    ("json", {"json": {"negate": True}}, "JSON, and no JSON"),
    ({"json_schema": OBJECT}, {"json": {"negate": True}}, "JSON, and no JSON"),
    ({"json_path": {"path": "$.a", "equals": 1}}, {"json": {"negate": True}}, "JSON, and no JSON"),
    ("json", {"starts_with": {"value": "Dear"}}, 'JSON, and a text that starts with "Dear"'),
    (
        {"json_schema": OBJECT},
        {"json_schema": {"schema": {"type": "array"}}},
        "of the type object, and of the type array",
    ),
    ({"language": "de"}, {"language": "en"}, "in the language de, and in the language en"),
    ({"language": "de"}, {"language": {"is": "de-AT", "negate": True}}, "in the language de, and not in it"),
    ({"contains": {"all": ["Our refund policy"]}}, {"contains": {"none": ["refund"]}}, '"refund" is not'),
    ({"contains": "refund"}, {"contains": {"value": "Refund", "negate": True}}, '"Refund" is not'),
    ({"contains": {"any": ["a b", "b c"]}}, {"contains": {"none": ["b"]}}, "none of"),
    ({"contains": {"value": "forty letters or so", "ignore_case": False}}, {"characters": {"max": 5}}, "at most 5"),
    ({"starts_with": {"value": "Hello"}}, {"starts_with": {"value": "Dear"}}, 'starts with "Hello", and with "Dear"'),
    ({"ends_with": {"value": "Bye."}}, {"ends_with": {"value": "?"}}, 'ends with "Bye.", and with "?"'),
    ({"starts_with": {"value": "Hello"}}, {"starts_with": {"value": "Hell", "negate": True}}, "and not with"),
    ({"starts_with": {"value": "Hello"}}, {"contains": {"none": ["hell"]}}, '"hell" is not'),
    ({"exact": {"value": "Yes, of course"}}, {"words": {"max": 2}}, "exactly"),
    ({"exact": {"value": "yes"}}, {"exact": {"value": "no"}}, "exactly"),
    ({"exact": {"value": "yes"}}, "json", "exactly"),
    ({"regex": {"pattern": "a+"}}, {"regex": {"pattern": "a+", "negate": True}}, "and not that"),
    ("refusal", {"refusal": {"negate": True}}, "refusal of {}, and not that"),
    (
        {"json_path": {"path": "$.a", "equals": 1}},
        {"json_path": {"path": "$.a", "equals": 2}},
        "$.a is [1], and is [2]",
    ),
    ({"json_path": {"path": "$.a", "one_of": [1, 2]}}, {"json_path": {"path": "$.a", "exists": False}}, "is not there"),
    ({"tools": {"all": ["a"]}}, {"tools": {"forbidden": ["a"]}}, 'the tool "a" is called, and is not'),
    ({"tools": {"any": ["a", "b"]}}, {"tools": {"forbidden": ["a", "b"]}}, "and none of them"),
    ({"tools": {"arguments": {"a": {"subset": {}}}}}, {"tools": {"exact": ["b"]}}, "no tools but"),
    ({"tools": {"all": ["a", "b"]}}, {"tools": {"max_calls": 1}}, "at least 2 tool calls, and at most 1 tool call"),
]
AGREE: list[tuple[Any, Any]] = [
    ({"words": {"max": 20}}, {"words": {"min": 20}}),
    ({"words": {"max": 20}}, {"characters": {"min": 1000}}),
    ({"words": {"max": 20}}, {"words": {"min": 5, "max": 10, "negate": True}}),
    ({"json": {"fence": True}}, {"json": {"fence": False, "negate": True}}),
    ("json", {"starts_with": {"value": "{"}}),
    ("json", {"starts_with": {"value": "```json"}}),
    ("json", {"starts_with": {"value": "True", "ignore_case": True}}),
    ({"json_schema": {"schema": {"type": "integer"}}}, {"json_schema": {"schema": {"type": "number"}}}),
    ({"language": "de"}, {"language": "de-AT"}),
    ({"language": "de"}, {"language": {"is": "en", "negate": True}}),
    ({"contains": {"all": ["refunds"]}}, {"contains": {"none": ["Refund policy"]}}),
    ({"contains": {"value": "REFUND", "ignore_case": True}}, {"contains": {"none": ["REFUND"], "ignore_case": False}}),
    ({"contains": {"all": ["process"]}}, {"forbidden_words": ["process"]}),
    ({"contains": {"any": ["a", "b"]}}, {"contains": {"none": ["b"]}}),
    ({"starts_with": {"value": "Hello"}}, {"starts_with": {"value": "Hello Ann"}}),
    ({"starts_with": {"value": "Hello"}}, {"ends_with": {"value": "Bye"}}),
    ({"starts_with": {"value": "hello", "ignore_case": True}}, {"starts_with": {"value": "hello", "negate": True}}),
    ({"exact": {"value": "yes"}}, {"words": {"max": 1}}),
    ({"exact": {"value": "yes"}}, {"similarity": {"value": "no"}}),
    ({"similarity": {"value": "a b"}}, {"similarity": {"value": "a b", "negate": True}}),
    ({"json_path": {"path": "$.a", "equals": 1}}, {"json_path": {"path": "$.b", "equals": 2}}),
    ({"json_path": {"path": "$.a", "one_of": [1, 2]}}, {"json_path": {"path": "$.a", "one_of": [2, 3]}}),
    ({"tools": {"any": ["a", "b"]}}, {"tools": {"forbidden": ["a"]}}),
    ({"contains": "{{ expected }}"}, {"contains": {"none": ["{{ expected }}"]}}),
]


def named(entry: Any, name: str) -> dict[str, Any]:
    kind, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    if kind in ("language", "contains", "forbidden_words") and not isinstance(options, dict):
        options = {{"language": "is", "contains": "value", "forbidden_words": "words"}[kind]: options}
    return {kind: {**options, "name": name}}


def both(one: Any, other: Any) -> tuple[ScorerSpec, ...]:
    return parse_scorers([named(one, "first"), named(other, "second")], "test")


def validated(folder: Path, scorers: list[Any], case: dict[str, Any]) -> tuple[int, str]:
    target = {"target": {"tools": {"fixtures": "t.yaml"}}}
    suite = {"name": "s", "prompt": "p.md", "cases": "c.json", "model": "fake:echo", "scorers": scorers, **target}
    tools = [{"name": name, "description": "x", "answers": [{"result": "x"}]} for name in ("a", "b")]
    files = {"p.md": "Help.", "t.yaml": json.dumps({"tools": tools}), "c.json": json.dumps([case])}
    make(folder, {**files, "gate.yaml": json.dumps({"version": 1, "suites": [suite]})})
    done = gate("validate", cwd=folder)
    return done.code, done.err


@pytest.mark.parametrize(("one", "other", "why"), CONTRADICT)
@pytest.mark.parametrize("place", ["the suite", "the case", "both"])
def test_scorers_that_contradict_each_other_are_an_error(
    tmp_path: Path, one: Any, other: Any, why: str, place: str
) -> None:
    for number, pair in enumerate(((one, other), (other, one))):
        first, second = named(pair[0], "first"), named(pair[1], "second")
        case: dict[str, Any] = {"id": "1", "input": "Hi"}
        scorers: list[Any] = ["refusal"] if "refusal" not in (one, other) else ["json"]
        match place:
            case "the suite":
                scorers = [first, second]
            case "the case":
                case["scorers"] = [first, second]
            case _:
                scorers, case["extra_scorers"] = [first], [second]
        code, said = validated(tmp_path / str(number), scorers, case)
        assert code == 2, said
        assert "no answer can meet the scorers" in said and "'first'" in said and "'second'" in said
        assert number or why in said
        assert ("gate.yaml" in said) == (place == "the suite")


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_scorers_that_some_answer_meets_are_none(one: Any, other: Any) -> None:
    assert list(contradictions(both(one, other))) == []
    assert list(contradictions(both(other, one))) == []


TEXTS = [
    "",
    "yes",
    "no",
    "Yes, of course",
    "Hello, a b c.",
    "Dear Ann. Bye.",
    '{"a": 1}',
    '{"a": 2}',
    "[1]",
    "1",
    "true",
]
ANSWERS = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(
        st.sampled_from("a b c. Hello Hell Dear refund Refund policy Our Bye. ? process yes 漢字 \n".split(" "))
    ).map(" ".join),
    st.text(max_size=60),
    st.integers(0, 120).map(lambda count: "word. " * count),
)
PAIRS = [
    (one, other) for one, other, _ in CONTRADICT if not {"language", "tools"} & {*named(one, ""), *named(other, "")}
]


@settings(max_examples=300, deadline=None)
@given(ANSWERS)
def test_no_answer_meets_two_scorers_that_contradict_each_other(answer: str) -> None:
    subject = Subject(Case("c", input="Hi"), answer)
    for one, other in PAIRS:
        scores = [validate(spec, subject).value for spec in both(one, other)]
        assert scores != [1.0, 1.0], (one, other)


def test_one_scorer_may_contradict_itself(tmp_path: Path) -> None:
    case = {"name": "1", "prompt": "Hi", "expected_tools": {"all": ["a"], "forbidden": ["a"]}}
    code, said = validated(tmp_path, ["refusal"], case)
    assert code == 2
    assert "no answer can meet the scorer 'expected_tools'" in said


def test_a_round_is_looked_at_by_itself(tmp_path: Path) -> None:
    tools = [{"all": ["a"]}, {"forbidden": ["a"]}]
    rounds = [{"prompt": "Hi", "expected_tools": one} for one in tools]
    assert validated(tmp_path / "apart", ["refusal"], {"name": "1", "rounds": rounds})[0] == 0
    rounds[0]["expected_tools"] = {"all": ["a", "b"], "max_calls": 1}
    assert validated(tmp_path / "one", ["refusal"], {"name": "1", "rounds": rounds})[0] == 2


def test_two_files_are_not_compared_with_a_case_that_cannot_pass(tmp_path: Path) -> None:
    row = {"id": "1", "input": "Hi", "scorers": [named(CONTRADICT[0][0], "a"), named(CONTRADICT[0][1], "b")]}
    make(tmp_path, {"a.md": "x", "b.md": "y", "c.jsonl": json.dumps(row)})
    done = gate("diff", "a.md", "b.md", "--cases", "c.jsonl", "--model", "fake:echo", cwd=tmp_path)
    assert done.code == 2
    assert "at least 100 words, and at most 20 words" in done.err
