"""The queue, with small processes in the place of those that ask models."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.errors import GateError
from gate.web.jobs import board
from gate.web.jobs.board import Jobs
from gate.web.jobs.job import Job, JobFailure, JobRequest, StoredJobRun

CHECK, TRY = JobRequest("check", by="Ann"), JobRequest("try", ("support",), by="Ann")
STORES = 'import sys; sys.stdin.readline(); print(\'{"event": "stored", "run": 7, "said": "PASS"}\', flush=True)'
WAITS = "import sys; sys.stdin.readline(); sys.exit(0 if sys.stdin.read(1) else 130)"
DEAF = "import time; time.sleep(600)"


def command(script: str) -> Sequence[str]:
    return sys.executable, "-S", "-E", "-c", script


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., Jobs]]:
    all_of_them: list[Jobs] = []

    def make(script: str, at_once: int = 1) -> Jobs:
        all_of_them.append(Jobs(tmp_path, lambda: datetime.now(UTC), at_once, command(script)))
        return all_of_them[-1]

    yield make
    for jobs in all_of_them:
        jobs.close()


def seen(jobs: Jobs, job: Job, phase: str) -> Job:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        found = jobs.find(job.id)
        assert found is not None
        if found.phase == phase:
            return found
        time.sleep(0.005)
    raise AssertionError(jobs.find(job.id))


def test_a_job_ends_with_what_its_process_told(made: Callable[..., Jobs]) -> None:
    jobs = made(STORES)
    job = seen(jobs, jobs.begin(CHECK), "done")
    assert job.outcome == StoredJobRun(7, "PASS")
    assert job.started is not None and job.ended is not None and job.started <= job.ended


def test_one_runs_the_others_wait_in_line_and_a_try_waits_for_no_evaluation(made: Callable[..., Jobs]) -> None:
    jobs = made(WAITS)
    first, second, third = (jobs.begin(CHECK) for _ in range(3))
    tried = jobs.begin(TRY)
    assert [job.phase for job in (first, second, third, tried)] == ["running", "waiting", "waiting", "running"]
    assert [jobs.place(job) for job in (first, second, third, tried)] == [0, 1, 2, 0]
    jobs.cancel(second.id)
    assert (seen(jobs, second, "cancelled").started, jobs.place(third)) == (None, 1)
    jobs.cancel(first.id)
    seen(jobs, first, "cancelled")
    seen(jobs, third, "running")


def test_as_many_run_as_the_server_was_told(made: Callable[..., Jobs]) -> None:
    jobs = made(WAITS, at_once=2)
    assert [jobs.begin(CHECK).phase for _ in range(3)] == ["running", "running", "waiting"]


def test_what_cannot_wait_is_refused(made: Callable[..., Jobs]) -> None:
    jobs = made(WAITS)
    for _ in range(board.WAITING + 1):
        jobs.begin(CHECK)
    with pytest.raises(GateError):
        jobs.begin(CHECK)


def test_the_oldest_that_are_over_are_forgotten(made: Callable[..., Jobs], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "KEPT", 1)
    jobs = made(STORES)
    first, second = jobs.begin(CHECK), jobs.begin(CHECK)
    seen(jobs, second, "done")
    third = jobs.begin(CHECK)
    seen(jobs, third, "done")
    assert jobs.find(first.id) is None


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("import os; os.kill(os.getpid(), 9)", "ended without a result (exit code -9)"),
        (
            'print(\'no JSON\'); print(\'{"event": "progress", "done": -3}\'); raise SystemExit(1)',
            "exit code 1",
        ),
    ],
)
def test_a_process_that_dies_is_told_and_the_next_job_begins(made: Callable[..., Jobs], script: str, told: str) -> None:
    jobs = made(script)
    first, second = jobs.begin(CHECK), jobs.begin(CHECK)
    outcome = seen(jobs, first, "failed").outcome
    assert isinstance(outcome, JobFailure) and told in outcome.errors[0][0]
    seen(jobs, second, "failed")


def test_a_try_without_a_record_fails(made: Callable[..., Jobs]) -> None:
    jobs = made("pass")
    assert isinstance(seen(jobs, jobs.begin(TRY), "failed").outcome, JobFailure)


def test_a_process_that_does_not_listen_is_killed(made: Callable[..., Jobs], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "PATIENCE_S", 0.05)
    jobs = made(DEAF)
    job = jobs.begin(CHECK)
    jobs.cancel(job.id)
    assert seen(jobs, job, "cancelled").outcome is None


def test_a_run_that_is_in_the_store_is_not_told_to_be_cancelled(
    made: Callable[..., Jobs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "PATIENCE_S", 0.05)
    jobs = made(f"{STORES}; {DEAF}")
    job = jobs.begin(CHECK)
    while (found := jobs.find(job.id)) is not None and found.outcome is None:
        time.sleep(0.005)
    jobs.cancel(job.id)
    assert seen(jobs, job, "done").outcome == StoredJobRun(7, "PASS")


@pytest.mark.threat("job-ends")
def test_a_server_that_closes_leaves_no_process(made: Callable[..., Jobs]) -> None:
    jobs = made(WAITS)
    job = jobs.begin(CHECK)
    waiting = jobs.begin(CHECK)
    held = jobs._held[job.id]
    while held.child is None:
        time.sleep(0.005)
    pid = held.child.pid
    jobs.close()
    assert [seen(jobs, one, "cancelled").phase for one in (job, waiting)] == ["cancelled", "cancelled"]
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)
    with pytest.raises(GateError):
        jobs.begin(CHECK)


@pytest.mark.threat("job-form")
def test_nothing_of_an_order_is_an_argument(tmp_path: Path, made: Callable[..., Jobs]) -> None:
    jobs = made("import sys, pathlib; pathlib.Path('argv').write_text(repr(sys.argv)); sys.stdin.readline()")
    job = jobs.begin(JobRequest("diff", ("--evil; rm",), base="$(touch x)", by="Ann"))
    seen(jobs, job, "done")
    said = (tmp_path / "argv").read_text()
    assert "evil" not in said and "touch" not in said and "prompt-gate-job-" in said
