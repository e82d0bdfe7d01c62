"""Cases of a store may use only what their suite in gate.yaml allows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.cases.stored import CaseWrite, SuiteVersion
from gate.store.sql.suites import Authorship, Suites
from gate.values import JsonValue
from tests.e2e.store.conftest import CONFIG, NOW, Place, url_of
from tests.support import example, repository, stores
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld

CODE: JsonValue = {"python": "evals.checks:polite"}
CHECKS = {"evals/checks.py": 'open("ran.txt", "w")\n\n\ndef polite(answer, case):\n    return 1.0\n'}
NAMED = CONFIG.replace("[contains]", "[contains, {python: 'evals.checks:polite'}]", 1)


def bring(place: Place, *scorers: JsonValue) -> None:
    """A case with scorers of its own among others."""
    entry: dict[str, JsonValue] = {"id": "odd", "input": "answer=x", "expected": "x", "extra_scorers": list(scorers)}
    assert isinstance(
        Suites(place.database).change("support", [CaseWrite("odd", entry)], Authorship("eve", NOW)), SuiteVersion
    )


@pytest.mark.threat("case-reach")
def test_no_command_runs_code_that_only_a_case_of_the_store_names(place: Place) -> None:
    repository.commit(place.repo, CHECKS)
    repository.write(place.repo, {example.PROMPT: example.REWORDED})
    place.put("support", 4)
    bring(place, CODE)
    for command in (("diff", "--base", "main"), ("check",), ("plan",), ("calibrate", "--out", "noise")):
        done = place.gate(*command)
        assert (done.code, (place.repo / "ran.txt").exists()) == (2, False), done.err
        assert "store:support@2: case 'odd': its scorer 'python' runs the function 'evals.checks:polite'" in done.err
        assert "add it to a scorer of suite support in gate.yaml, or remove it from the case" in done.err


@pytest.mark.threat("case-reach")
@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        ({"database": {"url": "GATE_DATABASE_URL", "query": "SELECT 1", "equals": 1}}, "queries the database of"),
        ({"judge": {"criteria": "x", "model": "openai:gpt-5"}}, "calls the model 'openai:gpt-5'"),
    ],
)
def test_a_fork_cannot_add_database_or_model_calls_through_the_store(
    place: Place, scorer: JsonValue, said: str
) -> None:
    place.put("support", 4)
    bring(place, scorer)
    done = place.gate("check", "--suite", "support")
    assert (done.code, said in done.err) == (2, True), done.err
    assert "127.0.0.1" not in done.err


def test_scorers_of_the_suite_and_of_case_files_may_be_used(place: Place) -> None:
    place.put("support", 2)
    bring(place, CODE)
    repository.commit(place.repo, {**CHECKS, "gate.yaml": NAMED})
    named = place.gate("plan")
    assert named.code == 0, named.err
    row = '{"id": "odd", "input": "answer=x", "expected": "x", "extra_scorers": [{"python": "evals.checks:polite"}]}\n'
    repository.commit(place.repo, {"gate.yaml": example.CONFIG, "evals/support.jsonl": example.cases(2) + row})
    own = place.gate("plan")
    assert own.code == 0, own.err


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running


@pytest.mark.threat("case-reach-change")
def test_the_action_refuses_it_even_if_the_change_adds_the_scorer(tmp_path: Path, server: GitHubServer) -> None:
    """The exam is the base's, and so is what it may reach."""
    files = {**example.FILES, **CHECKS, "gate.yaml": CONFIG}
    world = PullRequestWorld.make(tmp_path, server, files)
    with stores.with_tables(tmp_path / "store") as database:
        place = Place(tmp_path, database, {})
        place.put("support", 4)
        bring(place, CODE)
        for change in ({example.PROMPT: example.BROKEN}, {"gate.yaml": NAMED}):
            pr = world.open(change)
            checkout = pr.checkout("merge", depth=2)
            env = pr.environment(checkout, action="opened") | {"GATE_DATABASE_URL": url_of(database)}
            outcome = run_action(checkout, env)
            assert outcome.code == 2, outcome.summary
            assert "which is not allowed for cases of a store" in outcome.summary
            assert not (checkout / "ran.txt").exists()
