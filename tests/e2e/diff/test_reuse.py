"""Answers of earlier runs: what is asked again and what is not, and what may rest on it."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.model_server import ModelServer

CASES = [
    {"id": f"c{i}", "input": f"answer=word{i} slice={g}", "expected": f"word{i}", "slices": {"g": g}}
    for i, g in enumerate("ab" * 20)
]
CALLS = 40 * 3 * 2
STORE = ".gate/cache/answers.sqlite"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    (tmp_path / "prompt.md").write_text("Answer. quality=0.9")
    configure(tmp_path, server)
    (tmp_path / "prompt.md").write_text("Answer well. quality=0.9")
    return tmp_path


def configure(root: Path, server: ModelServer, extra: str = "", scorers: str = "[contains]") -> None:
    (root / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        f"{extra}suites:\n  - name: s\n    prompt: prompt.md\n    cases: cases.jsonl\n    slices: [g]\n"
        f"    model: own:m\n    params: {{seed: 1}}\n    scorers: {scorers}\n"
    )
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "one")


def diff(repo: Path, *options: str, env: dict[str, str] | None = None) -> Outcome:
    return gate("diff", "--base", "main", "--no-early-stop", "--json", *options, cwd=repo, env=env)


def said(outcome: Outcome) -> dict[str, Any]:
    """What two runs that rest on the same answers have in common: all but time and money."""
    run = json.loads(outcome.out)
    for suite in run["suites"]:
        del suite["calls"], suite["latency"], suite["cost"], suite["cache"], suite["spent_usd"], suite["cost_note"]
        suite.pop("reuse", None)
        suite.pop("spending", None)
    return {key: run[key] for key in ("verdict", "reasons", "seed", "suites", "missing", "method")}


def test_a_run_that_is_repeated_asks_nothing_and_says_the_same(repo: Path, server: ModelServer) -> None:
    first, second = diff(repo), diff(repo)
    assert server.requests == CALLS
    assert second.record.calls.cached == CALLS
    assert said(second) == said(first)
    # All pairs are of one sitting, so even their times can be compared.
    assert second.record.suites[0].latency == first.record.suites[0].latency


def test_the_second_push_asks_the_candidate_and_thirty_pairs(repo: Path, server: ModelServer) -> None:
    diff(repo)
    (repo / "prompt.md").write_text("Answer very well. quality=0.9")
    second = diff(repo).record
    asked = server.requests - CALLS
    assert asked == CALLS // 2 + 31
    assert (second.calls.made, second.calls.cached) == (asked, CALLS - asked)
    latency = second.suites[0].latency
    assert latency.compared
    assert latency.candidate.calls is None or latency.candidate.calls >= 30


def test_refresh_asks_for_everything_and_replaces_it(repo: Path, server: ModelServer) -> None:
    diff(repo)
    assert diff(repo, "--refresh").record.calls.made == CALLS
    diff(repo)
    assert server.requests == 2 * CALLS
    assert not (repo / ".gate/last/refreshing").exists()


def test_a_prompt_that_is_compared_with_itself_has_samples_of_its_own(repo: Path, server: ModelServer) -> None:
    git(repo, "checkout", "--quiet", "--", "prompt.md")
    first = diff(repo, "--all").record
    assert server.requests == CALLS
    rows = [row for case in first.suites[0].cases for row in zip(case.baseline, case.candidate, strict=True)]
    assert any(baseline != candidate for baseline, candidate in rows)


def test_another_model_behind_the_name_ends_the_reuse(repo: Path, server: ModelServer) -> None:
    diff(repo)
    server.behaviour = replace(server.behaviour, model_id="m-2027")
    (repo / "prompt.md").write_text("Answer very well. quality=0.9")
    second = diff(repo).record
    assert server.requests == 2 * CALLS
    assert second.suites[0].baseline.returned_models == ["m-2027"]


def test_a_cache_that_git_tracks_is_not_read(repo: Path, server: ModelServer) -> None:
    diff(repo)
    git(repo, "add", "--force", STORE)
    second = diff(repo).record
    assert server.requests == 2 * CALLS
    assert any("git tracks" in note for note in second.notes)


def test_a_cache_that_is_garbage_is_set_aside(repo: Path, server: ModelServer) -> None:
    diff(repo)
    (repo / STORE).write_bytes(b"no database" * 1000)
    second = diff(repo)
    assert second.record.verdict is not Verdict.INCONCLUSIVE
    assert server.requests == 2 * CALLS
    assert any("answers.sqlite" in note for note in second.record.notes)
    assert list((repo / ".gate/cache").glob("*corrupt*"))
    assert diff(repo).record.calls.made == 0


def test_a_cache_of_a_newer_version_is_left_alone(repo: Path, server: ModelServer) -> None:
    diff(repo)
    with sqlite3.connect(repo / STORE) as database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    before = (repo / STORE).read_bytes()
    second = diff(repo).record
    assert second.calls.made == CALLS
    assert any("newer" in note for note in second.notes)
    assert (repo / STORE).read_bytes() == before


def test_a_budget_that_will_not_suffice_is_said_first_and_the_next_run_takes_up_from_there(
    repo: Path, server: ModelServer
) -> None:
    git(repo, "checkout", "--quiet", "--", "prompt.md")
    configure(repo, server, "budget: {max_calls: 200}\n")
    (repo / "prompt.md").write_text("Answer well. quality=0.9")
    first = diff(repo)
    assert (first.code, first.record.verdict, server.requests) == (3, Verdict.INCONCLUSIVE, 200)
    assert "max_calls is 200" in first.err
    second = diff(repo)
    assert (second.record.calls.made, server.requests) == (CALLS - 200, CALLS)
    assert second.record.verdict is not Verdict.INCONCLUSIVE


def test_a_run_that_may_stop_early_asks_its_thirty_pairs_in_the_first_repeat(repo: Path, server: ModelServer) -> None:
    options = ("diff", "--base", "main", "--early-stop", "--json")
    gate(*options, cwd=repo)
    (repo / "prompt.md").write_text("Answer very well. quality=0.9")
    (suite,) = gate(*options, cwd=repo).record.suites
    assert suite.latency.compared
    assert suite.reuse is not None
    assert suite.reuse.drift is not None
    assert suite.reuse.pairs >= 30


def test_scores_that_moved_since_end_the_reuse(repo: Path, server: ModelServer) -> None:
    diff(repo)
    server.behaviour = replace(server.behaviour, worse=0.6)
    (repo / "prompt.md").write_text("Answer very well. quality=0.9")
    second = diff(repo).record
    assert server.requests == 2 * CALLS
    assert any(
        "moved" in (suite.reuse.drift.reason or "") for suite in second.suites if suite.reuse and suite.reuse.drift
    )


def test_a_judge_who_is_shown_the_same_answer_twice_is_asked_once(repo: Path, server: ModelServer) -> None:
    judge = "[{judge: {model: 'own:j', criteria: Right.}}]"
    git(repo, "checkout", "--quiet", "--", "prompt.md")
    configure(repo, server, scorers=judge)
    (repo / "prompt.md").write_text("Answer well. quality=0.9")
    calls = diff(repo, "--samples", "1").record.calls
    answers = {(entry.user, entry.text) for entry in server.ledger if entry.right is not None}
    assert server.requests == calls.made == 80 + len(answers)
    assert calls.cached == 80 - len(answers)
