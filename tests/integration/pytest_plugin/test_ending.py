"""What ends a run early, and what its record holds."""

import re
import signal
import subprocess
import time

from tests.integration.pytest_plugin.conftest import Project
from tests.support.command import environment, gate
from tests.support.model_server import Behaviour


def test_the_record_is_that_of_a_check(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    assert "record: .gate/pytest/run.json" in project.run("-m", "eval").out
    shown = gate("report", ".gate/pytest", cwd=project.root)
    assert "BLOCK  4 of 8 cases failed" in shown.out
    project.run("gate.yaml::bot::welcome_0")
    assert "PASS  1 of 1 case passed" in gate("report", ".gate/pytest", cwd=project.root).out


def test_the_first_failure_ends_the_run_and_what_was_asked_ahead(project: Project) -> None:
    project.rows = [{**row, "id": f"c{number:03}"} for number, row in enumerate(project.rows * 25)]
    project.write("quality=0.0")
    project.server.behaviour = Behaviour(latency_s=0.05)
    ran = project.run("-m", "eval", "-x", "--gate-concurrency", "4")
    assert ran.code == 1
    assert "1 failed" in ran.out and "stopping after 1 failures" in ran.out
    assert project.server.requests < 30
    assert project.run("-m", "eval", "--maxfail", "2", "--gate-concurrency", "4").out.count("FAILED gate.yaml") == 2


def start(project: Project, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        project.command("-pno:asyncio", "-m", "eval", "-v", "--gate-concurrency", "2", *options), cwd=project.root,
        env=environment(project.root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        # Whoever runs the tests in the background has SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def test_ctrl_c_ends_it_at_once_and_nothing_is_paid_twice(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.3)
    process = start(project)
    while len(project.server.ledger) < 4:
        time.sleep(0.02)
    project.server.behaviour = Behaviour(latency_s=300)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2, out
    assert "KeyboardInterrupt" in out
    project.server.behaviour = Behaviour()
    again = project.run("-m", "eval")
    assert re.search(r"1[0-2] calls, [4-6] answers from the cache", again.out), again.out


def test_a_run_that_is_killed_is_taken_up_again(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.3)
    process = start(project)
    while len(project.server.ledger) < 6:
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=30)
    project.server.behaviour = Behaviour()
    again = project.run("-m", "eval")
    assert again.code == 0
    assert int(re.search(r"(\d+) answers from the cache", again.out)[1]) >= 4  # type: ignore[index]
