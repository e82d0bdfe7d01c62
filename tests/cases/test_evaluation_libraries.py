"""Datasets of DeepEval, ragas and pydantic-evals on the command line: every field is used or listed."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from gate.cases.pydantic_evals import CONVERTED
from tests.support.command import Outcome, gate

DATA = Path(__file__).parents[1] / "data" / "formats"
PAGE = (Path(__file__).parents[2] / "docs/how-to/bring-cases.md").read_text(encoding="utf-8")
RECORDED = "Nobody checked this."

GOLDEN: dict[str, Any] = {
    "input": "Where is it?",
    "actual_output": RECORDED,
    "expected_output": "It left.",
    "retrieval_context": ["found"],
    "context": ["known"],
    "name": "order",
    "comments": "asked often",
    "source_file": "faq.md",
    "tools_called": [{"name": RECORDED}],
    "expected_tools": [{"name": "find", "inputParameters": {"id": 7}}],
    "additional_metadata": {"tier": "free"},
    "custom_column_key_values": {"tone": "kind"},
    "expectations": {"must": ["name a day"], "must_not": ["guess"]},
    "expected_labels": {"topic": "orders"},
    "token_cost": 0.5,
    "completion_time": 1.5,
}
CAMEL = {
    re.sub(r"_(.)", lambda found: found[1].upper(), key): value
    for key, value in GOLDEN.items()
    if key not in ("expectations", "expected_labels")
}
TURNS = [
    {"role": "user", "content": "Hi", "user_id": "u7"},
    {"role": "assistant", "content": "Hello!", "tools_called": [{"name": "greet"}]},
    {"role": "user", "content": "When?"},
    {"role": "assistant", "content": RECORDED},
]
TALK: dict[str, Any] = {
    "scenario": "Ada asks twice.",
    "turns": TURNS,
    "expected_outcome": "She hears a day.",
    "user_description": "patient",
    "context": ["known"],
    "name": "twice",
    "comments": None,
    "additional_metadata": {"tier": "pro"},
}
SIMULATED = {**TALK, "turns": None, "persona": {"name": "Ada", "characteristics": "patient", "voice": "alto"}}
SAMPLE: dict[str, Any] = {
    "user_input": "Where is it?",
    "retrieved_contexts": ["found", "it's known"],
    "reference_contexts": ["known"],
    "retrieved_context_ids": ["c7"],
    "response": RECORDED,
    "multi_responses": [RECORDED],
    "reference": "It left.",
    "rubrics": {"score1_description": "wrong day"},
    "persona_name": "Ada",
    "query_style": "POOR",
    "query_length": "SHORT",
    "synthesizer_name": "single_hop",
    "reference_topics": ["orders"],
    "reference_tool_calls": [{"name": "find", "args": {"id": 7}}],
}
CALLS = [{"content": "Hi", "type": "human"}, {"content": RECORDED, "type": "ai", "tool_calls": [{"name": "find"}]}]
CALLS += [{"content": RECORDED, "type": "tool"}]
BEFORE: dict[str, Any] = {
    "question": "Where is it?",
    "answer": RECORDED,
    "contexts": ["found", "it's known"],
    "ground_truth": "It left.",
    "evolution_type": "simple",
    "metadata": [{"source": "faq.md"}],
    "episode_done": True,
}
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "golden": ("deepeval", GOLDEN),
    "golden of the service": ("deepeval", CAMEL),
    "golden without a reference": ("deepeval", {"input": "Where is it?", "actual_output": RECORDED}),
    "conversation": ("deepeval", TALK),
    "sample": ("ragas", SAMPLE),
    "sample of a conversation": ("ragas", {"user_input": CALLS, "reference": "It left."}),
    "sample before 0.2": ("ragas", BEFORE),
    "sample before 0.2 without a reference": (
        "ragas",
        {key: BEFORE[key] for key in ("question", "answer", "contexts")},
    ),
}


def as_file(row: dict[str, Any], kind: str) -> tuple[str, str]:
    """Ending and text of a file with one row, as the libraries and their frames write it."""
    if kind in ("json cells", "python cells", "numpy cells"):
        cells = {key: as_cell(value, kind) for key, value in row.items() if value is not None}
        out = io.StringIO()
        writer = csv.DictWriter(out, list(cells))
        writer.writeheader()
        writer.writerow(cells)
        return ".csv", out.getvalue()
    if kind == "columns":
        return ".json", json.dumps({key: [value] for key, value in row.items()})
    if kind == "server":
        return ".json", json.dumps({"features": [], "rows": [{"row_idx": 0, "row": row, "truncated_cells": []}]})
    return (".json", json.dumps([row])) if kind == "json" else (".jsonl", json.dumps(row) + "\n")


def as_cell(value: Any, kind: str) -> Any:
    if not isinstance(value, (list, dict)):
        return value
    if kind == "numpy cells" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "[" + "\n ".join(map(repr, value)) + "]"
    return json.dumps(value) if kind == "json cells" else str(value)


KINDS = {
    "deepeval": ("json", "jsonl", "json cells"),
    "ragas": ("json", "jsonl", "json cells", "python cells", "numpy cells", "columns", "server"),
}
FILES = [(name, kind) for name, (library, _) in ROWS.items() for kind in KINDS[library]]


def converted(here: Path, file: str | Path, *words: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The cases, and what the command says."""
    done = gate("cases", "convert", str(file), "made.jsonl", "--json", "--force", *words, cwd=here)
    assert done.code == 0, done
    lines = (here / "made.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], json.loads(done.out)


def lint(here: Path, file: str) -> Outcome:
    return gate("cases", "lint", file, cwd=here)


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_a_recorded_answer_is_never_in_a_case_and_every_key_is_used_or_listed(
    tmp_path: Path, name: str, kind: str
) -> None:
    library, row = ROWS[name]
    ending, text = as_file(row, kind)
    (tmp_path / f"a{ending}").write_text(text, encoding="utf-8")
    (case,), told = converted(tmp_path, f"a{ending}")
    assert told["from"] == library
    assert RECORDED not in json.dumps(case)
    assert case.get("expected") == (None if "without" in name or name == "conversation" else "It left.")
    said = json.dumps([case, [loss["what"] for loss in told["losses"]]])
    for key, value in row.items():
        snake = re.sub(r"(?<=[a-z])[A-Z]", lambda found: f"_{found[0].lower()}", key)
        texts = set(texts_in(value)) - {"assistant", "user", "human", "ai", "tool"}
        if key == "turns":
            texts, snake = texts - {"u7", "greet", RECORDED}, "tools_called" if "user_id" in said else "user_id"
        assert value is None or snake in said or (texts and all(text in said for text in texts)), (key, said)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, (dict, list)):
        return [text for item in (value.values() if isinstance(value, dict) else value) for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


def test_all_files_of_one_dataset_give_the_same_cases(tmp_path: Path) -> None:
    for folder, files in {
        "deepeval": ("goldens.json", "goldens.jsonl", "goldens.csv"),
        "ragas": ("samples.jsonl", "samples.csv", "samples-hf.csv", "samples-columns.json"),
        "ragas ": ("before.jsonl", "before.csv", "before-columns.json"),
        "ragas  ": ("talks.jsonl", "talks.csv"),
        "pydantic-evals": ("support.yaml", "support.json"),
    }.items():
        made = [converted(tmp_path, DATA / folder.strip() / file) for file in files]
        assert all(told["from"] == folder.strip() for _, told in made), files
        assert all(cases == made[0][0] for cases, _ in made), files
        assert lint(tmp_path, "made.jsonl").code == 0, files


def test_goldens_of_deepeval(tmp_path: Path) -> None:
    order, price, cancel = converted(tmp_path, DATA / "deepeval/goldens.csv")[0]
    texts = ["Orders leave on Mondays.", "Parcels take two days."]
    assert order == {
        "id": "order",
        "input": "Where is my order?",
        "expected": "It left on Monday.",
        "vars": {"context": texts, "retrieval_context": texts, "tone": "kind"},
        "description": "asked every day",
        "slices": {"source_file": "faq.md", "tier": "free"},
    }
    assert price == {"id": "row-2", "input": "What does it cost?", "expected": "3.50"}
    tools = {"all": ["cancel", "mail"], "arguments": {"cancel": {"subset": {"id": 7}}}}
    assert cancel["extra_scorers"] == [{"tools": tools}]


@pytest.mark.parametrize("file", ["conversations.json", "conversations.jsonl", "conversations.csv"])
def test_conversations_of_deepeval(tmp_path: Path, file: str) -> None:
    refund, again, thanks = converted(tmp_path, DATA / "deepeval" / file)[0]
    assert refund["user"]["goal"] == "Ada wants her money back for order 7."
    assert "a patient customer" in refund["user"]["persona"]
    assert (refund["criteria"], refund["slices"]) == ("The refund is confirmed.", {"tier": "pro"})
    assert [turn["role"] for turn in again["messages"]] == ["user", "assistant", "user"]
    assert (again["description"], again["criteria"]) == ("Ada asks again.", "She hears the date.")
    assert thanks == {"id": "row-3", "description": "Ada says thanks.", "input": "It came, thanks"}


def test_what_a_persona_has_besides_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([SIMULATED]), encoding="utf-8")
    (case,), told = converted(tmp_path, "a.json")
    assert case["user"] == {"persona": "Ada: patient", "goal": "Ada asks twice."}
    assert any(loss["what"].endswith("because the gate has no equal: voice") for loss in told["losses"])


