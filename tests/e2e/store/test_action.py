"""The action with a store: which cases count, what forks can do, and which runs are stored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.cases.stored import Page
from gate.record.comparison import Verdict
from gate.record.history import RunFilter, RunRow
from tests.e2e.action.example import BROKEN as WORSE
from tests.e2e.action.example import CONFIG, PROMPT, SERVICE, SMALL, cases
from tests.e2e.store.conftest import Place, url_of
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import beside_secrets, keys
from tests.support.pull_request import PullRequest, PullRequestWorld

STORE = CONFIG.replace("evals/support.jsonl", "store:support@1")
BROKEN = {PROMPT: WORSE}


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running
        running.assert_clean()


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": STORE})


def store(place: Place) -> dict[str, str]:
    return {"GATE_DATABASE_URL": url_of(place.database)}


def act(pr: PullRequest, place: Place, inputs: dict[str, str] | None = None) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, action="opened", inputs=inputs) | {"GITHUB_HEAD_REF": pr.pull.head.ref}
    return run_action(checkout, env | store(place))


def kept(place: Place) -> list[RunRow]:
    return list(place.runs.rows(RunFilter(), Page()))


@pytest.mark.threat("store-cases")
def test_a_pull_request_is_tested_with_the_cases_of_the_base(world: PullRequestWorld, place: Place) -> None:
    place.put("support", 20)
    place.archive("support", *(f"c{number}" for number in range(1, 20, 2)))
    pr = world.open({**BROKEN, "gate.yaml": STORE.replace("store:support@1", "store:support@2")})
    outcome = act(pr, place)
    assert outcome.code == 1, outcome.summary
    assert "20 cases of `store:support@1` at" in outcome.summary
    assert "tier=gold" in outcome.summary
    assert "10 cases" in outcome.summary


@pytest.mark.threat("store-suites")
def test_a_fork_may_use_only_store_suites_of_the_base(
    tmp_path: Path, server: GitHubServer, models: ModelServer, place: Place
) -> None:
    place.put("support", 4)
    place.put("support", 4, first=4)
    place.put("secret", 4)
    own = SERVICE.replace("evals/support.jsonl", "store:support@1")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": own})
    more = "suites:\n  - {name: mine, prompt: README.md, cases: 'store:secret', scorers: [contains]}\n"
    for change in (
        own.replace("store:support@1", "store:secret"),
        own.replace("store:support@1", "store:support"),
        own.replace("suites:\n", more),
    ):
        pr = world.open({"gate.yaml": change, **BROKEN}, fork=True)
        outcome = privileged_with(pr, models, place)
        assert outcome.code == 2
        assert "a change from a fork uses cases of a store" in outcome.summary
        assert "word" not in outcome.summary
    assert models.ledger == []
    pr = world.open(BROKEN, fork=True)
    assert privileged_with(pr, models, place).outputs["verdict"] != "INCONCLUSIVE"
    assert models.ledger != []


def privileged_with(pr: PullRequest, models: ModelServer, place: Place, **inputs: str) -> ActionOutcome:
    env = beside_secrets(pr, models, inputs=inputs) | store(place)
    return run_action(Path(env["GITHUB_WORKSPACE"]), env)


def test_runs_of_pull_requests_are_stored_with_their_origin(world: PullRequestWorld, place: Place) -> None:
    place.put("support", 20)
    pr = world.open(BROKEN)
    outcome = act(pr, place, {"push-to": "store"})
    assert outcome.code == 1, outcome.summary
    (row,) = kept(place)
    assert f"Saved as run {row.id} in the store " in outcome.out
    context = row.context
    assert (context.repository, context.branch, context.event) == ("acme/support-bot", pr.pull.head.ref, "pull_request")
    assert (context.pull_request, row.verdict) == (pr.number, Verdict.BLOCK)
    assert row.samples == 40
    assert act(world.open({"README.md": "x\n"}), place, {"push-to": "store"}).outputs["verdict"] == "SKIPPED"
    assert len(kept(place)) == 1


def test_an_override_is_stored_for_the_log(world: PullRequestWorld, place: Place) -> None:
    place.put("support", 20)
    pr = world.open(BROKEN)
    pr.add_label("skip-prompt-diff")
    outcome = act(pr, place, {"push-to": "store"})
    assert outcome.code == 0, outcome.summary
    (row,) = kept(place)
    record = place.runs.record(row.id)
    assert record is not None
    assert record.override is not None
    assert record.override.by == "olivia"


@pytest.mark.threat("store-history")
def test_runs_of_forks_are_stored_if_the_workflow_is_from_the_base(
    tmp_path: Path, server: GitHubServer, models: ModelServer, place: Place
) -> None:
    files = {**SMALL, "gate.yaml": SERVICE, "evals/support.jsonl": cases(10)}
    world = PullRequestWorld.make(tmp_path, server, files)
    pr = world.open(BROKEN, fork=True)
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, action="opened", inputs={"push-to": "store"}) | keys(models) | store(place)
    outcome = run_action(checkout, env)
    assert outcome.outputs["verdict"] != "INCONCLUSIVE"
    assert "may come from an untrusted contributor" in outcome.out
    assert kept(place) == []
    outcome = privileged_with(pr, models, place, **{"push-to": "store"})
    (row,) = kept(place)
    assert (row.context.event, row.context.pull_request) == ("workflow_run", pr.number)


def test_an_unreachable_store_changes_no_verdict(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, SMALL)
    away = {"GATE_DATABASE_URL": "postgresql://gate:hidden@127.0.0.1:9/gate?connect_timeout=2"}
    pr = world.open(BROKEN)
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout, action="opened", inputs={"push-to": "store"}) | away)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert "does not answer" in outcome.out
    assert "hidden" not in outcome.out + outcome.summary
