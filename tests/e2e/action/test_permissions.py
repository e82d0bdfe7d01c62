"""What a token may not read or write costs that one thing and a warning, never a stale or a missing comment."""

import pytest

from tests.e2e.action.example import BROKEN, PROMPT
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"
REFUSED = "Resource not accessible by integration"
OF_A_PERSON = "Resource not accessible by personal access token"


@pytest.mark.parametrize(
    ("path", "permission", "status", "words"),
    [
        ("/pulls/7$", "pull-requests: read", 403, REFUSED),
        ("/check-runs$", "", 404, REFUSED),
        ("/user$", "", 403, OF_A_PERSON),
        ("/collaborators/", "metadata: read", 403, REFUSED),
    ],
)
def test_the_comment_is_there_and_current(
    world: PullRequestWorld, server: GitHubServer, path: str, permission: str, status: int, words: str
) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.comment(f"<!-- prompt-gate: gate.yaml {'c' * 40} -->\n## Prompt Gate: PASS", by="github-actions[bot]")
    pr.add_label("skip-prompt-diff")
    for method in ("GET", "POST"):
        server.fail(method, path, status, times=99, body={"message": words})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout, token=CHECKS_TOKEN))
    seen = path in ("/check-runs$", "/user$")
    assert outcome.outputs["verdict"] == ("SKIPPED" if seen else "BLOCK")
    (comment,) = server.comments(REPO, 7)
    assert f"Prompt Gate: {outcome.outputs['verdict']}" in comment.body
    assert pr.head_sha[:12] in comment.body
    assert permission in outcome.summary
    for told in (comment.body, outcome.summary):
        assert path != "/collaborators/" or "does not count: cannot read the role of olivia" in told
