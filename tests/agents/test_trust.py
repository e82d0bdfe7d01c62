"""Whether code may run: by the event, and by nothing that a change says."""

import json
from pathlib import Path

import pytest

from gate.agents.code_folder import untrusted_reason
from gate.environment.settings import Surroundings


@pytest.mark.parametrize("event", ["push", "merge_group", "workflow_dispatch", "schedule"])
def test_what_only_members_can_cause_is_trusted(event: str) -> None:
    assert untrusted_reason(Surroundings("", event, None)) == ""


@pytest.mark.parametrize(
    "event", ["pull_request_target", "workflow_run", "issue_comment", "pull_request_review", "unknown", "Push"]
)
def test_all_else_is_not(event: str) -> None:
    assert "may belong to a change by an untrusted contributor" in untrusted_reason(Surroundings("", event, None))


@pytest.mark.parametrize("payload", [None, "", "{}", "[", json.dumps({"pull_request": {"head": {"repo": None}}})])
def test_a_pull_request_that_cannot_be_read_is_nobodys(tmp_path: Path, payload: str | None) -> None:
    path = tmp_path / "event.json"
    if payload is not None:
        path.write_text(payload)
    assert "is unknown" in untrusted_reason(Surroundings("", "pull_request", path))
    assert "is unknown" in untrusted_reason(Surroundings("", "pull_request", None))


def test_outside_of_a_workflow_the_user_decides() -> None:
    assert untrusted_reason(Surroundings.from_environ({"PATH": "/bin"})) == ""
    assert Surroundings.from_environ({"PATH": "/bin"}).path == "/bin"
    assert untrusted_reason(Surroundings.from_environ({"GITHUB_ACTIONS": "true"})) != ""
    assert untrusted_reason(Surroundings.from_environ({"GITHUB_EVENT_NAME": "push"})) == ""
