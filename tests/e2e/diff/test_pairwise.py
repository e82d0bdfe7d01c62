"""A pairwise judge with `gate diff` over HTTP: what absolute scores miss, position bias, and cost."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate, write_jsonl
from tests.support.model_server import Behaviour, ModelServer

CASES = 16


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour()) as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two prompts with equal scores from a scorer that only checks that there is an answer."""
    (tmp_path / "old.md").write_text("quality=1.0")
    (tmp_path / "worse.md").write_text("quality=0.2")
    (tmp_path / "same.md").write_text("You answer. quality=1.0")
    rows = [{"id": f"c{i}", "input": f"question {i} answer=good", "expected": "o"} for i in range(CASES)]
    write_jsonl(tmp_path / "cases.jsonl", rows)
    return tmp_path


def diff(root: Path, candidate: str, server: ModelServer, *more: str) -> Outcome:
    files = ("old.md", candidate, "--cases", "cases.jsonl", "--model", "openai:m")
    scored = ("--scorer", "contains", "--scorer", "pairwise", "--criteria", "The better word is better.")
    env = {"OPENAI_BASE_URL": f"{server.url}/v1"}
    return gate("diff", *files, *scored, "--samples", "2", *more, "--json", cwd=root, env=env)


def test_a_pairwise_judge_finds_what_an_absolute_score_misses(root: Path, server: ModelServer) -> None:
    outcome = diff(root, "worse.md", server, "--no-early-stop")
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    (suite,) = outcome.record.suites
    # Both words contain an "o", so only the comparison changes the score: half of it, by the share of lost pairs.
    lost = sum(entry.text == "wrong" for entry in server.ledger) / (2 * CASES)
    assert suite.quality.overall.mean == pytest.approx(-lost / 2)
    (position,) = suite.positions
    assert (position.scorer, position.first.value, position.turned.value) == ("pairwise", 0.5, 0.0)
    judged = [entry for entry in server.ledger if entry.right is None]
    assert (position.pairs, len(judged)) == (round(2 * CASES * lost), 2 * position.pairs)
    assert suite.calls.made == 4 * CASES + len(judged)
    assert "each pair was shown in both orders" in gate("report", ".gate/last", "--format", "md", cwd=root).out


def test_losing_all_pairs_leaves_uncertainty(root: Path, server: ModelServer) -> None:
    (root / "wrong.md").write_text("quality=0.0")
    files = ("old.md", "wrong.md", "--cases", "cases.jsonl", "--model", "openai:m")
    scored = ("--scorer", "pairwise", "--criteria", "The better word is better.", "--samples", "1")
    outcome = gate("diff", *files, *scored, "--json", cwd=root, env={"OPENAI_BASE_URL": f"{server.url}/v1"})
    overall = outcome.record.suites[0].quality.overall
    assert (outcome.code, overall.mean, overall.lower) == (1, -1.0, -1.0)
    # At least as many other cases could go the other way as 16 of 16 allow (Clopper and Pearson), here 21 %.
    assert overall.upper is not None and 1 - 2 * 0.025 ** (1 / CASES) - 1e-9 <= overall.upper < 0.0


def test_position_bias_changes_nothing_and_is_reported(root: Path, server: ModelServer) -> None:
    said = json.dumps({"reason": "The first one reads better.", "better": "first"})
    server.behaviour = Behaviour(judgement=lambda _system, _user: said)
    outcome = diff(root, "worse.md", server, "--no-early-stop")
    (suite,) = outcome.record.suites
    assert suite.quality.overall.mean == pytest.approx(0.0)
    assert (suite.positions[0].first.value, suite.positions[0].turned.value) == (1.0, 1.0)
    told = gate("report", ".gate/last", "--format", "md", cwd=root).out
    assert "the judge prefers the first place" in told


def test_equal_answers_need_no_judge_call(root: Path, server: ModelServer) -> None:
    outcome = diff(root, "same.md", server)
    (suite,) = outcome.record.suites
    assert suite.quality.overall.mean == 0.0
    assert suite.positions == []
    assert not [entry for entry in server.ledger if entry.right is None]
