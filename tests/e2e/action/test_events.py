"""Every event that starts the gate: the merge queue, pushes, runs by hand, and those that have nothing to judge."""

import json
from pathlib import Path

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, GOOD, PROMPT, REWORDED, SMALL, cases
from tests.support import events
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"
LABEL = "skip-prompt-diff"
FAQ = {"prompts/faq.md": "Answer shortly. quality=1.0\n"}


def record(checkout: Path, outcome: ActionOutcome) -> dict[str, object]:
    found: dict[str, object] = json.loads((checkout / outcome.outputs["result-json"]).read_text())
    return found


@pytest.mark.threat("label-group")
def test_one_override_does_not_cover_the_others_of_a_merge_group(world: PullRequestWorld, server: GitHubServer) -> None:
    good, bad = world.open(FAQ), world.open({PROMPT: BROKEN})
    good.add_label(LABEL)
    head = events.queued(world, bad, good)
    checkout = good.checkout("none")
    outcome = run_action(checkout, events.merge_group(world, [bad, good], checkout, head))
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert f"#{bad.number}" in outcome.out
    assert record(checkout, outcome)["commit"] == head
    assert server.comments(REPO, good.number) == server.comments(REPO, bad.number) == []


@pytest.mark.parametrize("squash", [False, True])
def test_a_merge_group_inherits_the_override_of_its_pull_request(world: PullRequestWorld, squash: bool) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL)
    head = events.queued(world, pr, squash=squash)
    checkout = events.checkout_of(world, head)
    outcome = run_action(checkout, events.merge_group(world, [pr], checkout, head))
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    assert "olivia" in outcome.summary


@pytest.mark.parametrize("commits", [1, 3])
def test_a_merge_group_that_is_rebased_inherits_the_override_of_its_pull_request(
    world: PullRequestWorld, commits: int
) -> None:
    pr = world.open({PROMPT: BROKEN})
    for number in range(1, commits):
        pr.push({"README.md": f"# {number}\n"})
    pr.add_label(LABEL)
    world.commit_to_main({"other.md": "x\n"})
    head = events.queued(world, pr, rebase=True)
    checkout = events.checkout_of(world, head, depth=0)
    outcome = run_action(checkout, events.merge_group(world, [pr], checkout, head))
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED"), outcome.summary


def test_an_entry_that_is_tested_against_the_one_before_it_says_so(world: PullRequestWorld) -> None:
    first, second = world.open({PROMPT: BROKEN}), world.open({"prompts/faq.md": "Answer. Be kind. quality=1.0\n"})
    before = events.queued(world, first)
    head = events.queued(world, first, second)
    checkout = events.checkout_of(world, head, depth=0)
    env = events.merge_group(world, [second], checkout, head)
    path = Path(env["GITHUB_EVENT_PATH"])
    event = json.loads(path.read_text())
    event["merge_group"]["base_sha"] = before
    path.write_text(json.dumps(event))
    outcome = run_action(checkout, env)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "PASS")
    assert f"the entry {before[:12]} before it in the queue" in outcome.summary


def test_commits_of_another_pull_request_are_not_covered_by_the_newest_ones_override(world: PullRequestWorld) -> None:
    bad, good = world.open({PROMPT: BROKEN}), world.open(FAQ)
    good.push({"README.md": "# More\n"})
    good.add_label(LABEL)
    head = events.queued(world, bad, good, rebase=True)
    checkout = events.checkout_of(world, head, depth=0)
    outcome = run_action(checkout, events.merge_group(world, [bad, good], checkout, head))
    assert outcome.code == 1
    assert "cannot find out which pull requests" in outcome.summary


