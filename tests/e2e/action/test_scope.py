"""`label-scope: commit`: an override covers the commit that it was set on, and no later one."""

import pytest

from tests.e2e.action.example import BROKEN, PROMPT, REWORDED, SERVICE
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import privileged
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
LABEL = "skip-prompt-diff"
SCOPE = {"label-scope": "commit"}


def run(pr: PullRequest, action: str, label: str | None = None) -> ActionOutcome:
    checkout = pr.checkout("merge")
    return run_action(checkout, pr.environment(checkout, action=action, label=label, inputs=SCOPE, by="olivia"))


@pytest.mark.threat("label-later")
def test_an_override_of_one_commit_does_not_cover_the_next(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    assert run(pr, "labeled", LABEL).outputs["verdict"] == "SKIPPED"
    pr.push({"README.md": "# more\n"})
    assert run(pr, "synchronize").code == 1
    assert "was set before the last push" in server.comments(REPO, 7)[0].body
    pr.remove_label(LABEL)
    pr.add_label(LABEL, by="olivia")
    assert run(pr, "labeled", LABEL).code == 0


def test_an_earlier_run_of_the_same_commit_that_is_run_again_is_covered(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge")
    opened = pr.environment(checkout, action="opened", inputs=SCOPE)
    pr.add_label(LABEL, by="olivia")
    again = pr.checkout("merge")
    env = pr.environment(again, inputs=SCOPE) | {"GITHUB_EVENT_PATH": opened["GITHUB_EVENT_PATH"]}
    assert run_action(again, env).outputs["verdict"] == "SKIPPED"


def test_a_later_event_on_the_same_commit_does_not_end_the_override(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("docs", by="olivia")
    pr.add_label(LABEL, by="olivia")
    # Both labels were set at once, and the event of the other one comes second, or alone.
    for action, label in (("labeled", "docs"), ("edited", None), ("reopened", None), ("unlabeled", "docs")):
        assert run(pr, action, label).outputs["verdict"] == "SKIPPED", action
    pr.push({"README.md": "# more\n"})
    for action, label in (("labeled", "docs"), ("edited", None), ("synchronize", None)):
        assert run(pr, action, label).code == 1, action


@pytest.mark.threat("label-earlier")
@pytest.mark.parametrize("again", ["opened", "labeled", "reopened"])
def test_a_label_of_another_commit_does_not_count_after_the_branch_went_back(
    world: PullRequestWorld, again: str
) -> None:
    """Whoever runs an old event again brings its labels and its commit back, and not the time of the push."""
    pr = world.open({PROMPT: BROKEN})
    first = pr.head_sha
    checkout = pr.checkout("merge")
    if again == "labeled":
        pr.add_label(LABEL, by="olivia")
    old = pr.environment(checkout, action=again, label=LABEL if again == "labeled" else None, inputs=SCOPE)
    if again == "labeled":
        pr.remove_label(LABEL)
    pr.push({PROMPT: REWORDED})
    pr.add_label(LABEL, by="olivia")
    assert run(pr, "labeled", LABEL).outputs["verdict"] == "SKIPPED"
    pr.go_back(first)
    checkout = pr.checkout("merge")
    env = pr.environment(checkout, inputs=SCOPE) | {"GITHUB_EVENT_PATH": old["GITHUB_EVENT_PATH"]}
    assert run_action(checkout, env).outputs["verdict"] == "BLOCK"
    pr.remove_label(LABEL)
    pr.add_label(LABEL, by="olivia")
    assert run(pr, "edited").outputs["verdict"] == "SKIPPED"


def test_where_github_does_not_say_when_a_commit_was_pushed_the_label_does_not_count(
    world: PullRequestWorld, server: GitHubServer
) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    server.fail("GET", "/activity", 403, times=9)
    assert run(pr, "edited").code == 1
    said = server.comments(REPO, 7)[0].body.replace("\\", "")
    assert "cannot find out when" in said and "Set it again to override" in said
    # Its own event shows it all the same.
    server.fail("GET", "/activity", 403, times=9)
    assert run(pr, "labeled", LABEL).outputs["verdict"] == "SKIPPED"
    server.heal()
    world.repo.pushes.clear()
    assert run(pr, "edited").code == 1


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_it_holds_for_a_fork_too(world: PullRequestWorld, models: ModelServer, event: str) -> None:
    world.commit_to_main({"gate.yaml": SERVICE})
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.add_label(LABEL, by="olivia")
    assert privileged(pr, models, event, inputs=SCOPE).outputs["verdict"] == "SKIPPED"
    pr.push({"README.md": "# more\n"})
    assert privileged(pr, models, event, inputs=SCOPE).code == 1


@pytest.mark.parametrize(
    "label", ["ci [skip]", "[gate] skip", "[skip]", "[a] b [c]", "\U0001f469\u200d\U0001f4bb ok", "❤️"]
)
def test_any_name_of_a_label_counts_as_it_is(world: PullRequestWorld, label: str) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(label, by="olivia")
    checkout = pr.checkout("merge")
    env = pr.environment(checkout, action="labeled", label=label, inputs={"skip-label": label}, by="olivia")
    assert run_action(checkout, env).outputs["verdict"] == "SKIPPED"
