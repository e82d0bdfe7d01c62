"""`gate validate` lists all errors at once."""

import json
from pathlib import Path

import pytest

from gate.scaffold.validate import validate_configuration
from tests.support.command import gate, git
from tests.support.repository import make, write

CONFIG = """\
version: 1
defaults: {model: "fake:echo"}
suites:
  - {name: gone, prompt: prompts/gone.md, cases: evals/a.jsonl, scorers: [refusal]}
  - {name: broken, prompt: prompts/broken.j2, cases: evals/broken.jsonl, scorers: [refusal]}
  - name: files
    prompt: prompts/a.md
    cases: evals/a.jsonl
    scorers:
      - rubric: {file: evals/none.yaml}
      - judge: {criteria: x, template: evals/judge.j2}
  - {name: empty, prompt: "none/*.md", cases: evals/a.jsonl, scorers: [refusal]}
  - {name: unfilled, prompt: prompts/unfilled.j2, cases: evals/a.jsonl, scorers: [contains]}
"""
FILES = {
    "gate.yaml": CONFIG,
    "prompts/a.md": "You help.",
    "prompts/broken.j2": "one\n{{ two",
    "prompts/unfilled.j2": "{{ name }}",
    "evals/a.jsonl": '{"id": "1", "input": "x"}\n',
    "evals/broken.jsonl": '{"id": "1", "input": "x"}\n{"id": "2", "inputs": "x"}\n',
    "evals/judge.j2": "{{ bad",
}


def test_all_errors_are_listed_with_lines(tmp_path: Path) -> None:
    root = tmp_path / "r"
    write(root, FILES)
    git(root, "init", "--quiet")
    done = gate("validate", cwd=root)
    assert done.code == 2
    assert done.out == ""
    found = [line.split(": ")[1] for line in done.err.splitlines() if line.startswith("error: ")]
    assert set(found) == {
        *("prompts/gone.md", "prompts/broken.j2:2", "evals/broken.jsonl:2", "gate.yaml:10", "evals/judge.j2:1"),
        *("gate.yaml:12", "prompts/unfilled.j2:1", "evals/a.jsonl:1"),
    }, done.err
    assert "other case" not in done.err
    document = json.loads(gate("validate", "--json", cwd=root).out)
    assert document["valid"] is False
    assert {one["where"] for one in document["problems"]} == set(found)


def test_a_ref_is_checked_as_committed(tmp_path: Path) -> None:
    good = '{"id": "1", "input": "x"}\n'
    config = 'version: 1\nsuites: [{name: a, prompt: a.md, cases: c.jsonl, model: "fake:echo", scorers: [refusal]}]\n'
    root = make(tmp_path / "r", {"gate.yaml": config, "a.md": "x", "c.jsonl": good})
    write(root, {"c.jsonl": "{"})
    assert gate("validate", cwd=root).code == 2
    done = gate("validate", "--ref", "main", cwd=root)
    assert done.code == 0, done.err
    assert done.out.startswith("gate.yaml at main has no errors.\n  a: a.md; 1 case from c.jsonl; scored by refusal;")
    assert "c.jsonl: only 1 case; the gate needs at least 10 to block" in done.out
    assert gate("validate", "--ref", "none", cwd=root).code == 2
    assert gate("validate", "--ref", "main", "--quiet", cwd=root).out == ""


