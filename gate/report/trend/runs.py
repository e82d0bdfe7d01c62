"""Runs in a list, each with what people look for: the verdict, what was evaluated, where it comes from, its price."""

from dataclasses import dataclass
from datetime import UTC, datetime

from gate.domain.history import Context, RunRow
from gate.domain.verdict import Verdict
from gate.report import numbers
from gate.report.escape import one_line
from gate.report.slices import short

SUITES_NAMED = 3
COMMIT_CHARS = 10
_WAIVED = {"override": "let pass by a label", "advisory": "advisory"}


@dataclass(frozen=True, slots=True)
class RunView:
    """One run.

    Args:
        id: of the store.
        verdict: the outcome.
        aside: what made it green whatever the verdict; mostly empty.
        created: when it was made.
        suites: their names, the first few.
        more: how many suites are not named.
        repository, branch, event: where it comes from; each may be empty.
        pull_request: its number; None where there is none.
        pushed_by: who sent it; may be empty.
        commit: shortened; empty where nobody knows.
        samples: how many are kept, with commas.
        cost: in dollars; a dash where nobody knows.
        forgotten: the day on which retention removed answers and reasons; empty where they were not.
    """

    id: int
    verdict: Verdict
    aside: str
    created: datetime
    suites: tuple[str, ...]
    more: int
    repository: str
    branch: str
    event: str
    pull_request: int | None
    pushed_by: str
    commit: str
    samples: str
    cost: str
    forgotten: str


def run_view(row: RunRow) -> RunView:
    """A run of the store as people see it."""
    where: Context = row.context
    return RunView(
        id=row.id,
        verdict=row.verdict,
        aside=_WAIVED.get(row.waived, row.waived),
        created=row.created,
        suites=tuple(map(short, row.suites[:SUITES_NAMED])),
        more=max(0, len(row.suites) - SUITES_NAMED),
        repository=short(where.repository),
        branch=short(where.branch),
        event=one_line(where.event).replace("_", " "),
        pull_request=where.pull_request,
        pushed_by=short(where.pushed_by),
        commit=one_line(row.commit)[:COMMIT_CHARS],
        samples=f"{row.samples:,}",
        cost=numbers.NOTHING if row.spent_usd is None else numbers.dollars(row.spent_usd),
        forgotten="" if row.forgotten is None else f"{row.forgotten.astimezone(UTC):%Y-%m-%d}",
    )
