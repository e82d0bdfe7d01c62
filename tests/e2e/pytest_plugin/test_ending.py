"""What ends a run early, and what its record holds."""

import re
import signal
import time
from collections.abc import Callable

from gate.record.run import RunRecord
from tests.e2e.pytest_plugin.conftest import OTHERS, PLUGIN, Project, without
from tests.support import forked
from tests.support.command import environment, gate
from tests.support.findings import texts
from tests.support.forked import Fork
from tests.support.model_server import Behaviour


def test_the_first_failure_ends_the_run_and_what_was_asked_ahead(project: Project) -> None:
    project.rows = [{**row, "id": f"c{number:03}"} for number, row in enumerate(project.rows * 25)]
    project.write("quality=0.0")
    project.server.behaviour = Behaviour(latency_s=0.05)
    ran = project.run("-m", "eval", "-x", "--gate-concurrency", "4")
    assert ran.code == 1
    assert "1 failed" in ran.out and "stopping after 1 failures" in ran.out
    assert project.server.requests < 30


PATIENT = """
import pathlib, time

def pytest_runtest_logreport(report):
    end = time.monotonic() + 60
    while len(pathlib.Path(".gate/pytest/samples.jsonl").read_bytes().splitlines()) < 16:
        assert time.monotonic() < end
        time.sleep(0.01)
"""
"""Nothing is reported before every case has its answers."""
SKIPPING = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "safety" in item.name:
            item.add_marker(pytest.mark.skip(reason="not now"))
"""


def test_the_record_holds_what_was_reported_and_the_screen_says_what_was_not(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    ran = project.run("-m", "eval", "-x")
    assert "1 failed, 1 passed" in ran.out
    # All of them are asked before the first is waited for, so the others are answered or given up.
    assert "The test run ended before 6 of 8 cases were reported." in ran.out
    states = project.recorded()
    assert {name: state for name, state in states.items() if state != "unscored"} == {
        "welcome_0": "passed",
        "safety_1": "failed",
    }
    assert len(states) == 8
    shown = " ".join(gate("report", ".gate/pytest", cwd=project.root).out.split())
    assert "INCONCLUSIVE the test run ended before 6 of 8 cases were reported" in shown
    assert "failed safety_1" in shown
    assert "Run again; only the missing samples cost anything." in shown


def test_calls_for_cases_that_nobody_saw_are_reported(project: Project) -> None:
    project.write("quality=0.0")
    (project.root / "conftest.py").write_text(PATIENT)
    ran = project.run("-m", "eval", "-x")
    assert "2 calls, 0 answers from the cache" in ran.out
    made = "14 calls were made in advance for 7 cases that were not reported"
    told = f"{made}. The answers are cached, and not counted here."
    assert told in ran.out
    run = RunRecord.model_validate_json((project.root / ".gate/pytest/run.json").read_bytes())
    assert (run.calls.made, told in texts(run)) == (2, True)


def test_what_is_skipped_is_neither_asked_nor_recorded(project: Project) -> None:
    (project.root / "conftest.py").write_text(SKIPPING)
    ran = project.run("-m", "eval")
    assert "4 skipped" in ran.out and "reported" not in ran.out
    assert len(project.server.ledger) == 8
    assert set(project.recorded().values()) == {"passed"} and len(project.recorded()) == 4


def start(project: Project) -> Fork:
    options = [*PLUGIN, *without(OTHERS), "-m", "eval", "-v", "--gate-concurrency", "2"]
    return forked.start(options, project.root, environment(project.root), module="pytest")


def until_kept(project: Project, count: int) -> None:
    """Wait until so many answers are on the disk."""
    samples = project.root / ".gate/pytest/samples.jsonl"
    until(lambda: samples.exists() and samples.read_bytes().count(b"\n") >= count)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_ctrl_c_ends_it_at_once_and_nothing_is_paid_twice(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.3)
    process = start(project)
    until(lambda: len(project.server.ledger) >= 4)
    project.server.behaviour = Behaviour(latency_s=300)
    until_kept(project, 4)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2, out
    assert "KeyboardInterrupt" in out
    left, passed = (re.search(said, out) for said in (r"ended before (\d) of 8 cases were reported", r"(\d) passed"))
    assert left is not None and passed is not None
    assert list(project.recorded().values()).count("passed") == int(passed[1]) == 8 - int(left[1])
    project.server.behaviour = Behaviour()
    again = project.run("-m", "eval")
    assert re.search(r"1[0-2] calls, [4-6] answers from the cache", again.out), again.out


def test_a_run_that_is_killed_is_taken_up_again(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.3)
    process = start(project)
    until_kept(project, 4)
    process.kill()
    process.communicate(timeout=30)
    project.server.behaviour = Behaviour()
    again = project.run("-m", "eval")
    assert again.code == 0
    assert int(re.search(r"(\d+) answers from the cache", again.out)[1]) >= 4