def test_a_picture_of_deepeval_is_not_asked_as_its_mark(tmp_path: Path) -> None:
    rows = [{**GOLDEN, "input": "What is [DEEPEVAL:IMAGE:a1]?"}, {**GOLDEN, "name": "b"}]
    (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    cases, told = converted(tmp_path, "a.json")
    assert [case["id"] for case in cases] == ["b"]
    assert "row 1 asks about a picture or PDF; it is left out" in [loss["what"] for loss in told["losses"]]


@pytest.mark.parametrize("cell", ["[{'content': nan}]", "[{'content': {'a', 'b'}}]", "[{[]: 1}]", "[{'a' 'b': 1}]"])
def test_a_conversation_that_cannot_be_read_is_not_asked_as_a_text(tmp_path: Path, cell: str) -> None:
    (tmp_path / "a.csv").write_text(f'user_input,reference\n"{cell}",x\nHi,y\n', encoding="utf-8")
    (case,), told = converted(tmp_path, "a.csv")
    assert case["input"] == "Hi"
    assert told["losses"][0]["where"] == ["a.csv:2"]


def test_evaluators_of_pydantic_evals(tmp_path: Path) -> None:
    (order, price, limits), told = converted(tmp_path, DATA / "pydantic-evals/support.yaml")
    exact: dict[str, Any] = {"exact": {"value": "{{ expected }}", "strip": False}}
    common = [
        {"judge": {"criteria": "Answers the question", "model": "openai:gpt-5"}, "name": "answers"},
        {"contains": {"value": "x", "ignore_case": False}, "name": "has x"},
    ]
    same = {**exact, "name": "same"}
    assert order["scorers"] == [*common, same, exact, {"contains": {"value": "way", "ignore_case": True}}]
    assert (order["slices"], price["scorers"]) == ({"tier": "free"}, [*common, same])
    assert limits["scorers"] == [
        *common,
        {"latency": {"max_s": 2.0}},
        {"judge": {"criteria": "Is kind.", "sees_input": False, "sees_expected": False}},
        {"exact": {"value": "{% raw %}x {{ y }}{% endraw %}", "strip": False}},
        {"tools": {"exact": ["find"]}},
        {"tools": {"max_calls": 3}, "name": "tools 2"},
        {
            "judge": {"criteria": "Is right.\n1. Read it.\n2. Score it.", "sees_expected": False, "sees_input": False},
            "name": "judge 2",
        },
    ]
    listed = " ".join(loss["what"] for loss in told["losses"])
    assert all(name in listed for name in ("'IsInstance'", "'HasMatchingSpan'", "ConfusionMatrixEvaluator", "'steps'"))


@pytest.mark.parametrize(
    ("spec", "scorer"),
    [
        ({"Equals": {"value": 5}}, {"json_path": {"path": "$", "equals": 5, "fence": False}}),
        ({"Equals": False}, {"json_path": {"path": "$", "equals": False, "fence": False}}),
        ("EqualsExpected", {"json_path": {"path": "$", "equals": "{{ expected }}", "fence": False}}),
        ({"Contains": {"value": 7, "as_strings": True}}, {"contains": {"value": "7", "ignore_case": False}}),
        ({"Equals": " "}, None),
        ({"Equals": {"value": {"a": "{{ b }}"}}}, None),
        ({"Contains": {"value": {"a": 1}}}, None),
        ({"Contains": ""}, None),
        ({"MaxDuration": "PT2S"}, None),
        ({"LLMJudge": {"rubric": "{{ a }} {% endraw %}"}}, None),
        ({"ToolCorrectness": {"expected_tools": 7}}, None),
        ({"MyEvaluator": {"depth": 3}}, None),
        (["Equals"], None),
    ],
)
def test_an_evaluator_becomes_a_scorer_or_is_listed(tmp_path: Path, spec: Any, scorer: Any) -> None:
    cases = [{"name": "a", "inputs": {"question": "Where?", "tone": "kind"}, "expected_output": {"city": "Paris"}}]
    (tmp_path / "a.json").write_text(json.dumps({"cases": cases, "evaluators": [spec]}), encoding="utf-8")
    (case,), told = converted(tmp_path, "a.json")
    assert (case["input"], case["vars"], case["expected"]) == ("Where?", {"tone": "kind"}, {"city": "Paris"})
    assert case.get("scorers") == (None if scorer is None else [scorer])
    assert bool(told["losses"]) == (scorer is None)


def test_the_page_lists_every_evaluator() -> None:
    table = PAGE.partition("| evaluator | scorer |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`([A-Z]\w+)`", table)) == sorted(CONVERTED)


