"""The override label: green, and the comment says who set it and when."""

import json
from pathlib import Path

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, PROMPT
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import READ_ONLY_TOKEN
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"


def test_the_label_skips_and_the_comment_says_who_and_when(world: PullRequestWorld, server: GitHubServer) -> None:
    label = "[Skip-Prompt-Diff]"
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(label, by="ada")
    pr.remove_label(label, by="ada")
    pr.add_label("documentation", by="ada")
    pr.add_label(label, by="olivia")
    set_at = server.state.now
    checkout = pr.checkout("merge", depth=1)
    outcome = run_action(checkout, pr.environment(checkout, action="labeled", label=label))
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    body = server.comments(REPO, 7)[0].body
    assert f"the label `{label}` is set" in body
    assert f"Set by `olivia` (role `triage`) on {set_at:%Y-%m-%d %H:%M:%S} UTC" in body
    assert f"applies to commit `{pr.head_sha[:12]}`" in body
    override = json.loads((checkout / outcome.outputs["result-json"]).read_text())["override"]
    assert (override["label"], override["by"], override["commit"]) == (label, "olivia", pr.head_sha)


def test_taking_the_label_off_evaluates_again(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("skip-prompt-diff")
    checkout = pr.checkout("merge", depth=1)
    assert run_action(checkout, pr.environment(checkout, action="labeled", label="skip-prompt-diff")).code == 0
    pr.remove_label("skip-prompt-diff")
    assert run_action(checkout, pr.environment(checkout, action="unlabeled", label="skip-prompt-diff")).code == 1
    (comment,) = server.comments(REPO, 7)
    assert "BLOCK" in comment.body


@pytest.mark.threat("label-other")
def test_another_label_or_a_title_is_no_override(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("do-not-skip-prompt-diff")
    pr.pull.title = "[skip-prompt-diff] skip-prompt-diff"
    checkout = pr.checkout("merge", depth=1)
    env = pr.environment(checkout, action="labeled", label="do-not-skip-prompt-diff")
    assert run_action(checkout, env).code == 1
    edited = pr.environment(checkout, action="opened")
    event = Path(edited["GITHUB_EVENT_PATH"])
    changes = {"title": {"from": "Change the prompt"}}
    event.write_text(json.dumps(json.loads(event.read_text()) | {"action": "edited", "changes": changes}))
    again = pr.environment(checkout) | {"GITHUB_EVENT_PATH": str(event), "GITHUB_RUN_ATTEMPT": "2"}
    assert run_action(checkout, again).code == 1


def test_the_label_helps_a_base_whose_configuration_is_broken(world: PullRequestWorld) -> None:
    world.commit_to_main({"gate.yaml": CONFIG + "nonsense: 1\n"})
    pr = world.open({"gate.yaml": CONFIG})
    checkout = pr.checkout("merge", depth=1)
    broken = run_action(checkout, pr.environment(checkout))
    assert broken.code == 2
    pr.add_label("skip-prompt-diff")
    assert run_action(checkout, pr.environment(checkout)).code == 0


def test_the_label_of_somebody_who_may_not_is_named_and_the_change_is_judged(
    world: PullRequestWorld, server: GitHubServer
) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("skip-prompt-diff", by="mallory")
    checkout = pr.checkout("merge", depth=1)
    outcome = run_action(checkout, pr.environment(checkout))
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    body = server.comments(REPO, 7)[0].body
    assert "set by mallory, who has the role read here, and does not count" in body[: body.index("|")]
    override = json.loads((checkout / outcome.outputs["result-json"]).read_text())["override"]
    assert (override["by"], override["counted"]) == ("mallory", False)
    assert "has to count" in body


def test_a_reason_in_a_comment_is_kept(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("skip-prompt-diff")
    pr.comment("Looked at all of them.\n/gate override: the old answers were wrong, @mallory", by="olivia")
    pr.comment("/gate override: because I say so", by="mallory")
    checkout = pr.checkout("merge", depth=1)
    outcome = run_action(checkout, pr.environment(checkout))
    assert outcome.code == 0
    assert "Reason: `the old answers were wrong, @mallory`" in server.comments(REPO, 7)[2].body
    override = json.loads((checkout / outcome.outputs["result-json"]).read_text())["override"]
    assert (override["role"], override["reason"]) == ("triage", "the old answers were wrong, @mallory")


def test_the_override_of_a_fork_works_without_the_right_to_comment(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.add_label("skip-prompt-diff")
    checkout = pr.checkout("merge", depth=1)
    outcome = run_action(checkout, pr.environment(checkout, token=READ_ONLY_TOKEN))
    assert (outcome.code, outcome.outputs["comment-url"]) == (0, "")
    assert "Set by `olivia`" in outcome.summary
