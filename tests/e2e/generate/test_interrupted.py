"""A generation that is ended half way, and repeated: no answer is paid for twice, no file is half written."""

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
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader

SLOW = Behaviour(judgement=reader, latency_s=0.15)
WHOLE = 4 + 1 + 6 + 4
"""Requests of a generation at medium effort."""
MOST_S = 60


def started(desk: Desk, *arguments: str) -> Fork:
    command = ["generate", "prompts/shop.md", "--model", MODEL, *arguments]
    return forked.start(command, desk.root, environment(desk.root, {**desk.env, "GATE_CONCURRENCY": "2"}))


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
    before, env = desk.asked, {**desk.env, "GATE_CONCURRENCY": "1"}
    command = ("generate", "prompts/shop.md", "--model", MODEL, "--max-usd", "0.003")
    ended = gate(*command, cwd=desk.root, env=env)
    paid = desk.asked - before
    assert ended.code == 3, ended
    assert 0 < paid < WHOLE
    repeated(desk, in_flight=0)


def test_nothing_listens(desk: Desk) -> None:
    env = {**desk.env, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    ended = gate("generate", "prompts/shop.md", "--model", MODEL, cwd=desk.root, env=env)
    assert ended.code == 3, ended
    assert "Traceback" not in ended.err
    assert not (desk.root / "evals").exists()


READ = 4 + 1
"""Requests until tests are written, at low effort."""


def test_the_server_goes_away_half_way(desk: Desk) -> None:
    with ModelServer(SLOW) as first:
        process = started(here := replace(desk, server=first), "--effort", "low")
        answered(here, READ)
    _, err = process.communicate(timeout=MOST_S)
    assert process.returncode == 3, err
    assert "repeat the command" in err and "Traceback" not in err
    with ModelServer(Behaviour(judgement=reader), int(first.url.rpartition(":")[2])) as second:
        made = replace(desk, server=second).generate("--effort", "low")
        assert made.code == 0, made.err
    asked = Counter((entry.system, entry.user) for entry in (*first.ledger, *second.ledger))
    assert len(asked) == READ + 2 + 2
    assert len(second.ledger) <= 2 + 2 + 1, "what was read is known, but for an answer that was on its way"


EVALUATION = ("--effort", "min", "--evaluate", "openai:gpt-4o-mini", "--set", "control=false")
OF_EVALUATION = 4 + 1 + 2 + 6 + 6
"""Requests of it: the generation, the check of its inputs, an output for each test, and a verdict on each."""


def different(system: str, user: str) -> str:
    """An answer to each test that is like no other, so that each is judged."""
    return f"Fine, is it? {user}"


def test_ctrl_c_in_an_evaluation(desk: Desk) -> None:
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


@pytest.mark.parametrize("limit", [7, 12])
def test_a_budget_that_ends_in_an_evaluation_pays_for_no_answer_twice(desk: Desk, limit: int) -> None:
    desk.server.behaviour = Behaviour(judgement=reader, answer=different, latency_s=0.05)
    paid, ended = desk.paid(*EVALUATION, "--max-calls", str(limit))
    assert (paid, ended.code) == (limit, 3), ended
    assert "evals/shop/cases.yaml" in ended.err
    more, made = desk.paid(*EVALUATION)
    assert made.code == 0, made.err
    assert paid + more == OF_EVALUATION, "what was on its way when the budget ended is kept"
