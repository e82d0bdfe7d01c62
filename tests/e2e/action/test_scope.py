"""`label-scope: commit`: an override covers the commit that it was set on, and no later one."""

from tests.e2e.action.example import BROKEN, PROMPT
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
LABEL = "skip-prompt-diff"
SCOPE = {"label-scope": "commit"}


def run(pr: PullRequest, action: str, label: str | None = None) -> ActionOutcome:
    checkout = pr.checkout("merge")
    return run_action(checkout, pr.environment(checkout, action=action, label=label, inputs=SCOPE, by="olivia"))


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
