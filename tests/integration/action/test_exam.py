"""A pull request that rewrites its own exam fails as it would have, and says so above everything else."""

import json

from tests.support.example import BROKEN, CONFIG, PROMPT, case
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


def first_lines(world: PullRequestWorld, server: GitHubServer, files: dict[str, str]) -> tuple[int, str, list[str]]:
    """Exit code, worst slice, and the comment's first paragraphs but for the marker."""
    pr = world.open({PROMPT: BROKEN, **files})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout))
    paragraphs = [text for text in server.comments("acme/support-bot", 7)[0].body.split("\n\n") if text.strip()]
    return outcome.code, outcome.outputs["worst-slice"], paragraphs[:3]


def test_deleting_the_cases_of_the_failing_slice_still_fails(world: PullRequestWorld, server: GitHubServer) -> None:
    kept = "".join(json.dumps(case(number, "free")) + "\n" for number in range(0, 40, 2))
    code, worst, lines = first_lines(world, server, {"evals/support.jsonl": kept})
    assert (code, worst) == (1, "tier=gold")
    assert "BLOCK" in lines[0]
    assert "⚠️ **This change also edits its own exam: 20 cases of `support` removed." in lines[1]
    assert "the removed cases included" in lines[1]


def test_loosening_the_policy_still_fails(world: PullRequestWorld, server: GitHubServer) -> None:
    loose = CONFIG.replace(
        "scorers: [contains]", "scorers: [contains]\n    policy: {margin: 0.9, advisory: [tier=gold]}"
    )
    code, worst, lines = first_lines(world, server, {"gate.yaml": loose + "policy: {confidence: 0.999}\n"})
    assert (code, worst) == (1, "tier=gold")
    assert "the policy of the run (`confidence` `0.95` → `0.999`)" in lines[1]
    assert 'policy of `support` (`advisory` `[]` → `["tier=gold"]`, `margin` `0.0` → `0.9`)' in lines[1]
    assert "The verdict rests on the merge target's exam as it was." in lines[1]
