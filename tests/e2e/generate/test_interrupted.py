"""An interrupted generation that is repeated pays for no answer twice and leaves no partly written file."""

import os
import signal
import time
from collections import Counter
from dataclasses import replace

import pytest

from tests.e2e.generate.desk import MODEL, Desk
from tests.support import forked
from tests.support.command import environment, gate
from tests.support.forked import Fork
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader

SLOW = Behaviour(judgement=reader, latency_s=0.1)
WHOLE = 4 + 1 + 6 + 4
"""Requests of a generation at medium effort."""
MOST_S = 60


def started(desk: Desk, *arguments: str) -> Fork:
    command = ["generate", "prompts/shop.md", "--model", MODEL, *arguments]
    return forked.start(command, desk.root, environment(desk.root, {**desk.env, "GATE_CONCURRENCY": "2"}))


def answered(desk: Desk, count: int) -> None:
    """Wait until the server has sent this many replies."""
    until = time.monotonic() + MOST_S
    while len(desk.server.ledger) < count and time.monotonic() < until:
        time.sleep(0.01)
    assert len(desk.server.ledger) >= count


def repeated(desk: Desk, in_flight: int) -> None:
    """The same command finishes the work. Only calls in flight at the end of the first run may be repeated."""
    assert set(desk.files()) == {"prompts/shop.md"}
    desk.server.behaviour = Behaviour(judgement=reader)
    made = desk.generate()
    assert made.code == 0, made.err
    asked = Counter((entry.system, entry.user) for entry in desk.server.ledger)
    assert len(asked) == WHOLE
    assert sum(asked.values()) <= WHOLE + in_flight


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_killed_generation_continues(desk: Desk, sign: signal.Signals, code: int) -> None:
    desk.server.behaviour = SLOW
    process = started(desk)
    answered(desk, 7)
    os.kill(process.pid, sign)
    _, err = process.communicate(timeout=MOST_S)
    assert process.returncode == code, err
    assert "Traceback" not in err
    if code != -signal.SIGKILL:
        assert "repeat the command: cached answers cost nothing" in err
    # The client may have gone before it kept what was on its way.
    repeated(desk, in_flight=4 if sign is signal.SIGKILL else 2)


def test_a_generation_ended_by_its_budget_continues(desk: Desk) -> None:
    before, env = desk.asked, {**desk.env, "GATE_CONCURRENCY": "1"}
    command = ("generate", "prompts/shop.md", "--model", MODEL, "--max-usd", "0.003")
    ended = gate(*command, cwd=desk.root, env=env)
    paid = desk.asked - before
    assert ended.code == 3, ended
    assert 0 < paid < WHOLE
    repeated(desk, in_flight=0)


EVALUATION = ("--effort", "min", "--evaluate", "openai:gpt-4o-mini", "--set", "control=false")
OF_EVALUATION = 4 + 1 + 2 + 6 + 6
"""Requests of an evaluation: the generation, the check of its inputs, an output and a verdict for each test."""


def different(system: str, user: str) -> str:
    """A different answer to each test, so that each is judged."""
    return f"Fine, is it? {user}"


def test_an_evaluation_ended_by_ctrl_c_continues(desk: Desk) -> None:
    desk.server.behaviour = replace(SLOW, answer=different)
    process = started(desk, *EVALUATION)
    answered(desk, 9)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=MOST_S)
    assert process.returncode == 130, err
    assert len(desk.cases()) == 6, "tests are kept before they are run"
    before = len(desk.server.ledger)
    assert before < OF_EVALUATION
    desk.server.behaviour = Behaviour(judgement=reader, answer=different)
    made = desk.generate(*EVALUATION)
    assert made.code == 0, made.err
    asked = Counter((entry.system, entry.user) for entry in desk.server.ledger)
    assert len(asked) == OF_EVALUATION
    assert sum(asked.values()) <= OF_EVALUATION + 2


def test_a_budget_that_ends_in_an_evaluation_pays_for_no_answer_twice(desk: Desk) -> None:
    limit = 12
    desk.server.behaviour = Behaviour(judgement=reader, answer=different, latency_s=0.05)
    paid, ended = desk.paid(*EVALUATION, "--max-calls", str(limit))
    assert (paid, ended.code) == (limit, 3), ended
    assert "evals/shop/cases.yaml" in ended.err
    more, made = desk.paid(*EVALUATION)
    assert made.code == 0, made.err
    assert paid + more == OF_EVALUATION, "what was on its way when the budget ended is kept"
