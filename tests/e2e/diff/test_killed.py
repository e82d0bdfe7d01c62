"""A run with faults, kills and a full disk has every sample and the same result as an undisturbed run."""

import json
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import forked
from tests.support.chaos import Chaos
from tests.support.command import environment, gate, git, write_jsonl
from tests.support.forked import Fork
from tests.support.model_server import Behaviour, ModelServer

CASES = [
    {"id": f"c{i}", "input": f"answer=word{i} slice={g}", "expected": f"word{i}", "slices": {"g": g}}
    for i, g in enumerate("ab" * 20)
]
FEWER = CASES[:20]
SAMPLES = 20 * 3 * 2
IN_FLIGHT = 8


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write_jsonl(tmp_path / "cases.jsonl", FEWER)
    (tmp_path / "prompt.md").write_text("Answer. quality=0.95")
    (tmp_path / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        "policy: {early_stop: false}\nsuites:\n"
        "  - name: s\n    prompt: prompt.md\n    cases: cases.jsonl\n    slices: [g]\n"
        "    model: own:m\n    params: {seed: 1}\n    scorers: [contains]\n"
    )
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "prompt.md").write_text("Answer well. quality=0.95 quality[b]=0.3")
    return tmp_path


def start(repo: Path, *options: str, file_bytes: int | None = None) -> Fork:
    env = environment(repo, {"GATE_CONCURRENCY": str(IN_FLIGHT)})
    return forked.start(["diff", "--base", "main", *options], repo, env, file_bytes=file_bytes)


def rows(repo: Path, out: str = ".gate/last") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (repo / out / "samples.jsonl").read_text().splitlines()]


def kill_after(process: Fork, server: ModelServer, answers: int) -> None:
    before = len(server.ledger)
    for _ in range(1200):
        if len(server.ledger) - before >= answers:
            process.send_signal(signal.SIGKILL)
            process.wait(20)
            return
        time.sleep(0.02)
    pytest.fail("no answers came")


def said(path: Path) -> dict[str, Any]:
    """The parts of a record that depend only on the answers."""
    run = json.loads((path / "run.json").read_text())
    (suite,) = run["suites"]
    scores = [(case["id"], case["baseline"], case["candidate"]) for case in suite["cases"]]
    return {
        **{key: run[key] for key in ("verdict", "findings", "seed", "missing")},
        **suite["quality"],
        "cases": scores,
    }


def test_faults_kills_and_a_full_disk_change_no_result(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(latency_s=0.02, chaos=Chaos(0.2, seed=3))
    for _ in range(2):
        kill_after(start(repo), server, 12)

    # This simulates a nearly full disk: Python ignores the signal, and the write fails.
    starved = start(repo, file_bytes=(repo / ".gate/cache/answers.sqlite").stat().st_size + 20_000)
    _, told = starved.communicate(timeout=60)
    assert starved.returncode == 3, told
    assert "Traceback" not in told

    ended = gate("diff", "--base", "main", "--quiet", cwd=repo)
    assert ended.code == 1, ended.err
    found = rows(repo)
    places = Counter((row["case"], row["arm"], row["index"]) for row in found)
    assert set(places.values()) == {1}
    assert len(places) == SAMPLES
    assert all("text" in row["reply"] for row in found)
    # Each process may lose only the calls in flight when it ended.
    assert len(server.ledger) <= SAMPLES + 3 * 2 * IN_FLIGHT

    server.behaviour = Behaviour()
    calm = gate("diff", "--base", "main", "--quiet", "--refresh", "--out", "calm", cwd=repo)
    assert calm.code == 1
    assert said(repo / "calm") == said(repo / ".gate/last")
    # Nothing is left to be resumed.
    assert not (repo / "calm/refreshing").exists()


def test_a_killed_run_with_early_stopping_makes_the_same_calls(repo: Path, server: ModelServer) -> None:
    # With any seed, the second look ends the run (p is near 0.01, and the limit is 0.033), and the first does not. The
    # kill is between them.
    write_jsonl(repo / "cases.jsonl", CASES)
    git(repo, "commit", "--quiet", "--message", "more cases", "cases.jsonl")
    (repo / "prompt.md").write_text("Answer well. quality=0.95 quality[b]=0.37")
    server.behaviour = Behaviour(latency_s=0.02)
    kill_after(start(repo, "--early-stop"), server, 90)
    assert gate("diff", "--base", "main", "--quiet", "--early-stop", cwd=repo).code == 1
    asked = len(server.ledger)
    assert gate("diff", "--base", "main", "--quiet", "--early-stop", "--refresh", "--out", "calm", cwd=repo).code == 1
    assert said(repo / "calm") == said(repo / ".gate/last")
    calm = len(server.ledger) - asked
    assert len(rows(repo)) == calm < 2 * SAMPLES
    assert asked <= calm + 2 * IN_FLIGHT


def test_a_full_disk_ends_the_run_and_loses_no_answer(repo: Path, server: ModelServer) -> None:
    gate("diff", "--base", "main", "--quiet", cwd=repo)
    (repo / ".gate/last/samples.jsonl").unlink()
    # All answers are cached, so the store is not the first file that grows.
    starved = start(repo, file_bytes=35_000)
    out, told = starved.communicate(timeout=60)
    assert starved.returncode == 3, told
    assert "the samples cannot be saved" in out + told
    assert "Traceback" not in told
    asked = len(server.ledger)
    assert gate("diff", "--base", "main", "--quiet", cwd=repo).code == 1
    assert len(server.ledger) == asked == SAMPLES
