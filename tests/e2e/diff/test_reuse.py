"""Cached answers of earlier runs: which calls are repeated, and which results may use them."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.findings import texts
from tests.support.model_server import ModelServer

CASES = [
    {"id": f"c{i}", "input": f"answer=word{i} slice={g}", "expected": f"word{i}", "slices": {"g": g}}
    for i, g in enumerate("ab" * 10)
]
CALLS = 20 * 2 * 2
FEW = 4 * 2 * 2
STORE = ".gate/cache/answers.sqlite"


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


def make(folder: Path, server: ModelServer, cases: list[dict[str, Any]] = CASES) -> Path:
    git(folder, "init", "--quiet", "--initial-branch", "main")
    write_jsonl(folder / "cases.jsonl", cases)
    (folder / "prompt.md").write_text("Answer. quality=0.9")
    configure(folder, server)
    (folder / "prompt.md").write_text("Answer well. quality=0.9")
    return folder


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    return make(tmp_path, server)


@pytest.fixture(scope="module")
def first(running: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A repository after its first run."""
    running.forget()
    folder = make(tmp_path_factory.mktemp("first"), running)
    outcome = diff(folder)
    assert running.requests == outcome.record.calls.made == CALLS
    return folder, outcome


@pytest.fixture(scope="module")
def first_of_few(running: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with few cases after its first run."""
    running.forget()
    folder = make(tmp_path_factory.mktemp("few"), running, CASES[:4])
    assert diff(folder).record.calls.made == FEW
    return folder


@pytest.fixture
def few(tmp_path: Path, first_of_few: Path, server: ModelServer) -> Path:
    """A copy of it."""
    return shutil.copytree(first_of_few, tmp_path / "repo")


@pytest.fixture
def known(tmp_path: Path, first: tuple[Path, Outcome], server: ModelServer) -> Path:
    """A copy of the repository with cached answers."""
    return shutil.copytree(first[0], tmp_path / "repo")


def configure(root: Path, server: ModelServer, extra: str = "", scorers: str = "[contains]") -> None:
    (root / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        f"{extra}suites:\n  - name: s\n    prompt: prompt.md\n    cases: cases.jsonl\n    slices: [g]\n"
        f"    model: own:m\n    samples: 2\n    params: {{seed: 1}}\n    scorers: {scorers}\n"
    )
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "one")


def diff(repo: Path, *options: str, env: dict[str, str] | None = None) -> Outcome:
    return gate("diff", "--base", "main", "--no-early-stop", "--json", *options, cwd=repo, env=env)


def said(outcome: Outcome) -> dict[str, Any]:
    """The parts of a record that depend only on the answers: all but time and cost."""
    run = json.loads(outcome.out)
    for suite in run["suites"]:
        del suite["calls"], suite["latency"], suite["cost"], suite["cache"], suite["spent_usd"], suite["cost_note"]
        suite.pop("reuse", None)
        suite.pop("spending", None)
    return {key: run[key] for key in ("verdict", "findings", "seed", "suites", "missing", "method")}


def test_a_repeated_run_makes_no_calls_and_has_the_same_result(
    known: Path, first: tuple[Path, Outcome], server: ModelServer
) -> None:
    second = diff(known)
    assert server.requests == 0
    assert second.record.calls.cached == CALLS
    assert said(second) == said(first[1])
    # All pairs are from one run, so their times can be compared, too.
    assert second.record.suites[0].latency == first[1].record.suites[0].latency


def test_the_second_push_calls_the_candidate_and_thirty_pairs(known: Path, server: ModelServer) -> None:
    (known / "prompt.md").write_text("Answer very well. quality=0.9")
    second = diff(known).record
    asked = server.requests
    assert asked == CALLS // 2 + 31
    assert (second.calls.made, second.calls.cached) == (asked, CALLS - asked)
    latency = second.suites[0].latency
    assert latency.compared
    assert latency.candidate.calls is None or latency.candidate.calls >= 30


def test_refresh_calls_everything_again_and_replaces_the_cache(few: Path, server: ModelServer) -> None:
    assert diff(few, "--refresh").record.calls.made == FEW
    diff(few)
    assert server.requests == FEW
    assert not (few / ".gate/last/refreshing").exists()


def test_a_prompt_compared_with_itself_has_separate_samples(few: Path, server: ModelServer) -> None:
    (few / "prompt.md").write_text("Answer as well as not. quality=0.5")
    git(few, "commit", "--quiet", "--all", "--message", "two")
    first = diff(few, "--all").record
    assert server.requests == FEW
    rows = [row for case in first.suites[0].cases for row in zip(case.baseline, case.candidate, strict=True)]
    assert any(baseline != candidate for baseline, candidate in rows)


def test_another_model_behind_the_name_stops_the_reuse(known: Path, server: ModelServer) -> None:
    server.behaviour = replace(server.behaviour, model_id="m-2027")
    (known / "prompt.md").write_text("Answer very well. quality=0.9")
    second = diff(known).record
    assert server.requests == CALLS
    assert second.suites[0].baseline.returned_models == ["m-2027"]


def test_a_cache_that_git_tracks_is_refused(few: Path, server: ModelServer) -> None:
    before = server.requests
    git(few, "add", "--force", STORE)
    second = diff(few)
    assert (second.code, server.requests) == (2, before)
    assert "git tracks" in second.err
    assert "git rm --cached" in second.err


def test_a_cache_of_a_newer_version_is_not_changed(few: Path, server: ModelServer) -> None:
    with sqlite3.connect(few / STORE) as database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    before = (few / STORE).read_bytes()
    second = diff(few).record
    assert second.calls.made == FEW
    assert any("newer" in note for note in texts(second))
    assert (few / STORE).read_bytes() == before


def test_a_small_budget_is_reported_first_and_the_next_run_continues(repo: Path, server: ModelServer) -> None:
    git(repo, "checkout", "--quiet", "--", "prompt.md")
    configure(repo, server, "budget: {max_calls: 60}\n")
    (repo / "prompt.md").write_text("Answer well. quality=0.9")
    first = diff(repo)
    assert (first.code, first.record.verdict, server.requests) == (3, Verdict.INCONCLUSIVE, 60)
    assert "max_calls is 60" in first.err
    second = diff(repo)
    assert (second.record.calls.made, server.requests) == (CALLS - 60, CALLS)
    assert second.record.verdict is not Verdict.INCONCLUSIVE


def test_with_early_stopping_the_thirty_pairs_are_in_the_first_repeat(repo: Path, server: ModelServer) -> None:
    options = ("diff", "--base", "main", "--early-stop", "--json")
    write_jsonl(repo / "cases.jsonl", [{**case, "id": f"{case['id']}-{n}"} for case in CASES[:16] for n in range(2)])
    git(repo, "commit", "--quiet", "--message", "more cases", "cases.jsonl")
    gate(*options, cwd=repo)
    (repo / "prompt.md").write_text("Answer very well. quality=0.9")
    (suite,) = gate(*options, cwd=repo).record.suites
    assert suite.latency.compared
    assert suite.reuse is not None
    assert suite.reuse.drift is not None
    assert suite.reuse.pairs >= 30


def test_changed_scores_stop_the_reuse(known: Path, server: ModelServer) -> None:
    server.behaviour = replace(server.behaviour, worse=0.6)
    (known / "prompt.md").write_text("Answer very well. quality=0.9")
    second = diff(known).record
    assert server.requests == CALLS
    assert any(
        "moved" in (suite.reuse.drift.reason or "") for suite in second.suites if suite.reuse and suite.reuse.drift
    )
