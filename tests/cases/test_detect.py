"""Formats are detected by name and content, and rows are converted completely."""

import json
from pathlib import Path

import pytest

from gate.cases.convert import import_cases
from gate.cases.losses import Loss, described_losses
from gate.values import JsonValue

DATA = Path(__file__).parents[1] / "data" / "formats"
CHAT = {"messages": [{"type": "human", "content": "x"}]}
LANGSMITH = {"id": "1", "inputs": {"q": "x"}, "outputs": {"a": "y"}, "created_at": "z", "metadata": {"t": "pro"}}
BRAINTRUST = {"id": "1", "input": {"q": "x", "k": 3}, "expected": "y", "tags": ["t"], "_xact_id": "9"}
REFERENCES = [{"output": {"text": "y"}, "tags": ["correct"]}, {"output": {"text": "z"}, "tags": []}]
HELM = {
    "id": "id7",
    "input": {"text": "x"},
    "references": REFERENCES,
    "split": "test",
    "perturbation": {"name": "typos"},
}
ROWS = [
    (
        "a.jsonl",
        json.dumps(LANGSMITH),
        "langsmith",
        {"id": "1", "input": "x", "expected": "y", "slices": {"t": "pro"}},
    ),
    ("a.json", json.dumps({"examples": [{"id": "1", "inputs": CHAT}]}), "langsmith", {"id": "1", "input": "x"}),
    (
        "a.jsonl",
        json.dumps(BRAINTRUST),
        "braintrust",
        {"id": "1", "vars": {"q": "x", "k": 3}, "expected": "y", "slices": {"tag:t": "yes"}},
    ),
    (
        "a.json",
        json.dumps([HELM]),
        "helm",
        {
            "id": "row-1",
            "cluster": "id7",
            "input": "x",
            "expected": "y",
            "vars": {"choices": ["y", "z"]},
            "slices": {"split": "test"},
        },
    ),
    (
        "a.json",
        json.dumps({"request_states": [{"instance": {"id": "i", "input": {"text": "x"}, "references": []}}]}),
        "helm",
        {"id": "i", "input": "x"},
    ),
    (
        "a.jsonl",
        '{"input": "x", "target": ["y"], "choices": ["y", "z"], "sandbox": "docker"}',
        "inspect",
        {"id": "row-1", "input": "x", "expected": ["y"], "vars": {"choices": ["y", "z"]}},
    ),
    (
        "a.jsonl",
        '{"item": {"input": "x", "expected": "y", "topic": "t"}, "sample": {}}',
        "openai-items",
        {"id": "sample-1", "input": "x", "expected": "y", "vars": {"topic": "t"}},
    ),
    (
        "a.jsonl",
        '{"item": {"question": "x", "answer": "y", "contexts": ["z"]}}',
        "openai-items",
        {"id": "sample-1", "input": "x", "vars": {"answer": "y", "contexts": ["z"]}},
    ),
    ("a.csv", "Frage,id\nx,1\n", "csv", {"id": "1", "input": "x"}),
    ("a.prompty", "---\nsample: {q: x}\n---\nuser:\n{{q}}\n", "prompty", {"id": "sample", "vars": {"q": "x"}}),
    (
        "a.prompt.yml",
        "testData: [{input: x, q: y}]\n",
        "prompt-yml",
        {"id": "test-1", "input": "x", "vars": {"q": "y"}},
    ),
]


@pytest.mark.parametrize(("file", "text", "format_", "case"), ROWS)
def test_formats_are_detected_by_content(file: str, text: str, format_: str, case: dict[str, object]) -> None:
    found = import_cases(text, file)
    assert found.format == format_
    assert found.cases == (case,)
    assert import_cases("\ufeff" + text, file, format_).cases == (case,)


@pytest.mark.parametrize(
    ("file", "format_", "count", "lost"),
    [
        ("openai-evals/samples.jsonl", "openai-evals", 3, 0),
        ("inspect/samples-md.jsonl", "inspect", 1, 0),
        ("inspect/samples-dumped.jsonl", "inspect", 3, 4),
        ("langsmith/examples.jsonl", "langsmith", 4, 6),
        ("helm/instances.json", "helm", 3, 2),
        ("promptfoo/config-csv-metadata/tests.csv", "promptfoo", 3, 3),
        ("promptfoo/simple-test/promptfooconfig.yaml", "promptfoo", 5, 5),
        ("gh-models/sample.prompt.yml", "prompt-yml", 2, 0),
    ],
)
def test_real_files_are_detected_and_imported(file: str, format_: str, count: int, lost: int) -> None:
    found = import_cases((DATA / file).read_text(encoding="utf-8"), file)
    assert (found.format, len(found.cases), len(found.losses)) == (format_, count, lost)


def test_rows_without_a_question_are_left_out_and_reported() -> None:
    rows = [
        {"id": "a", "input": "x", "target": "y"},
        {"id": "a", "input": "z", "target": "y", "metadata": {"deep": {"b": 1}, "n": 5}},
        {"id": " ", "input": [{"role": "user", "content": [{"type": "image", "image": "x.png"}]}], "target": "y"},
        {"id": "c", "input": [{"role": "assistant", "content": "x"}], "target": "y"},
        {"id": "d", "input": "", "target": "y"},
    ]
    found = import_cases("\n".join(map(json.dumps, rows)), "a.jsonl")
    assert [case["id"] for case in found.cases] == ["a", "a-2"]
    assert found.cases[1]["slices"] == {"n": "5"}
    assert [loss.where for loss in found.losses] == [f"a.jsonl:{line}" for line in (2, 3, 3, 4, 5, 2)]


def test_losses_are_listed_in_short_lines() -> None:
    same = [Loss(f"a:{at}", "'rouge-n' cannot be converted", "use similarity") for at in range(5)]
    assert described_losses(same, "")[1:] == [
        "  a:0, a:1, a:2 and 2 more: 'rouge-n' cannot be converted (use similarity)"
    ]
    lines = described_losses([Loss("a", f"key {'x' * at} is lost") for at in range(40)], "see b.md")
    assert (len(lines), lines[1], lines[-1]) == (32, "  a: key  is lost", "  10 more kinds; see b.md")


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        ([[{"type": "human", "data": {"content": "Why?"}}]], {"input": "Why?"}),
        ([{"lc": 1, "type": "constructor", "id": ["a", "HumanMessage"], "kwargs": {"content": "Why?"}}],
         {"input": "Why?"}),
        ([], {"vars": {"messages": []}}),
        (["a", {}], {"vars": {"messages": ["a", {}]}}),
    ],
)  # fmt: skip
def test_conversations_as_langsmith_exports_them(messages: JsonValue, asked: dict[str, JsonValue]) -> None:
    row = {"inputs": {"messages": messages}, "outputs": {"output": "So."}}
    (case,) = import_cases(json.dumps(row), "examples.jsonl", "langsmith").cases
    assert case == {"id": "row-1", "expected": "So.", **asked}
