"""Early stopping: a look after each repeat of the cases ends the run for all slices or for none."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.model_server import ModelServer

TIERS = ("gold", "free", "pro")
CASES = [
    {"id": f"c{i}", "input": f"answer=word{i} slice={tier}", "expected": f"word{i}", "slices": {"tier": tier}}
    for i, tier in enumerate(TIERS * 12)
]
PLANNED = 5
PAIRS = 2 * len(CASES)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    (tmp_path / "prompt.md").write_text("Answer. quality=0.8")
    (tmp_path / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        "suites:\n  - name: s\n    prompt: prompt.md\n    cases: cases.jsonl\n    slices: [tier]\n"
        f"    samples: {PLANNED}\n    model: own:m\n"
        "    params: {seed: 1}\n    scorers: [contains]\n"
    )
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    return tmp_path


def diff(repo: Path, prompt: str, *options: str) -> Outcome:
    (repo / "prompt.md").write_text(prompt)
    return gate("diff", "--base", "main", "--json", "--refresh", "--out", "out", *options, cwd=repo)


def rows(repo: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (repo / "out/samples.jsonl").read_text().splitlines()]


def test_a_reworded_prompt_stops_early_and_the_report_says_so(repo: Path, server: ModelServer) -> None:
    record = diff(repo, "Answer well. quality=0.8", "--early-stop").record
    taken = record.method.samples_taken
    assert (record.verdict, record.method.samples_planned) == (Verdict.PASS, PLANNED)
    assert taken is not None
    assert taken < PLANNED
    assert server.requests == len(rows(repo)) == taken * PAIRS
    assert record.method.spared == (PLANNED - taken) * PAIRS
    assert record.missing.samples == 0
    words = (
        f"{PLANNED} samples per case planned, {taken} taken: no sign of a change; {record.method.spared} samples saved"
    )
    short = f"stopped early after {taken} of {PLANNED} samples"
    for kind, expected in (("html", words), ("terminal", short)):
        said = gate("report", "out/run.json", "--format", kind, cwd=repo).out
        assert expected in " ".join(said.split())


def test_a_clear_regression_ends_the_run_for_all_slices(repo: Path, server: ModelServer) -> None:
    outcome = diff(repo, "Answer. quality=0.8 quality[gold]=0.0")
    record = outcome.record
    taken = record.method.samples_taken
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert taken is not None
    assert taken < PLANNED
    assert server.requests == taken * PAIRS
    assert all(len(case.baseline) == len(case.candidate) == taken for case in record.suites[0].cases)
    report = gate("report", "out/run.json", "--format", "md", cwd=repo).out
    assert f"{PLANNED} samples per case planned, {taken} taken: a regression was certain" in report
