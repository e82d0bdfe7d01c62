"""The runner's variables: read, bounded, and all that is missing told at once."""

from pathlib import Path

import pytest

from gate.environment.action import Runner
from gate.errors import GateError

SHA = "0123456789abcdef0123456789abcdef01234567"
NEEDED = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_EVENT_PATH": "/github/workflow/event.json",
    "GITHUB_REPOSITORY": "acme/support-bot",
    "GITHUB_SHA": SHA,
}
WHOLE = {
    **NEEDED,
    "GITHUB_WORKSPACE": "/github/workspace",
    "GITHUB_API_URL": "https://ghe.example.com/api/v3",
    "GITHUB_SERVER_URL": "https://ghe.example.com",
    "GITHUB_RUN_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_ACTOR": "ada",
    "GITHUB_HEAD_REF": "kinder",
    "GITHUB_STEP_SUMMARY": "/github/summary",
    "GITHUB_OUTPUT": "/github/output",
}


def test_the_whole_environment_of_a_runner() -> None:
    assert Runner.from_environ(WHOLE) == Runner(
        event_name="pull_request",
        event_path=Path("/github/workflow/event.json"),
        repository="acme/support-bot",
        sha=SHA,
        workspace=Path("/github/workspace"),
        api_url="https://ghe.example.com/api/v3",
        run_url="https://ghe.example.com/acme/support-bot/actions/runs/4711",
        summary=Path("/github/summary"),
        output=Path("/github/output"),
        actor="ada",
        head_ref="kinder",
    )


@pytest.mark.parametrize("value", ["", None])
def test_outside_a_workflow_all_that_is_missing_is_named(value: str | None) -> None:
    env = {} if value is None else dict.fromkeys(NEEDED, value)
    with pytest.raises(GateError) as caught:
        Runner.from_environ(env)
    assert all(name in caught.value.message for name in NEEDED)
    assert "gate diff --base" in caught.value.hint
    with pytest.raises(GateError, match="gate action needs GITHUB_SHA"):
        Runner.from_environ({**NEEDED, "GITHUB_SHA": ""})


@pytest.mark.parametrize(
    "name", ["support-bot", "a/b/c", "a/", "/b", "a b/c", "ünï/c", "a/b?x", "a/b#c", "a/b\n", "../.."]
)
def test_a_repository_that_is_invalid(name: str) -> None:
    with pytest.raises(GateError, match="GITHUB_REPOSITORY is"):
        Runner.from_environ({**NEEDED, "GITHUB_REPOSITORY": name})


@pytest.mark.parametrize("sha", ["main", SHA[:-1], SHA + "0", SHA.upper(), f"{SHA}\n", "--" + SHA[2:]])
def test_a_commit_that_is_invalid(sha: str) -> None:
    with pytest.raises(GateError, match="GITHUB_SHA is"):
        Runner.from_environ({**NEEDED, "GITHUB_SHA": sha})


@pytest.mark.parametrize("url", ["nonsense", "ftp://api.github.com", "https://", "https://a b", "file:///etc/passwd"])
def test_an_address_of_the_api_that_is_invalid(url: str) -> None:
    with pytest.raises(GateError, match="GITHUB_API_URL is"):
        Runner.from_environ({**NEEDED, "GITHUB_API_URL": url})


@pytest.mark.parametrize(
    "change",
    [
        {"GITHUB_SERVER_URL": "javascript:alert(1)"},
        {"GITHUB_SERVER_URL": "https://x) [y](https://evil.example"},
        {"GITHUB_RUN_ID": "5)"},
        {"GITHUB_RUN_ID": "5\n\n# x"},
        {"GITHUB_RUN_ID": "<b>"},
    ],
)
def test_an_address_that_would_break_a_link_is_left_out(change: dict[str, str]) -> None:
    assert Runner.from_environ({**WHOLE, **change}).run_url == ""
