"""Runs whose answers a function of the repository scores: whose code it is, and what becomes of what has no score."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.e2e.python_functions.peeking import ONLY_ITSELF, peeking, unprivileged
from tests.e2e.python_functions.repositories import Run, running, telling
from tests.e2e.scorer_functions.repository import CONFIG, FILES, GOOD, LENIENT, MODULE, WORSE, rows
from tests.support import forked
from tests.support.command import environment
from tests.support.model_server import ModelServer
from tests.support.repository import commit, make, write

CASES = "evals/support.jsonl"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make(tmp_path / "repo", FILES)


@pytest.fixture
def run(repo: Path, models: ModelServer, tmp_path: Path) -> Iterator[Run]:
    with running(repo, models, tmp_path / "scratch") as run:
        yield run


def reasons(repo: Path) -> list[str]:
    """Of the scores of a run with `--out out`."""
    rows = (json.loads(line) for line in (repo / "out" / "samples.jsonl").read_text().splitlines())
    return [score["reason"] for row in rows for score in row["scores"]]


def test_both_arms_are_scored_by_the_code_of_the_base(repo: Path, run: Run, tmp_path: Path) -> None:
    lenient = {MODULE: telling(tmp_path) + LENIENT, "checks/marks.py": telling(tmp_path) + "FULL = 0.0\n"}
    write(repo, {**WORSE, **lenient})
    found = run("--out", "out")
    assert (found.code, found.record.verdict) == (1, Verdict.BLOCK)
    assert not (tmp_path / "canary").exists()
    told = [reason.rsplit(",", 1) for reason in reasons(repo)]
    assert {place for place, _ in told} >= {"c1 in free", "c2 in paid"}
    # One process for all of them.
    assert len({pid for _, pid in told}) == 1


@pytest.mark.threat("process-memory")
def test_the_gate_is_not_open_to_a_function_that_scores(repo: Path, run: Run, tmp_path: Path) -> None:
    commit(repo, {MODULE: peeking(tmp_path / "found") + GOOD})
    write(repo, WORSE)
    assert unprivileged(["diff", "--base", "HEAD"], repo, run.env) == 1
    assert (tmp_path / "found").read_text() == ONLY_ITSELF


def test_what_the_change_makes_of_the_code_is_reported_and_not_tried(repo: Path, run: Run, tmp_path: Path) -> None:
    write(repo, {MODULE: telling(tmp_path) + LENIENT})
    found = run()
    assert found.code == 0
    assert not (tmp_path / "canary").exists()
    (change,) = found.record.exam_changes
    assert [(edit.kind, edit.name) for edit in change.rules] == [("scorers", "python")]
    (trial,) = change.trials
    assert (trial.kind, trial.n) == ("rescored", 0)
    assert "scorers that are code are not tried" in trial.reason


@pytest.mark.threat("own-scorer")
def test_a_function_that_the_change_names_in_a_case_is_not_run(repo: Path, run: Run, tmp_path: Path) -> None:
    case = {"id": "new", "input": "answer=x", "expected": "x", "scorers": [{"python": "evil:run"}]}
    same = {"id": "same", "input": "answer=y", "expected": "y", "scorers": [{"python": "checks.words:right"}]}
    same["slices"] = {"tier": "free"}
    evil = {"evil.py": telling(tmp_path) + "def run(answer, case):\n    return 1\n"}
    added = rows(12) + json.dumps(case) + "\n"
    write(repo, {CASES: added, **evil})
    (change,) = run().record.exam_changes
    assert "not tried" in change.trials[0].reason
    write(repo, {CASES: rows(12) + json.dumps(same) + "\n"})
    (change,) = run().record.exam_changes
    assert (change.trials[0].reason, change.trials[0].candidate) == ("", 1.0)
    assert not (tmp_path / "canary").exists()


def test_a_case_may_be_scored_by_a_function_of_its_own(repo: Path, run: Run) -> None:
    first, *others = rows(12).splitlines(keepends=True)
    own = json.dumps({**json.loads(first), "scorers": [{"python": "checks.words:none", "negate": True}]}) + "\n"
    none = "\n\ndef none(answer, case):\n    return 0.25\n"
    commit(repo, {CASES: own + "".join(others), MODULE: GOOD + none})
    write(repo, WORSE)
    found = run(base="HEAD")
    (case,) = [case for case in found.record.suites[0].cases if case.id == "c0"]
    assert case.baseline == case.candidate == [0.75]


def test_an_answer_that_cannot_be_scored_is_missing_and_the_others_count(repo: Path, run: Run) -> None:
    odd = GOOD.replace("    found =", "    if case.id == 'c7': raise KeyError('no mark')\n    found =")
    commit(repo, {MODULE: odd})
    write(repo, WORSE)
    found = run("--out", "out", base="HEAD")
    assert found.record.missing.samples == 2
    (case,) = [case for case in found.record.suites[0].cases if case.id == "c7"]
    assert (case.baseline, case.candidate) == ([None], [None])
    assert "checks.words:right gave no score: KeyError: 'no mark'" in (repo / "out/samples.jsonl").read_text()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({MODULE: "import nowhere_at_all\n" + GOOD}, "checks.words:right cannot be used: ModuleNotFoundError"),
        ({MODULE: GOOD.replace("def right", "def left")}, "there is no right in checks/words.py at main"),
        ({"gate.yaml": CONFIG.replace("checks.words:right", "os:system")}, "there is no module os"),
    ],
    ids=["import", "no name", "library"],
)
def test_a_function_that_cannot_be_had_is_an_error_before_any_call(
    repo: Path, run: Run, models: ModelServer, files: dict[str, str | None], said: str
) -> None:
    commit(repo, files)
    write(repo, WORSE)
    told = run()
    assert told.code == 2
    assert said in told.err
    assert models.ledger == []


def test_files_are_not_compared_by_running_code(repo: Path, run: Run, tmp_path: Path) -> None:
    write(repo, {MODULE: telling(tmp_path) + GOOD})
    files = ("diff", "README.md", "prompts/support.md", "--cases", CASES)
    told = run.command(*files, "--scorer", "python: checks.words:right", "--model", "fake:oracle")
    assert told.code == 2
    assert not (tmp_path / "canary").exists()
    own = json.dumps({"id": "a", "input": "x", "scorers": [{"python": "checks.words:right"}]}) + "\n"
    write(repo, {CASES: own})
    told = run.command(*files, "--scorer", "contains", "--model", "fake:oracle")
    assert told.code == 2
    assert "code does not run when files are compared" in told.err
    assert not (tmp_path / "canary").exists()


def test_a_judges_calibration_takes_no_code(repo: Path, run: Run, tmp_path: Path) -> None:
    write(repo, {"labels.jsonl": '{"input": "a", "output": "b", "label": "pass"}\n', MODULE: telling(tmp_path) + GOOD})
    told = run.command("calibrate", "--judge", "labels.jsonl", "--suite", "support", "--scorer", "python")
    assert told.code == 2
    assert "is code of the repository" in told.err
    assert not (tmp_path / "canary").exists()


def test_a_check_scores_by_the_code_of_what_is_checked(repo: Path, run: Run) -> None:
    write(repo, {"checks/marks.py": "FULL = 0.4\n"})
    failed = run.command("check")
    assert failed.code == 1
    assert "c1 in free" in failed.out
    assert run.command("check", "--ref", "main").code == 0


def test_the_exam_is_another_with_other_code(repo: Path, run: Run) -> None:
    write(repo, WORSE)
    first = run().record.suites[0].exam.digest
    commit(repo, {MODULE: GOOD + "# the same, and yet\n"})
    write(repo, {"prompts/support.md": "Help. quality=0.2\n"})
    assert run(base="HEAD").record.suites[0].exam.digest != first


def test_a_plan_runs_nothing(repo: Path, run: Run, tmp_path: Path) -> None:
    commit(repo, {MODULE: telling(tmp_path) + GOOD})
    write(repo, WORSE)
    assert run.command("plan", "--base", "HEAD", "--json").code == 0
    assert not (tmp_path / "canary").exists()


def test_a_signal_leaves_nothing_behind(repo: Path, run: Run, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    told = f"open({str(mark)!r}, 'w').write(str(os.getpid()))"
    commit(repo, {MODULE: f"import os, time\n\ndef right(answer, case):\n    {told}\n    time.sleep(9)\n"})
    write(repo, WORSE)
    process = forked.start(["diff", "--base", "HEAD"], repo, environment(repo, run.env))
    while process.running and not (mark.exists() and mark.read_text()):
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 3
    assert not os.path.exists(f"/proc/{mark.read_text()}")


def test_a_gate_that_is_killed_leaves_nothing_behind(repo: Path, run: Run, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    told = f"open({str(mark)!r}, 'w').write(str(os.getpid()))"
    commit(repo, {MODULE: f"import os, time\n\ndef right(answer, case):\n    {told}\n    time.sleep(9)\n"})
    write(repo, WORSE)
    process = forked.start(["diff", "--base", "HEAD"], repo, environment(repo, run.env))
    while process.running and not (mark.exists() and mark.read_text()):
        time.sleep(0.02)
    process.kill()
    process.wait()
    until = time.monotonic() + 20
    scratch = Path(run.env["TMPDIR"])
    while (os.path.exists(f"/proc/{mark.read_text()}") or list(scratch.iterdir())) and time.monotonic() < until:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{mark.read_text()}")
