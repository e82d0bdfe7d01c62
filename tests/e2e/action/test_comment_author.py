"""One comment, whoever the token belongs to: a later run edits it, and comments of others stay as they are."""

import pytest

from tests.e2e.action.example import BROKEN, PROMPT, SMALL
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import ALL_WRITE, APP_TOKEN, BOT, PERSONAL_TOKEN, WORKFLOW_TOKEN, Identity
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"
FORGED = f"<!-- prompt-gate: gate.yaml {'c' * 40} -->\nold"


@pytest.mark.parametrize("token", [WORKFLOW_TOKEN, APP_TOKEN, PERSONAL_TOKEN])
@pytest.mark.parametrize("graphql", [200, 403, 502])
@pytest.mark.parametrize("other", [None, "mallory", "other[bot]"])
def test_a_skipped_run_edits_the_comment_of_the_same_token(
    world: PullRequestWorld, server: GitHubServer, token: str, graphql: int, other: str | None
) -> None:
    server.tokens[APP_TOKEN] = Identity("acme-gate[bot]", {**ALL_WRITE, "contents": "read"}, workflow=True)
    author = {WORKFLOW_TOKEN: BOT, APP_TOKEN: "acme-gate[bot]", PERSONAL_TOKEN: "olivia"}[token]
    pr = world.open({PROMPT: BROKEN})
    if other is not None:
        pr.comment(FORGED, by=other)
    if graphql != 200:
        server.fail("POST", "/graphql$", graphql, times=99)
    first = None
    for files, verdict in (({}, "BLOCK"), ({"README.md": "# More\n"}, "BLOCK"), ({PROMPT: SMALL[PROMPT]}, "SKIPPED")):
        if files:
            pr.push(files)
        checkout = pr.checkout("merge", depth=2)
        assert run_action(checkout, pr.environment(checkout, token=token)).outputs["verdict"] == verdict
        (own,) = [one for one in server.comments(REPO, 7) if one.login == author]
        first = first or own
        assert own.id == first.id and verdict in own.body
    assert [one.body for one in server.comments(REPO, 7) if one.login != author] == [FORGED] * (other is not None)
