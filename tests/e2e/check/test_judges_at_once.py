"""Judges of one answer are called concurrently: the server replies only when all calls have arrived."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.parts import CaseState
from tests.support.command import gate, git, write_jsonl
from tests.support.model_server import Behaviour, ModelServer

CRITERIA = "criteria: Says the word"
RUBRIC = "dimensions: [{name: tone, weight: 1, description: Friendly}]"
JURY = "models: [own:a, own:b, own:c], combine: mean"
NAMES = ["first", "marks", "jury", "last"]
SCORERS = f"""\
      - judge: {{name: first, {CRITERIA}, model: own:j}}
      - rubric: {{name: marks, {RUBRIC}, model: own:j}}
      - judge: {{name: jury, {CRITERIA}, {JURY}}}
      - contains: {{name: last}}
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def write(root: Path, server: ModelServer, scorers: str) -> None:
    write_jsonl(root / "cases.jsonl", [{"id": "c", "input": "answer=word", "expected": "word"}])
    (root / "prompt.md").write_text("Answer. quality=1.0")
    (root / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\nsuites:\n"
        "  - name: bot\n    prompt: prompt.md\n    cases: cases.jsonl\n    samples: 1\n"
        f"    model: own:m\n    scorers:\n{scorers}"
    )


def test_judges_rubrics_and_jury_members_call_concurrently(tmp_path: Path, server: ModelServer) -> None:
    write(tmp_path, server, SCORERS)
    server.behaviour = Behaviour(judges_at_once=5)
    record = gate("check", "--json", cwd=tmp_path).record
    (case,) = record.new[0].cases
    assert case.check is not None
    assert case.check.state is not CaseState.UNSCORED, case.check.missing
    assert [one.name for one in case.check.scorers] == NAMES
    (jury,) = [one for one in case.check.scorers if one.name == "jury"]
    assert [part.name for part in jury.parts] == ["own:a", "own:b", "own:c"]
    assert record.calls.made == len(server.ledger) == 6


def test_pairwise_judges_call_both_orders_concurrently(tmp_path: Path, server: ModelServer) -> None:
    pair = "      - pairwise: {{name: {0}, criteria: Friendly, model: own:j}}\n"
    write(tmp_path, server, pair.format("warm") + pair.format("brief"))
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "prompt.md").write_text("Answer. quality=0.0")
    server.behaviour = Behaviour(judges_at_once=4)
    record = gate("diff", "--base", "main", "--json", cwd=tmp_path).record
    assert record.missing.samples == 0, record.missing.reasons
    assert record.calls.made == len(server.ledger) == 6
