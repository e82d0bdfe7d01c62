"""Files that the other tools' own libraries wrote, and rows as those libraries read them.

What a library does with a row was tried with it: inspect-ai 0.3.285, crfm-helm 0.5.16, evals 3.0.1, prompty 2.1.0.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.convert import ImportedCases, export_cases, import_cases

DATA = Path(__file__).parents[1] / "data/formats"
TALK = [
    {"role": "system", "content": "Be short"},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "And you?"},
]


def brought(file: str) -> ImportedCases:
    return import_cases((DATA / file).read_text(encoding="utf-8"), file)


def test_samples_of_inspect() -> None:
    named, talk, choice = brought("inspect/samples-dumped.jsonl").cases
    assert named["description"] == "any of two" and "vars" not in named
    assert talk == {"id": "2", "messages": TALK, "expected": "Fine"}
    assert choice["vars"] == {"choices": ["apple", "stone"]}


def test_examples_of_langsmith() -> None:
    first, talk, bare, _ = brought("langsmith/examples.jsonl").cases
    assert first["slices"] == {"dataset_split": "base", "tier": "free"}
    # The reply is written down as a turn; what is expected are its words.
    assert (len(talk["messages"]), talk["expected"]) == (3, "Bye!")
    assert bare == {"id": "00000000-0000-0000-0000-000000000003", "input": "x"}


@pytest.mark.parametrize("file", ["instances.json", "instances.jsonl", "scenario_state.json"])
def test_instances_of_helm(file: str) -> None:
    found = brought(f"helm/{file}").cases
    assert [case.get("cluster") for case in found] == [None, "id1", None]
    assert (found[2]["messages"], found[2]["expected"], found[2]["id"]) == (TALK, ["Fine", "Well"], "id3")


def test_a_prompty_of_the_second_version() -> None:
    file = "prompty/support.prompty"
    bundle = read_bundle((DATA / file).read_text(encoding="utf-8"), file, lambda path: None)
    (suite,) = bundle.suites
    assert suite.cases == ({"id": "sample", "vars": {"question": "Where is it?", "tone": "kind"}},)
    assert (suite.model, suite.params) == ("openai:gpt-5-mini", {"max_output_tokens": 50, "temperature": 0.2})
    listed = "---\ninputs:\n  - {name: question, example: Why?}\n  - {kind: string}\n---\nuser:\n{{ question }}\n"
    assert import_cases(listed, "a.prompty").cases == ({"id": "sample", "vars": {"question": "Why?"}},)


@pytest.mark.parametrize("expected", [42, {"city": "Paris"}, ["a", 1], True])
def test_an_ideal_is_a_text_or_texts(expected: Any) -> None:
    case = {"id": "sample-1", "input": "x", "expected": expected}
    text = export_cases([case], "c.jsonl", "openai-evals").text
    assert json.loads(text)["ideal"] == json.dumps(expected)
    assert import_cases(text, "c.jsonl").cases == (case,)


def test_a_conversation_is_found_under_any_key() -> None:
    for inputs in ({"input": TALK}, {"turns": TALK}, {"messages": TALK}):
        row = json.dumps({"id": "a", "inputs": inputs, "outputs": {"message": {"role": "assistant", "content": "Yes"}}})
        assert import_cases(row, "c.jsonl").cases == ({"id": "a", "messages": TALK, "expected": "Yes"},)


def test_recorded_output_of_a_braintrust_experiment_is_not_expected() -> None:
    row = {"id": "a", "root_span_id": "r", "input": "Hi", "output": "Ho", "scores": {"x": 1}, "metrics": {"tokens": 3}}
    found = import_cases(json.dumps(row), "c.jsonl")
    assert found.cases == ({"id": "a", "input": "Hi"},)
    assert "what an experiment recorded is left out: output, metrics, scores" in [loss.what for loss in found.losses]
    # Where nothing was recorded, it is what datasets of former days call the reference.
    row = {"id": "a", "_xact_id": "1", "input": "Hi", "output": "Ho"}
    assert import_cases(json.dumps(row), "c.jsonl").cases == ({"id": "a", "input": "Hi", "expected": "Ho"},)
