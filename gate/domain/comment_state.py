"""What the gate's comment keeps for later runs, hidden in it: which run wrote it, and what earlier ones said."""

from typing import Annotated

from pydantic import Field

from gate.domain.ranges import Amount
from gate.domain.record_parts import Part
from gate.domain.verdict import Verdict

Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)$")]
"""ISO 8601 in UTC."""

Month = Annotated[str, Field(pattern=r"^\d{4}-\d\d$")]


class Told(Part):
    """A verdict that was told before, and of which commit."""

    commit: Commit
    verdict: Verdict


class AcceptedOverride(Part):
    """The override label counted: for which commit, and when it had been set."""

    commit: Commit
    at: Moment


class CommentState(Part):
    """The hidden part of a comment.

    `started` is when the run began that wrote the comment; `run` is its number and attempt, such as `123456.1`.
    `earlier` are the verdicts before, oldest first; `spent` is dollars by month, `2026-11`, over all runs of this pull
    request.
    """

    version: int = Field(default=1, ge=1, le=1)
    commit: Commit
    started: Moment
    run: Annotated[str, Field(max_length=40)] = ""
    verdict: Verdict
    earlier: Annotated[list[Told], Field(max_length=20)] = []
    override: AcceptedOverride | None = None
    spent: Annotated[dict[Month, Amount], Field(max_length=24)] = {}
