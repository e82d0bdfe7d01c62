"""A generation that is ended half way, and repeated: no answer is paid for twice, no file is half written."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from tests.integration.generate.desk import MODEL, Desk
from tests.support.command import environment, gate
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader

SLOW = Behaviour(judgement=reader, latency_s=0.15)
WHOLE = 4 + 1 + 6 + 4
"""Requests of a generation at medium effort."""
MOST_S = 60


def started(desk: Desk) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "gate", "generate", "prompts/shop.md", "--model", MODEL, "--concurrency", "2"],
        cwd=desk.root,
        env=environment(desk.root, desk.env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


def answered(desk: Desk, count: int) -> None:
    """Wait until so many replies were sent."""
    until = time.monotonic() + MOST_S
    while len(desk.server.ledger) < count and time.monotonic() < until:
        time.sleep(0.01)
    assert len(desk.server.ledger) >= count


def repeated(desk: Desk, in_flight: int) -> None:
    """The same command finishes the work; only what was in flight when the first one ended may be asked for again."""
    assert set(desk.files()) == {"prompts/shop.md"}
    desk.server.behaviour = Behaviour(judgement=reader)
    made = desk.generate()
    assert made.code == 0, made.err
    asked = Counter((entry.system, entry.user) for entry in desk.server.ledger)
    assert len(asked) == WHOLE
    assert sum(asked.values()) <= WHOLE + in_flight


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 3), (signal.SIGKILL, -9)])
def test_a_signal(desk: Desk, sign: signal.Signals, code: int) -> None:
    desk.server.behaviour = SLOW
    process = started(desk)
    answered(desk, 7)
    os.kill(process.pid, sign)
    _, err = process.communicate(timeout=MOST_S)
    assert process.returncode == code, err
    assert "Traceback" not in err
    if code != -signal.SIGKILL:
        assert "repeat the command: what was answered costs nothing the second time" in err
    # The client may have gone before it kept what was on its way.
    repeated(desk, in_flight=4 if sign is signal.SIGKILL else 2)


@pytest.mark.parametrize("limit", [1, 4, 9])
def test_a_budget_of_calls(desk: Desk, limit: int) -> None:
    paid, ended = desk.paid("--max-calls", str(limit))
    assert ended.code == 3, ended
    assert paid == limit
    assert "repeat the command" in ended.err
    repeated(desk, in_flight=0)


def test_a_budget_of_dollars(desk: Desk) -> None:
    paid, ended = desk.paid("--max-usd", "0.003", "--concurrency", "1")
    assert ended.code == 3, ended
    assert 0 < paid < WHOLE
    repeated(desk, in_flight=0)


def test_nothing_listens(desk: Desk) -> None:
    env = {**desk.env, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    ended = gate("generate", "prompts/shop.md", "--model", MODEL, cwd=desk.root, env=env)
    assert ended.code == 3, ended
    assert "Traceback" not in ended.err
    assert not (desk.root / "evals").exists()
