"""The whole way of the action, in its image: an event in, a comment and an exit code out."""

import pytest

from tests.image.builder import Image
from tests.image.runner import run_action
from tests.support.pull_request import PullRequestWorld

pytestmark = pytest.mark.image

REPO = "acme/support-bot"
WORSE = "Help. quality=1.0 quality[gold]=0.1"
BETTER = "Help the customer well. quality=1.0"


def test_a_regression_blocks_with_one_comment_until_it_is_repaired(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"prompts/support.md": WORSE})
    blocked = run_action(image, request.environment(request.checkout("merge"), action="opened"))
    assert blocked.code == 1, blocked.err
    assert blocked.outputs["verdict"] == "BLOCK"
    assert "tier=gold" in blocked.summary
    [comment] = world.server.comments(REPO, request.number)
    assert "BLOCK" in comment.body

    request.push({"prompts/support.md": BETTER}, "Repair it")
    repaired = run_action(image, request.environment(request.checkout("merge"), action="synchronize"))
    assert repaired.code == 0, repaired.err
    assert repaired.outputs["verdict"] in ("PASS", "SHIP")
    [comment] = world.server.comments(REPO, request.number)
    assert "Prompt Gate: BLOCK" not in comment.body
    assert "Earlier: BLOCK at" in comment.body
    world.server.assert_clean()


def test_a_change_of_no_prompt_is_skipped_without_a_comment(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "A support bot, explained."})
    outcome = run_action(image, request.environment(request.checkout("merge"), action="opened"))
    assert outcome.code == 0, outcome.err
    assert outcome.outputs["verdict"] == "SKIPPED"
    assert world.server.comments(REPO, request.number) == []
    world.server.assert_clean()


def test_an_input_with_a_hyphen_reaches_the_entry_point(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"prompts/support.md": WORSE})
    env = request.environment(request.checkout("merge"), action="opened", inputs={"fail-on": "sometimes"})
    outcome = run_action(image, env)
    assert outcome.code == 2
    assert "fail-on" in outcome.out + outcome.err
