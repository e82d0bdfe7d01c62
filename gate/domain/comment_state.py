"""What the gate's comment keeps for later runs, hidden in it: which run wrote it, and what earlier ones said."""

import base64
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field, ValidationError

from gate.domain.comment_seal import NO_SEAL, Seal
from gate.domain.ranges import Amount, RecordPart
from gate.domain.verdict import Verdict

MARKER = "<!-- prompt-gate: "
"""How the first line of every gate's comment begins."""
LONGEST_STATE = 16_384
"""Characters of the hidden line's code; all that the fields may hold fits."""
EARLIER, SHARES, MONTHS = 20, 30, 24

_LINE = re.compile(rf"<!-- prompt-gate-state: ([A-Za-z0-9+/=]{{1,{LONGEST_STATE}}})(?:\.([0-9a-f]{{32}}))? -->")

Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)$")]
"""ISO 8601 in UTC."""

Month = Annotated[str, Field(pattern=r"^\d{4}-\d\d$")]
RunNumber = Annotated[str, Field(pattern=r"^(?:\d{1,20}(?:\.\d{1,6})?)?$")]
"""A workflow run and its attempt, such as `123456.1`; empty where there is none."""


Spending = Annotated[dict[Month, Amount], Field(max_length=MONTHS)]
"""Dollars by month."""


class Told(RecordPart):
    """A verdict that was told before, and of which commit."""

    commit: Commit
    verdict: Verdict


class AcceptedOverride(RecordPart):
    """The override label counted: for which commit, and when it had been set."""

    commit: Commit
    at: Moment


class CommentState(RecordPart):
    """The hidden part of a comment.

    `started` is when the run began that wrote the comment; `run` is its number and attempt. `earlier` are the verdicts
    before, oldest first; `spent` is dollars by month, `2026-11`, over all runs of this pull request, and `shares` is
    what the last of them added to it.
    """

    version: int = Field(default=1, ge=1, le=1)
    commit: Commit
    started: Moment
    run: RunNumber = ""
    verdict: Verdict
    earlier: Annotated[list[Told], Field(max_length=EARLIER)] = []
    override: AcceptedOverride | None = None
    spent: Spending = {}
    shares: Annotated[dict[RunNumber, Spending], Field(max_length=SHARES)] = {}

    @property
    def told(self) -> Told:
        return Told(commit=self.commit, verdict=self.verdict)

    @property
    def age(self) -> tuple[datetime, tuple[int, ...]]:
        """Puts runs in the order in which they started; a later attempt comes after an earlier one."""
        return datetime.fromisoformat(self.started), tuple(int(part) for part in self.run.split(".") if part)


def hidden_line(state: CommentState, marker: str = "", seal: Seal = NO_SEAL) -> str:
    """The line that keeps a state in a comment.

    Args:
        state: what is kept.
        marker: first line of the comment; only a seal needs it.
        seal: of this run, on this pull request.
    """
    # Not the alphabet for addresses: its hyphens could end the HTML comment.
    code = base64.b64encode(state.model_dump_json(exclude_defaults=True).encode()).decode()
    sealed = seal.on(marker, code)
    return f"<!-- prompt-gate-state: {code}.{sealed} -->" if sealed else f"<!-- prompt-gate-state: {code} -->"


def state_in(body: str, seal: Seal = NO_SEAL, written: datetime | None = None) -> CommentState | None:
    """The state of one of our comments; None where there is none that could be one.

    Args:
        body: Markdown; the state stands in the second line, below the marker.
        seal: of this run, on this pull request: one that does not fit makes the state none.
        written: when the comment was written last, by GitHub's clock; None where nobody says.
    """
    lines = body.split("\n", 2)
    found = _LINE.fullmatch(lines[1].strip()) if len(lines) > 1 else None
    if found is None or not seal.fits(lines[0].strip(), found[1], found[2] or ""):
        return None
    try:
        state = CommentState.model_validate_json(base64.b64decode(found[1], validate=True))
        started, _ = state.age
    except (ValidationError, ValueError):  # binascii.Error and a date such as February 30 are ValueErrors
        return None
    return state if seal.believes(started, written) else None


def without_state(rest: str) -> tuple[str, str]:
    """What stands below the marker: the hidden line as it is, empty where there is none, and everything else."""
    line, _, text = rest.partition("\n")
    return (line.strip(), text) if _LINE.fullmatch(line.strip()) else ("", rest)


def following(before: CommentState | None, own: CommentState) -> CommentState:
    """The state of a comment that a run takes over from an earlier one.

    Args:
        before: what the comment held; None where there was none.
        own: what the run itself has to say; `spent` is its own spending, `earlier` and `shares` are not looked at.
    """
    earlier: list[Told] = []
    for told in [] if before is None else [*before.earlier, before.told]:
        if earlier[-1:] != [told]:
            earlier.append(told)
    if earlier[-1:] == [own.told]:
        earlier.pop()
    kept = {"spent": before.spent, "shares": before.shares} if before else {"spent": {}, "shares": {}}
    return with_shares(own.model_copy(update={"earlier": earlier[-EARLIER:], **kept}), share_of(own))


def share_of(own: CommentState) -> dict[str, Spending]:
    """What a run has spent itself, under its number; empty where it spent nothing."""
    return {own.run: own.spent} if own.spent else {}


def lacking(state: CommentState, shares: Mapping[str, Spending]) -> dict[str, Spending]:
    """The shares of runs that a state does not know yet."""
    return {run: spent for run, spent in shares.items() if run not in state.shares}


def with_shares(state: CommentState, shares: Mapping[str, Spending]) -> CommentState:
    """A state in which the spending of these runs is counted, that of each run once.

    Args:
        state: of a comment.
        shares: run to its spending. What has no run's number counts each time.
    """
    spent, known = dict(state.spent), dict(state.shares)
    for run, months in lacking(state, shares).items():
        for month, dollars in months.items():
            spent[month] = min(spent.get(month, 0.0) + dollars, 1e12)
        if run:
            known[run] = months
    update = {
        "spent": {month: spent[month] for month in sorted(spent)[-MONTHS:]},
        "shares": {run: known[run] for run in list(known)[-SHARES:]},
    }
    return state.model_copy(update=update)
