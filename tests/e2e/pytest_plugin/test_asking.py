"""How cases are asked: side by side, within the budget, by several workers, and beside event loops of others."""

import json
import re

from tests.e2e.pytest_plugin.conftest import Project
from tests.support.model_server import Behaviour


def test_cases_are_asked_side_by_side(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.2)
    project.run("-m", "eval")
    assert 8 <= project.server.most_in_flight <= 16
    project.server.most_in_flight = 0
    project.run("-m", "eval", "--gate-concurrency", "2", "--gate-refresh")
    assert project.server.most_in_flight <= 2


def test_two_workers_run_each_case_once_keep_the_budget_and_say_that_they_keep_no_record(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0", run="budget: {max_calls: 8}\n")
    options = ("-n", "2", "--dist", "load", "--gate-concurrency", "1", "-v", "--junit-xml", "junit.xml")
    ran = project.run("-m", "eval", *options)
    assert ran.code == 1, ran.out
    assert len(project.server.ledger) <= 8
    assert "a worker's share of budget.max_calls" in ran.out
    outcomes = re.search(r"(\d) failed, (\d) passed, (\d) errors", ran.out)
    assert outcomes is not None and sum(map(int, outcomes.groups())) == len(project.junit()) == 9
    assert re.search(r"PASSED \[score 1.000; contains 1.000\] +gate.yaml::bot::welcome_\d", ran.out)
    assert {one["score"] for one in project.junit().values() if "score" in one} == {"0.0", "1.0"}
    assert ran.out.count("no record of this run: workers of pytest-xdist do not write one") == 1
    assert not list((project.root / ".gate").glob("pytest*"))


def test_the_budget_is_kept(project: Project) -> None:
    project.write(run="budget: {max_calls: 6}\n")
    ran = project.run("-m", "eval")
    assert ran.code == 1
    assert len(project.server.ledger) == 6
    assert "Traceback" not in ran.out and "never taken" not in ran.out
    assert ran.out.count("This case has no score: the budget of 6 calls is used up") == 5
    record = json.loads((project.root / ".gate/pytest/run.json").read_text())
    assert (record["verdict"], record["kind"]) == ("INCONCLUSIVE", "check")


ASYNC = """
import asyncio

async def test_before():
    await asyncio.sleep(0.01)

@pytest.mark.eval
async def test_own_eval():
    await asyncio.sleep(0.01)
    assert asyncio.get_running_loop().is_running()
"""


def test_no_event_loop_meets_another(project: Project) -> None:
    project.tests(ASYNC, "asyncio_mode = auto\nasyncio_default_fixture_loop_scope = session\n")
    ran = project.run("--gate-eval", "-v", "-p", "no:cacheprovider", blocked=())
    assert ran.code == 0, ran.out
    assert "10 passed" in ran.out