def test_schemas_are_written_for_editors(tmp_path: Path) -> None:
    done = gate("schema", "cases", "--out", "evals/schemas/cases.json", cwd=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert json.loads((tmp_path / "evals/schemas/cases.json").read_text(encoding="utf-8"))["title"] == "cases"
    for name in ("case", "rubric", "sample"):
        assert json.loads(gate("schema", name, cwd=tmp_path).out)["title"]


def test_a_missing_local_model_is_reported_without_loading_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = ("gemma3-270m", "gemma3-27b", "models/none.gguf", "models/some.gguf")
    suites = "".join(
        f"  - {{name: s{n}, prompt: prompts/a.md, cases: evals/a.jsonl, model: 'local:{name}', scorers: [refusal]}}\n"
        for n, name in enumerate(models)
    )
    judge = "  - {name: j, prompt: prompts/a.md, cases: evals/a.jsonl, model: 'fake:echo', scorers: [{judge: "
    judge += "{criteria: x, model: 'local:judge.gguf'}}]}\n"
    config = f"version: 1\nsuites:\n{suites}{judge}"
    write(tmp_path, {"gate.yaml": config, **{path: FILES[path] for path in ("prompts/a.md", "evals/a.jsonl")}})
    write(tmp_path, {"models/some.gguf": "no model, and nobody looks into it"})
    monkeypatch.chdir(tmp_path)
    looked = validate_configuration("gate.yaml", None)
    assert not looked.problems
    assert [one.text for one in looked.remarks if one.text.startswith("local:")] == [
        "local:gemma3-27b: this is neither the packaged model (gemma3-270m) nor a file",
        "local:models/none.gguf: there is no file models/none.gguf on this machine",
        "local:judge.gguf: there is no file judge.gguf on this machine",
    ]


def test_an_unsupported_parameter_is_reported_before_a_run(tmp_path: Path) -> None:
    suite = "{prompt: prompts/a.md, cases: evals/a.jsonl, scorers: [refusal], "
    config = (
        "version: 1\nsuites:\n"
        f"  - {suite}name: a, model: 'openai:gpt-5-mini', params: {{temperature: 0}}}}\n"
        f"  - {suite}name: b, model: 'openai:gpt-4.1-mini', params: {{temperature: 0}}}}\n"
        f"  - {suite}name: c, model: 'own:gpt-5', params: {{temperature: 0}}}}\n"
        "providers: {own: {api: openai, base_url: 'http://gpu.internal:8000/v1'}}\n"
    )
    write(tmp_path, {"gate.yaml": config, **{path: FILES[path] for path in ("prompts/a.md", "evals/a.jsonl")}})
    done = gate("validate", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.count("does not take") == 1
    assert "note: openai:gpt-5-mini is a reasoning model and does not take temperature; remove temperature" in done.out


def test_a_model_without_a_known_price_is_reported(tmp_path: Path) -> None:
    suite = "{name: a, prompt: prompts/a.md, cases: evals/a.jsonl, scorers: [refusal]}"
    config = "version: 1\nbudget: {max_usd: 1}\ndefaults: {model: %s}\nsuites: [%s]\n"
    write(tmp_path, {**FILES, "gate.yaml": config % ('"openai:our-own-model"', suite)})
    done = gate("validate", cwd=tmp_path)
    assert done.code == 0
    said = "The price of openai:our-own-model is unknown, so budget.max_usd does not count its calls"
    assert said in done.out and "set budget.max_calls to limit them" in done.out
    with_price = (config % ('"openai:our-own-model"', suite)) + "prices: {our-own-model: {input: 1, output: 2}}\n"
    for text in (config % ('"openai:gpt-4o-mini"', suite), config % ('"fake:echo"', suite), with_price):
        write(tmp_path, {"gate.yaml": text})
        elsewhere = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
        assert "is unknown" not in gate("validate", cwd=tmp_path, env=elsewhere).out


FORM = "- id: case-1\n  vars:\n    city:\n  expected:\n"
FORMS = """version: 1
defaults: {model: "fake:echo", samples: 1}
suites:
  - {name: a, prompt: a.md, cases: a.yaml, scorers: [contains]}
  - {name: b, prompt: b.j2, cases: b.yaml, scorers: [contains]}
"""


def test_an_empty_case_file_is_no_error_but_not_evaluated(tmp_path: Path) -> None:
    rows = "- {id: case-1, input: x, expected: x}\n"
    files = {"gate.yaml": FORMS, "a.md": "You help.", "a.yaml": rows, "b.j2": "Praise {{ city }}.", "b.yaml": FORM}
    root = make(tmp_path / "r", files)
    checked = gate("validate", cwd=root)
    assert checked.code == 0, checked.err
    assert "1 suite ready to run" in checked.out and "a: a.md; 1 case from a.yaml" in checked.out
    assert "Empty case files: b.yaml." in checked.out
    told = json.loads(gate("validate", "--json", cwd=root).out)
    assert (told["valid"], told["waiting"]) == (True, ["b.yaml"])
    write(root, {"a.md": "You help much."})
    assert gate("diff", "--base", "main", "--quiet", cwd=root).code == 0
    write(root, {"b.j2": "Do not praise {{ city }}."})
    refused = gate("diff", "--base", "main", cwd=root)
    assert refused.code == 2
    assert "b.yaml:1: has only empty rows" in refused.err and "gate generate" in refused.err


def test_rows_count_once_they_are_filled_in(tmp_path: Path) -> None:
    rows = "- {id: case-1, input: x, expected: x}\n"
    blank = "- id: case-1\n  input:\n  expected:\n"
    two = FORMS.replace("b.j2", "b.md")
    files = {"a.md": "You help.", "b.md": "You praise."}
    root = make(tmp_path / "r", files)
    # What gate init wrote, in a change of its own: no prompt changed, so nothing is missing.
    write(root, {"gate.yaml": two, "a.yaml": blank, "b.yaml": blank})
    brought = gate("diff", "--base", "main", cwd=root)
    assert brought.code == 0 and "SKIPPED" in brought.out, brought.err
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "gate")
    # Rows and prompt together: main has no exam, so the change's own counts. The other suite stops nothing.
    write(root, {"a.yaml": rows, "a.md": "You help much."})
    filled = gate("diff", "--base", "main", "--json", cwd=root)
    assert filled.code == 0, filled.err
    assert [suite.name for suite in filled.record.suites] == ["a"]
    git(root, "commit", "--quiet", "--all", "--message", "rows")
    past = gate("backtest", "--json", cwd=root)
    assert past.code == 0 and [row["verdict"] for row in json.loads(past.out)["commits"]][0] is not None, past.err
