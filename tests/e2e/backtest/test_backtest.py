"""`gate backtest` on a history of eight prompts: what it says, what it pays, and how it goes on after a kill."""

import json
import re
import signal
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jsonschema import validate

from tests.e2e.backtest.conftest import BROKEN, CASES, COURSE, backtest, verdicts
from tests.support import forked
from tests.support.command import environment, gate
from tests.support.model_server import Behaviour, ModelServer

IN_FLIGHT = 8


class Page(HTMLParser):
    """What stands in a page, and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        self.links += [given["href"] or ""] if tag == "a" else []
        self.loads += [str(given[name]) for name in ("src", "data") if name in given]


def test_the_two_broken_commits_are_named_and_neighbours_share_their_answers(
    history: Path, server: ModelServer
) -> None:
    outcome, record = backtest(history, "-n", "6")
    assert outcome.code == 0, outcome.err
    validate(record, json.loads(gate("schema", "backtest.json", cwd=history).out))
    assert json.loads((history / ".gate/backtest/backtest.json").read_text())["commits"] == record["commits"]
    subjects = list(reversed(COURSE))
    assert list(verdicts(record)) == subjects[:6]
    assert [subject for subject, verdict in verdicts(record).items() if verdict == "BLOCK"] == BROKEN
    assert {row["worst"] for row in record["commits"] if row["verdict"] == "BLOCK"} == {"lang=de"}
    # What was fixed by a later commit did not fall for good.
    assert {fall["subject"] for fall in record["falls"]} == {"Shorten the prompt"}
    assert "lang=de" in {fall["slice"] for fall in record["falls"]}

    # Seven prompts: each is asked once, whether as the one after a commit or as the one before it.
    assert set(Counter((entry.system, entry.user) for entry in server.ledger).values()) == {1}
    assert len(server.ledger) == record["calls"] == 7 * CASES
    assert [row["known"] for row in record["commits"]] == [0] + [CASES] * 5
    assert f"6 commits to evaluate: at most {7 * CASES:,} calls" in outcome.err

    again = gate("backtest", "-n", "6", cwd=history)
    assert (again.code, len(server.ledger)) == (0, 7 * CASES)
    assert "sampling" not in again.err
    assert "2 of 6 evaluated commits would have been blocked" in again.out
    told = r"lang=de \([01]\.\d+ to 0\.\d+\).* dropped with \w{10} “Shorten the prompt” and did not recover"
    assert re.search(told, " ".join(again.out.split()))

    page = Page((history / ".gate/backtest/backtest.html").read_text())
    assert page.tags["figure"] == 3 and page.tags["circle"] == 3 * 7
    assert page.loads == [] and page.tags["script"] == 0
    assert len(page.links) == 6
    assert all((history / ".gate/backtest" / link).is_file() for link in page.links)


def test_a_backtest_that_is_killed_goes_on_where_it_was(history: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(latency_s=0.01)
    env = environment(history, {"GATE_CONCURRENCY": str(IN_FLIGHT)})
    process = forked.start(["backtest", "-n", "4"], history, env)
    for _ in range(3000):
        if len(server.ledger) >= 2.5 * CASES:
            break
        time.sleep(0.02)
    else:
        pytest.fail("no answers came")
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    folder = history / ".gate/backtest"
    finished = [path for path in folder.iterdir() if (path / "run.json").is_file()]
    assert len(finished) == 1
    written = (finished[0] / "run.json").stat().st_mtime_ns

    server.behaviour = Behaviour()
    outcome, record = backtest(history, "-n", "4")
    assert outcome.code == 0
    assert None not in verdicts(record).values()
    # What was on its way when it was killed may be lost, and nothing else.
    assert 5 * CASES <= len(server.ledger) <= 5 * CASES + 2 * IN_FLIGHT
    assert (finished[0] / "run.json").stat().st_mtime_ns == written
    assert "3 commits to evaluate (1 more are already evaluated)" in outcome.err


def test_ctrl_c_shows_what_there_is(history: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(latency_s=0.02)
    env = environment(history, {"GATE_CONCURRENCY": str(IN_FLIGHT)})
    process = forked.start(["backtest", "-n", "3"], history, env)
    while len(server.ledger) < 2.5 * CASES:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert re.search(r"Seven +PASS", out)
    assert re.search(r"Shorten the prompt +not evaluated", out)
    assert "Traceback" not in told


def test_a_budget_is_for_all_commits_together_and_a_refresh_asks_again(history: Path, server: ModelServer) -> None:
    outcome, record = backtest(history, "-n", "4", "--max-calls", str(2 * CASES + 20))
    assert outcome.code == 3
    assert len(server.ledger) == 2 * CASES + 20
    assert f"--max-calls is {2 * CASES + 20}, so the backtest may stop early" in outcome.err
    assert list(verdicts(record).values()) == ["PASS", "INCONCLUSIVE", None, None]
    assert "--max-calls" in record["unfinished"]
    assert record["commits"][3]["reason"].startswith("not reached: ")

    outcome, record = backtest(history, "-n", "4")
    assert (outcome.code, len(server.ledger)) == (0, 5 * CASES)
    assert None not in verdicts(record).values()

    outcome, record = backtest(history, "-n", "1", "--refresh")
    assert (outcome.code, record["calls"], len(server.ledger)) == (0, 2 * CASES, 7 * CASES)
