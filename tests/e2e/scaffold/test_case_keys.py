"""Every key of a case is read by something in its suite, or is an error that says what is missing."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gate.cases.forms import AgentTest, CommonFields, GoldenTranscript, PlainCase
from gate.resolve.case_keys import CASE_KEYS
from tests.support.command import gate
from tests.support.repository import make

FIXTURES = "tools: [{name: look, description: Looks., answers: [{result: x}]}]\n"
BARE: dict[str, Any] = {"name": "s", "prompt": "p.md", "cases": "c.json", "model": "fake:echo", "scorers": ["refusal"]}
JUDGE = {"judge": {"criteria": "Is right.", "model": "fake:judge"}}
FULL: dict[str, Any] = {
    **{**BARE, "prompt": "p.j2", "scorers": [JUDGE], "target": {"tools": {"fixtures": "tools.yaml"}}},
    "conversation": {"followups": {"model": "fake:echo"}, "user": {"model": "fake:echo"}},
}
PLAIN: dict[str, Any] = {"id": "a", "input": "Hi"}
AGENT: dict[str, Any] = {"name": "a", "prompt": "Hi"}
ROUND: dict[str, Any] = {"prompt": "Hi"}
GOLDEN: dict[str, Any] = {"id": "a", "state": "open", "conversation": [{"role": "user", "content": "Hi"}]}
COMMON: dict[str, Any] = {
    **{"slices": {"tier": "pro"}, "slice": "x", "cluster": "k", "vars": {"tone": "kind"}, "scorers": ["refusal"]},
    **{"extra_scorers": ["json"], "criteria": "Is kind.", "threshold": 0.5, "obsolete": False},
}
VALUES: Mapping[type[CommonFields], tuple[dict[str, Any], dict[str, Any]]] = {
    PlainCase: (
        PLAIN,
        {
            **COMMON,
            **{"id": "b", "input": "Ho", "expected": "yes", "description": "Why."},
            "messages": [{"role": "user", "content": "Hi"}],
        },
    ),
    GoldenTranscript: (
        GOLDEN,
        {**COMMON, **GOLDEN, "session": {"name": "Ann"}, "expect": {"max_sentences": 2}},
    ),
    AgentTest: (
        AGENT,
        {
            **COMMON,
            **{"id": "b", "name": "b", "prompt": "Ho", "expected": "yes", "description": "Why."},
            **{"judge_prompt": "Is kind.", "judge_threshold": 0.6, "expected_tools": ["look"]},
            **{"facts": "It is May.", "user": {"goal": "Know."}, "rounds": [ROUND, ROUND], "test_agent_revival": True},
        },
    ),
}
"""For each form the least that it needs, and a value for each of its keys."""
INNER: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "expect": (
        {},
        {"max_sentences": 2, "must_paraphrase": True, "forbidden_words": ["x"], "should_ask": "name"},
    ),
    "user": ({"goal": "Know."}, {"persona": "Ann", "goal": "Know.", "max_turns": 2}),
    "rounds[]": (
        ROUND,
        {"prompt": "Hi", "judge_prompt": "Is kind.", "judge_threshold": 0.6, "expected_tools": ["look"]},
    ),
}
"""The same for the mappings within a case."""
NEEDS = {
    **dict.fromkeys(("criteria", "judge_prompt", "rounds[].judge_prompt"), "it needs a judge"),
    **dict.fromkeys(("judge_threshold", "rounds[].judge_threshold"), "it needs a judge"),
    **dict.fromkeys(("expected_tools", "rounds[].expected_tools"), "it needs a target, which calls tools"),
    "expected": "it needs a scorer that compares with it",
    "vars": "it needs a prompt that is a template",
    "session": "it needs a prompt that is a function or a template",
    "facts": "it needs a model that answers questions back",
    **dict.fromkeys(("user", "user.persona", "user.goal", "user.max_turns"), "no model is set to play it"),
}
"""What the bare suite lacks for a key; the others are read in every suite."""


def properties(schema: Mapping[str, Any], name: str) -> set[str]:
    return set(schema["$defs"][name]["properties"])


def schema_keys() -> set[str]:
    """Every key that a case may have, by the JSON Schemas of its forms."""
    found: set[str] = set()
    inner = {"expect": "Expectations", "user": "SimulatedUser", "rounds[]": "AgentRound"}
    for form in VALUES:
        schema = form.model_json_schema()
        found |= set(schema["properties"])
        for key, name in inner.items():
            if key.removesuffix("[]") in schema["properties"]:
                found |= {f"{key}.{each}" for each in properties(schema, name)}
    return found


def one_key_cases() -> list[tuple[str, dict[str, Any]]]:
    """For each key of each form a case that has it beside what the form needs."""
    found = []
    for form, (least, values) in VALUES.items():
        for key, value in values.items():
            # What cannot stand beside it gives way.
            rest = {"messages": ("input",), "rounds": ("prompt",), "test_agent_revival": ("prompt",)}.get(key, ())
            case = {name: given for name, given in least.items() if name not in rest} | {key: value}
            case |= {"rounds": values["rounds"]} if key == "test_agent_revival" else {}
            found.append((key, case))
        for key, (needed, more) in INNER.items():
            outer = key.removesuffix("[]")
            if outer not in form.model_fields:
                continue
            for name, value in more.items():
                inner = {**needed, name: value}
                base = {one: given for one, given in least.items() if outer != "rounds" or one != "prompt"}
                found.append((f"{key}.{name}", {**base, outer: [inner] if key.endswith("[]") else inner}))
    return found


def validated(folder: Path, suite: Mapping[str, Any], case: Mapping[str, Any]) -> tuple[int, str]:
    files = {"p.md": "Help.", "p.j2": "Help. {{ input }}", "tools.yaml": FIXTURES, "c.json": json.dumps([case])}
    make(folder, {**files, "gate.yaml": json.dumps({"version": 1, "suites": [suite]})})
    done = gate("validate", cwd=folder)
    return done.code, done.err


def test_the_table_has_every_key_of_the_schema_once() -> None:
    keys = [key for row in CASE_KEYS for key in row.keys]
    assert sorted(keys) == sorted(schema_keys())
    assert {key for key, _ in one_key_cases()} == schema_keys()


@pytest.mark.parametrize(("key", "case"), one_key_cases())
def test_a_key_is_read_or_is_an_error_that_says_what_is_missing(tmp_path: Path, key: str, case: dict[str, Any]) -> None:
    code, said = validated(tmp_path / "full", FULL, case)
    assert code == 0, said
    code, said = validated(tmp_path / "bare", BARE, case)
    if key not in NEEDS:
        assert code == 0, said
        return
    assert code == 2
    assert NEEDS[key] in said and "c.json" in said
    assert key in said or key.startswith("user")


OTHERWISE: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    (
        "a judge of pairs has no mark",
        {"scorers": ["refusal", {"pairwise": {"criteria": "Better.", "model": "fake:judge"}}]},
        {**AGENT, "judge_threshold": 0.6},
        "it needs a judge",
    ),
    (
        "a threshold replaces those of scorers",
        {"threshold": 0.8},
        {**AGENT, "judge_threshold": 0.6},
        "without threshold",
    ),
    ("the case's own threshold", {}, {**AGENT, "judge_threshold": 0.6, "threshold": 0.5}, "without threshold"),
    ("the case's own scorers", {}, {**AGENT, "judge_prompt": "Kind.", "scorers": ["refusal"]}, "it needs a judge"),
    (
        "each round has criteria",
        {},
        {"name": "a", "judge_prompt": "Kind.", "rounds": [{"prompt": "Hi", "judge_prompt": "Short."}]},
        "a round without a judge_prompt",
    ),
    (
        "each round has a threshold",
        {},
        {"name": "a", "judge_threshold": 0.6, "rounds": [{"prompt": "Hi", "judge_threshold": 0.7}]},
        "a round without a judge_threshold",
    ),
    (
        "a judge that does not see it",
        {"scorers": [{"judge": {**JUDGE["judge"], "sees_expected": False}}]},
        {**AGENT, "expected": "yes"},
        "it needs a scorer that compares with it",
    ),
    (
        "a limit of no follow-ups",
        {"conversation": {"followups": {"model": "fake:echo"}, "max_followups": 0}},
        {**AGENT, "facts": "It is May."},
        "it needs a model that answers questions back",
    ),
]


@pytest.mark.parametrize(("more", "case", "said"), [row[1:] for row in OTHERWISE], ids=[row[0] for row in OTHERWISE])
def test_what_looks_like_a_reader_and_is_none(
    tmp_path: Path, more: dict[str, Any], case: dict[str, Any], said: str
) -> None:
    code, found = validated(tmp_path, {**FULL, **more}, case)
    assert code == 2, found
    assert said in found


def test_criteria_are_given_once(tmp_path: Path) -> None:
    code, said = validated(tmp_path, FULL, {**AGENT, "criteria": "Kind.", "judge_prompt": "Short."})
    assert code == 2
    assert "criteria and 'judge_prompt' are the same" in said


def test_the_change_that_removes_an_unread_key_is_not_held_up_by_it(tmp_path: Path) -> None:
    case = {**PLAIN, "criteria": "Is kind."}
    files = {"p.md": "Help.", "c.json": json.dumps([case]), "gate.yaml": json.dumps({"version": 1, "suites": [BARE]})}
    make(tmp_path, files)
    assert "has criteria or judge_prompt" in gate("check", cwd=tmp_path).err
    (tmp_path / "p.md").write_text("Help kindly.")
    assert gate("diff", "--base", "main", cwd=tmp_path).code == 2
    (tmp_path / "c.json").write_text(json.dumps([PLAIN]))
    done = gate("diff", "--base", "main", cwd=tmp_path)
    assert done.code == 0, done.err
