"""GitHub that asks to wait, or fails for a moment, costs time and nothing else; the log says each wait."""

import pytest

from tests.e2e.action.example import BROKEN, PROMPT
from tests.support.action_in_process import act_here
from tests.support.github_server import SECONDARY_LIMIT, GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"
LABEL = "skip-prompt-diff"
REQUESTS = [
    ("GET", "/pulls/7$"),
    ("GET", "/timeline$"),
    ("GET", "/permission$"),
    ("GET", "/comments$"),
    ("POST", "/comments$"),
    ("GET", "/check-runs$"),
    ("POST", "/check-runs$"),
    ("PATCH", "/check-runs/"),
]
TROUBLES = {
    "asks for a minute": (403, {"Retry-After": "60"}, {"message": SECONDARY_LIMIT}),
    "asks for two minutes": (429, {"Retry-After": "120"}, None),
    "names no time": (403, {}, {"message": SECONDARY_LIMIT}),
    "has no server": (502, {}, None),
    "fails": (500, {}, None),
    "does not respond": (0, {}, None),
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_trouble_costs_time_and_nothing_else(
    world: PullRequestWorld,
    server: GitHubServer,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    path: str,
    trouble: str,
) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    status, headers, body = TROUBLES[trouble]
    server.fail(method, path, status, headers=headers, body=body)
    acted = act_here(pr.environment(pr.checkout("merge"), token=CHECKS_TOKEN), monkeypatch)
    assert (acted.code, acted.outputs["verdict"]) == (0, "SKIPPED")
    assert len(server.comments(REPO, 7)) == 1
    assert [check.status for check in world.repo.check_runs] == ["completed"]
    assert not [line for line in acted.log if line.startswith("::warning")]
    # A reading request that failed is repeated at once; a writing one may have taken effect, so it is not.
    asked = float(headers.get("Retry-After", 60 if status == 403 else 2 if method == "POST" else 0))
    assert sum(acted.waits) >= asked
    assert all(any(f"waiting {wait:.0f} s" in line for line in acted.log) for wait in acted.waits)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/comments$"), ("POST", "/check-runs$"), ("PATCH", "/check-runs/")]
)
def test_the_waits_end_with_the_jobs_time_and_the_verdict_stands(
    world: PullRequestWorld, server: GitHubServer, monkeypatch: pytest.MonkeyPatch, method: str, path: str
) -> None:
    pr = world.open({PROMPT: BROKEN})
    server.limit(method, path, SECONDARY_LIMIT, {"Retry-After": "40"}, times=99)
    env = pr.environment(pr.checkout("merge"), token=CHECKS_TOKEN, inputs={"max-minutes": "1"})
    acted = act_here(env, monkeypatch)
    assert (acted.code, acted.outputs["verdict"]) == (1, "BLOCK")
    assert sum(acted.waits) == 40
    assert SECONDARY_LIMIT in acted.summary.replace("\\", "")
