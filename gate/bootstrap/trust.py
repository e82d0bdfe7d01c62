"""Whether code of the repository may run here: never beside secrets for a change that anybody may have made."""

from gate.errors import GateError
from gate.inputs.event import PullRequestEvent, parse_event
from gate.inputs.problems import quoted
from gate.inputs.text import decode
from gate.settings.surroundings import Surroundings

TRUSTED = ("push", "merge_group", "workflow_dispatch", "repository_dispatch", "schedule", "release")
"""Events that only those can cause who may push to the repository."""


def distrust(here: Surroundings) -> str:
    """Why no code of the repository may run; empty where it may.

    Outside of a workflow whoever starts the gate answers for what is checked out. In one the event says whose change it
    is, and what cannot be read is nobody's.

    Args:
        here: what started this process.
    """
    if not here.event or here.event in TRUSTED:
        return ""
    if here.event != "pull_request":
        return f"the event {quoted(here.event)} may be about a change that anybody made"
    try:
        payload = here.payload.read_bytes() if here.payload else b""
        event = parse_event(here.event, decode(payload, "the event"), "the event")
    except (OSError, GateError):
        return "the pull request that this is about cannot be told"
    if not isinstance(event, PullRequestEvent) or event.pull.fork:
        return "the pull request comes from a fork"
    return ""