def test_an_override_of_a_pull_request_that_moved_on_does_not_cover_what_was_queued(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    head = events.queued(world, pr)
    checkout = events.checkout_of(world, head)
    pr.push({"README.md": "# Hi\n"})
    pr.add_label(LABEL)
    outcome = run_action(checkout, events.merge_group(world, [pr], checkout, head))
    assert outcome.code == 1
    assert "cannot find out which pull requests" in outcome.summary


def test_a_push_takes_the_baselines_answers_and_the_next_pull_request_pays_for_its_own_alone(
    tmp_path: Path, server: GitHubServer
) -> None:
    world = PullRequestWorld.make(
        tmp_path,
        server,
        {
            **SMALL,
            "gate.yaml": CONFIG.replace("fake:oracle", "openai:gpt-4o-mini").replace("samples: 1", "samples: 2"),
            "evals/faq.jsonl": cases(2),
        },
    )
    with ModelServer() as models:
        keys = {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "x"}
        main = events.checkout_of(world, world.main_sha)
        first = run_action(main, events.push(world, main) | keys)
        assert (first.code, first.outputs["verdict"]) == (0, "PASS")
        assert first.outputs["calls"] == str(len(models.ledger)) == "44"  # (20 + 2) cases, two samples, one arm
        assert "the baseline `origin/main` is recorded" in first.summary
        assert "Nothing to do: later runs compare with these cached answers" in first.summary
        again = run_action(main, events.push(world, main) | keys)
        assert again.outputs["calls"] == "0"
        assert "cached already" in again.summary

        pr = world.open({PROMPT: REWORDED})
        checkout = pr.checkout("merge", depth=2)
        (main / ".gate").rename(checkout / ".gate")
        outcome = run_action(checkout, pr.environment(checkout) | keys)
        assert outcome.outputs["verdict"] == "PASS"
        # All of the candidate's, and of the baseline's those that are asked beside it.
        assert int(outcome.outputs["calls"]) < 40 + 30
    assert len(server.comments(REPO, pr.number)) == 1


@pytest.mark.parametrize(
    ("with_checkout", "base", "head", "verdict"),
    [
        (True, "", "", "BLOCK"),
        (False, "refs/heads/main", "change-7", "BLOCK"),
        (True, "", "main", "SKIPPED"),
    ],
)
def test_any_two_refs_by_hand(world: PullRequestWorld, with_checkout: bool, base: str, head: str, verdict: str) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("head", depth=0) if with_checkout else pr.checkout("none")
    env = events.dispatch(world, checkout, pr.head_sha, "refs/heads/change-7", {"range": f"{base}..{head}"})
    outcome = run_action(checkout, env)
    assert outcome.outputs["verdict"] == verdict
    if verdict != "SKIPPED":
        suite = json.loads((checkout / outcome.outputs["result-json"]).read_text())["suites"][0]
        shas = {"": world.main_sha, "main": world.main_sha, "refs/heads/main": world.main_sha, "change-7": pr.head_sha}
        assert (suite["baseline"]["sha"], suite["candidate"]["sha"]) == (
            shas[base],
            shas[head] if head else pr.head_sha,
        )


def test_an_event_that_the_gate_does_not_handle(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge")
    outcome = run_action(checkout, pr.environment(checkout, event="issue_comment"))
    assert (outcome.code, outcome.outputs["verdict"]) == (2, "INCONCLUSIVE")


def test_dependabot_has_no_secrets(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(
        tmp_path, server, {**SMALL, "gate.yaml": CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")}
    )
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge")
    env = pr.environment(checkout, inputs={"on-missing-secrets": "fail"}) | {"GITHUB_ACTOR": "dependabot[bot]"}
    outcome = run_action(checkout, env)
    assert outcome.code == 3
    assert "OPENAI_API_KEY" in outcome.summary.replace("\\", "")
    assert "Dependabot" in outcome.summary


def test_one_project_of_several(tmp_path: Path, server: GitHubServer) -> None:
    files = {f"apps/bot/{path}": text for path, text in SMALL.items()} | {"gate.yaml": "nonsense", "README.md": "x\n"}
    world = PullRequestWorld.make(tmp_path, server, files)
    pr = world.open({f"apps/bot/{PROMPT}": BROKEN})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout, inputs={"working-directory": "./apps/bot/"}))
    assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "tier=gold")
    assert outcome.outputs["result-json"] == "apps/bot/.gate/action/run.json"
    assert (checkout / "apps/bot/.gate/cache/answers.sqlite").exists()
    other = world.open({"README.md": "y\n"})
    checkout = other.checkout("none")
    env = other.environment(checkout, inputs={"working-directory": "apps/bot"})
    assert run_action(checkout, env).outputs["verdict"] == "SKIPPED"


@pytest.mark.parametrize("new", ["acme/desk-bot", "newco/desk-bot"])
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
def test_a_repository_that_was_renamed_since_the_event(
    world: PullRequestWorld, server: GitHubServer, new: str, event: str
) -> None:
    """Everything still works: files from GitHub, the check, the override, and one comment that is updated."""
    hidden = PROMPT.replace("support.md", "deep/s.md")
    config = CONFIG.replace(PROMPT, "prompts/**/s*.md") + "budget: {max_calls: 1000}\n"
    world.commit_to_main({"gate.yaml": config, hidden: GOOD})
    pr = world.open({hidden: BROKEN})
    checkout = pr.checkout("none")
    first, second = (pr.environment(checkout, event=event, token=CHECKS_TOKEN) for _ in range(2))
    server.state.rename(world.repo, new)
    outcome = run_action(checkout, first)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK"), outcome.summary
    pr.add_label(LABEL)
    outcome = run_action(checkout, second)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED"), outcome.summary
    (comment,) = server.comments(new, pr.number)
    assert "olivia" in comment.body
    assert [check.conclusion for check in world.repo.check_runs] == ["failure", "neutral"]
    assert "::warning" not in outcome.out
