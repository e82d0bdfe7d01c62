"""`gate diff --watch`: every save is compared, and only missing samples are called."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.app.resolving import GitPlace, resolve_files_mode, resolve_git_mode
from gate.app.runs import wait_for_save
from gate.config.models import ModelRef, Params
from gate.config.policy import RunPolicy, SuitePolicy
from gate.config.scorer import parse_scorers
from gate.git.repository import ReadFiles
from gate.resolve.two_files import FileRun, Files
from tests.support import forked
from tests.support.command import environment, gate, write_jsonl
from tests.support.forked import Fork
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import make

CASES = [
    {"id": f"c{i}", "input": f"answer=word{i} slice={g}", "expected": f"word{i}", "slices": {"g": g}}
    for i, g in enumerate("ab" * 6)
]
ARM = 12 * 2
"""Samples of one arm."""
PATIENCE_S = 15.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def config(url: str) -> str:
    return (
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{url}'}}}}\n"
        "policy: {early_stop: false}\nsuites:\n"
        "  - name: s\n    prompt: prompt.j2\n    cases: cases.jsonl\n    slices: [g]\n    samples: 2\n"
        "    model: own:m\n    params: {seed: 1}\n"
        "    scorers: [contains]\n"
    )


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    rows = "".join(json.dumps(row) + "\n" for row in CASES)
    files = {
        "gate.yaml": config(f"{server.url}/v1"),
        "cases.jsonl": rows,
        "prompt.j2": 'Answer.\n{% include "tone.md" %}\n',
        "tone.md": "quality=1.0",
        "README.md": "no part of it",
    }
    return make(tmp_path, files)


@contextmanager
def watching(repo: Path, *options: str) -> Iterator[Fork]:
    """A session that ends with the test at the latest."""
    command = ["diff", "--base", "main", "--watch", *options]
    with forked.start(command, repo, environment(repo, {"GATE_CONCURRENCY": "4"})) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: Fork) -> str:
    return os.pread(process.out.fileno(), 1_000_000, 0).decode()


def until(process: Fork, holds: Callable[[str], bool]) -> str:
    """The output as soon as the condition holds."""
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        text = said(process)
        if holds(text):
            return text
        time.sleep(0.02)
    raise AssertionError(said(process) + os.pread(process.err.fileno(), 100_000, 0).decode())


def waits(times: int) -> Callable[[str], bool]:
    """Wait until the session waits for a save for the nth time."""
    return lambda text: text.count("Save to compare again") + text.count("Fix it and save") >= times


def test_a_session(repo: Path, server: ModelServer) -> None:
    with watching(repo) as process:
        assert "SKIPPED: the change touches no prompt" in until(process, waits(1))
        assert len(server.ledger) == 0

        (repo / "tone.md").write_text("quality=1.0 quality[b]=0.1")
        first = until(process, waits(2)).splitlines()
        assert len(server.ledger) == 2 * ARM
        assert any("BLOCK" in line or "HOLD" in line for line in first) and "last run: " not in "\n".join(first)

        (repo / "tone.md").write_text("quality=1.0 quality[b]=0.9")
        second = until(process, waits(3))
        # The baseline is cached. Calling it again for cost and latency would cost money at every save.
        assert len(server.ledger) == 3 * ARM
        assert f"{ARM} calls, {ARM} cached" in second and "last run: " in second
        assert f"2 runs, {3 * ARM} calls" in second
        assert "latency not compared: the baseline's cached" in second

        right = (repo / "gate.yaml").read_text()
        (repo / "gate.yaml").write_text(right.replace("samples: 2", "samples: two"))
        assert "samples must be a whole number" in until(process, waits(4))
        (repo / "gate.yaml").write_text(right)
        assert "0 calls, 48 cached" in until(process, waits(5))

        server.behaviour = Behaviour(latency_s=0.15)
        (repo / "prompt.j2").write_text("quality=0.8")
        until(process, lambda _: len(server.ledger) >= 3 * ARM + 4)
        (repo / "prompt.j2").write_text("quality=1.0, say no more")
        until(process, lambda text: "A file was saved: starting again" in text)
        server.behaviour = Behaviour()
        last = until(process, waits(6))
        assert last.count("A file was saved: starting again") == 1
        assert len(server.ledger) < 5 * ARM

        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert "Ended after 4 runs" in said(process)
    assert json.loads((repo / ".gate/last/run.json").read_text())["unfinished"] is None


def test_ctrl_c_during_a_run_loses_no_answer(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(latency_s=0.1)
    (repo / "tone.md").write_text("quality=0.9")
    with watching(repo) as process:
        until(process, lambda _: len(server.ledger) >= 8)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert "All answers are cached." in said(process)
    asked = len(server.ledger)
    server.behaviour = Behaviour()
    assert gate("diff", "--base", "main", "--quiet", cwd=repo).code in (0, 1)
    assert len(server.ledger) < asked + 2 * ARM


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--head", "HEAD"], "--watch and --head cannot be combined"),
        (["--refresh"], "--watch and --refresh cannot be combined"),
        (["--json"], "--watch and --json cannot be combined"),
    ],
)
def test_options_that_a_session_refuses(tmp_path: Path, options: list[str], why: str) -> None:
    ended = gate("diff", "--base", "main", "--watch", *options, cwd=tmp_path)
    assert ended.code == 2 and why in ended.err


def test_an_error_that_no_save_can_fix_ends_the_session(repo: Path) -> None:
    ended = gate("diff", "--base", "mian", "--watch", cwd=repo)
    assert ended.code == 2 and "there is no commit 'mian'" in ended.err


def test_watched_files_in_git_mode(repo: Path) -> None:
    (repo / "tone.md").write_text("quality=0.5")
    seen = ReadFiles()
    resolve_git_mode(("main", None), "gate.yaml", (), everything=False, here=GitPlace(repo, seen))
    watched = {path.relative_to(repo).as_posix() for path in seen.files}
    assert {"gate.yaml", "cases.jsonl", "prompt.j2", "tone.md"} <= watched and "README.md" not in watched
    (repo / "README.md").write_text("changed")
    assert not seen.changed()
    for name in ("gate.yaml", "cases.jsonl", "prompt.j2", "tone.md"):
        kept = (repo / name).read_bytes()
        (repo / name).write_bytes(kept + b"\n")
        assert seen.changed(), name
        seen = seen.again()
    (repo / "tone.md").unlink()
    assert seen.changed()


def test_watched_files_in_file_mode(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    (tmp_path / "old.md").write_text("quality=1.0")
    (tmp_path / "new.j2").write_text('{% include "parts/tone.md" %}')
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/tone.md").write_text("quality=0.5")
    model = ModelRef("fake", "oracle")
    run = FileRun(model, model, Params(), parse_scorers(["contains"], "x"), model, 1, RunPolicy(), SuitePolicy())
    seen = ReadFiles()
    named = Files(*(str(tmp_path / name) for name in ("old.md", "new.j2", "cases.jsonl")))
    resolve_files_mode(named, run, seen)
    assert {path.name for path in seen.files} == {"old.md", "new.j2", "cases.jsonl", "tone.md"}
    (tmp_path / "parts/tone.md").write_text("quality=0.25")
    assert seen.changed()


def test_a_save_counts_once_writing_has_stopped(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    seen = ReadFiles()
    seen.see(file)
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) in (2, 3, 4):
            file.write_text("x" * len(slept))

    wait_for_save(seen, sleep)
    # Two checks without a change, one with a change, two while the editor writes, and a last one without a change.
    assert len(slept) == 5
