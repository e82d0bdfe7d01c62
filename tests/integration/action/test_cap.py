"""The cap on a month: what pull requests and other runs have spent, and what is left of it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.domain.comment_state import MARKER, CommentState, hidden_line
from gate.domain.verdict import Verdict
from tests.support import events
from tests.support.example import BROKEN, CONFIG, FILES, PROMPT, REWORDED
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
PRICED = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")


@pytest.fixture
def keys() -> Iterator[dict[str, str]]:
    with ModelServer() as models:
        yield {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "x", "GATE_PRICE_BY_NAME": "1"}


def world_with(cap: str, tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    budget = f"budget: {{max_usd_per_month: {cap}}}\n"
    return PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": PRICED + budget})


def run(pr: PullRequest, keys: dict[str, str], **inputs: str) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    given = {name.replace("_", "-"): text for name, text in inputs.items()}
    return run_action(checkout, pr.environment(checkout, inputs=given) | keys)


def test_what_one_pull_request_spent_is_not_there_for_the_next(
    tmp_path: Path, server: GitHubServer, keys: dict[str, str]
) -> None:
    world = world_with("1000", tmp_path, server)
    first = run(world.open({PROMPT: BROKEN}), keys)
    spent = float(first.outputs["cost-usd"])
    assert (first.code, spent > 0) == (1, True)
    world.commit_to_main({"gate.yaml": f"{PRICED}budget: {{max_usd_per_month: {spent:.12f}}}\n"})
    second = run(world.open({PROMPT: REWORDED}), keys)
    assert (second.code, second.outputs["calls"]) == (3, "0")
    assert "per month is used up" in second.summary
    world.commit_to_main({"gate.yaml": f"{PRICED}budget: {{max_usd_per_month: {spent + 1:.12f}}}\n"})
    third = run(world.open({PROMPT: REWORDED + "Be kind.\n"}), keys)
    assert third.code == 0
    assert "The monthly cap leaves this run $1." in third.out


def test_a_small_rest_of_the_month_is_told_with_its_digits(
    tmp_path: Path, server: GitHubServer, keys: dict[str, str]
) -> None:
    outcome = run(world_with("0.000395", tmp_path, server).open({PROMPT: BROKEN}), keys)
    said = outcome.summary.replace("\\", "")
    assert (outcome.code, "The monthly cap leaves this run $0.000395." in said) == (3, True)
    assert "the budget of $0.000395 that budget.max_usd_per_month leaves" in said
    assert "Raise `budget.max_usd_per_month`, or run again when the next month begins" in said


def test_a_forged_comment_elsewhere_does_not_use_up_the_month(
    tmp_path: Path, server: GitHubServer, keys: dict[str, str]
) -> None:
    world = world_with("100", tmp_path, server)
    other, month = world.open({"README.md": "x\n"}), f"{datetime.now(UTC):%Y-%m}"
    state = CommentState(
        commit=other.head_sha, started=f"{month}-01T00:00:00Z", verdict=Verdict.SHIP, spent={month: 1e9}
    )
    other.comment(f"{MARKER}gate.yaml -->\n{hidden_line(state)}\n", by="github-actions[bot]")
    assert run(world.open({PROMPT: REWORDED}), keys).code == 0


def test_what_no_comment_counts_is_in_the_ledger(tmp_path: Path, server: GitHubServer, keys: dict[str, str]) -> None:
    world = world_with("1000", tmp_path, server)
    checkout = events.checkout_of(world, world.main_sha)
    outcome = run_action(checkout, events.push(world, checkout) | keys)
    ledger = json.loads((checkout / ".gate/cache/spending.json").read_text())
    text = json.dumps(ledger)
    assert f"{datetime.now(UTC):%Y-%m}" in text
    assert "19000000001.1" in text
    assert float(outcome.outputs["cost-usd"]) > 0


def test_spending_that_cannot_be_read_is_no_leave_to_spend(
    tmp_path: Path, server: GitHubServer, keys: dict[str, str]
) -> None:
    world = world_with("1000", tmp_path, server)
    pr = world.open({PROMPT: BROKEN})
    server.fail("GET", "/issues/comments$", 403, times=9)
    outcome = run(pr, keys)
    assert (outcome.code, outcome.outputs["calls"]) == (3, "0")
    assert "max_usd_per_month cannot be kept" in outcome.summary.replace("\\", "")


def test_a_model_without_a_price_has_no_cap_and_the_setting_is_named(
    tmp_path: Path, server: GitHubServer, keys: dict[str, str]
) -> None:
    config = PRICED.replace("gpt-4o-mini", "our-own-model") + "budget: {max_usd_per_month: 5}\n"
    world = PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": config})
    outcome = run(world.open({PROMPT: BROKEN}), keys)
    assert outcome.outputs["calls"] == "0"
    said = outcome.summary.replace("\\", "")
    assert "budget.max_usd_per_month cannot be kept: the price of openai:our-own-model is unknown" in said


def test_without_a_cap_nobody_asks(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    assert run_action(checkout, pr.environment(checkout)).code == 0
    assert server.requests("GET", "/issues/comments$") == []
    assert not (checkout / ".gate/cache/spending.json").exists()