def test_a_dataset_runs_with_its_evaluators(tmp_path: Path) -> None:
    """Also where a text looks like a template."""
    cases = [
        {"name": "brace", "inputs": "x {{ y }}", "evaluators": [{"Equals": "x {{ y }}"}]},
        {"name": "wrong", "inputs": "yes", "expected_output": "no"},
    ]
    dataset = {"name": "d", "cases": cases, "evaluators": ["EqualsExpected"]}
    (tmp_path / "d.yaml").write_text(json.dumps(dataset), encoding="utf-8")
    converted(tmp_path, "d.yaml")
    (tmp_path / "p.md").write_text("Help.\n")
    suite = {"name": "s", "prompt": "p.md", "cases": "made.jsonl", "model": "fake:echo", "scorers": ["exact"]}
    (tmp_path / "gate.yaml").write_text(json.dumps({"version": 1, "suites": [{**suite, "samples": 1}]}))
    done = gate("check", "--json", cwd=tmp_path)
    checks = {case.id: case.check for case in done.record.new[0].cases}
    assert {name: check and check.score for name, check in checks.items()} == {"brace": 1.0, "wrong": 0.0}, done.err


@pytest.mark.parametrize(
    ("file", "library"),
    [
        ("deepeval/goldens.json", "deepeval"),
        ("deepeval/conversations.jsonl", "deepeval"),
        ("ragas/samples.jsonl", "ragas"),
        ("ragas/before.jsonl", "ragas"),
        ("pydantic-evals/support.yaml", "pydantic-evals"),
        ("pydantic-evals/support.json", "pydantic-evals"),
    ],
)
def test_a_dataset_in_place_of_cases_is_one_error_that_names_the_command(
    tmp_path: Path, file: str, library: str
) -> None:
    done = lint(tmp_path, str(DATA / file))
    assert done.code == 2
    assert f"is a dataset of {library}, not a case file" in done.err and done.err.count("error:") == 1
    assert "gate cases convert" in done.err


def test_a_sheet_of_ragas_does_not_give_its_answer_as_expected(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer,contexts\nWhere?,Here.,x\n", encoding="utf-8")
    done = lint(tmp_path, "a.csv")
    assert done.code == 2
    assert "a.csv:1: has the columns of ragas, in which 'answer' is what a model answered" in done.err
