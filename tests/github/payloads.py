"""A small payload about a pull request, and what is read of it."""

import json
from typing import Any

from gate.github.events import PullRequest, PullRequestEvent, parse_event

SHA = "0123456789abcdef0123456789abcdef01234567"


def pull(**change: Any) -> dict[str, Any]:
    """A small payload; None takes a field away."""
    fields = {
        "number": 7,
        "state": "open",
        "head": {"sha": SHA, "ref": "change", "repo": {"full_name": "ada/support-bot"}},
        "base": {"sha": SHA[::-1], "ref": "main"},
        "labels": [{"name": "docs"}],
        **change,
    }
    return {"action": "opened", "pull_request": fields}


def read(value: object) -> PullRequestEvent:
    event = parse_event("pull_request", json.dumps(value), "event.json")
    assert isinstance(event, PullRequestEvent)
    return event


def parsed(value: object) -> PullRequest:
    return read(value).pull
