"""The monthly cap on dollars: what was spent this month, what is left, and what is kept for later runs.

Runs on pull requests keep their spending in the pull request's comment, other runs in a ledger file. Two runs that
begin at the same time see the same rest, so that a month can end above its cap by what such runs spend.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from gate.domain.absence import Failed
from gate.domain.comment_state import CommentState
from gate.domain.spending import Ledger
from gate.domain.suite import Budget
from gate.errors import CannotEvaluate

MOST_MONTHS = 24
"""Months that a comment keeps."""

_DUST = 1e-9
"""Dollars that sums of floats may be off by."""


def month_of(now: datetime) -> str:
    """The month in UTC, `2026-11`; `now` has a time zone."""
    return f"{now.astimezone(UTC):%Y-%m}"


def spent(states: Iterable[CommentState], ledger: Ledger, now: datetime) -> float:
    """Dollars that were spent this month.

    Args:
        states: of the gate's comments, one for each pull request, the one at hand among them.
        ledger: of runs without a pull request.
        now: with a time zone.
    """
    month = month_of(now)
    told = sum(state.spent.get(month, 0.0) for state in states)
    return told + sum(outlay.usd for outlay in ledger.values() if outlay.month == month)


def within(budget: Budget, already: float | Failed, now: datetime) -> Budget:
    """The run's budget, where the month leaves less the smaller of the two.

    Args:
        budget: of the base, tightened by the inputs; without a monthly cap it stays as it is.
        already: dollars spent this month; `Failed` where that could not be read.
        now: with a time zone.

    Raises:
        CannotEvaluate: nothing is left, or nobody can tell what is.
    """
    cap = budget.max_usd_per_month
    if cap is None:
        return budget
    if isinstance(already, Failed):
        hint = "run again; to go on without a cap, take it out of the base's gate.yaml"
        raise CannotEvaluate(f"budget.max_usd_per_month cannot be kept: {already.reason}", hint)
    left = cap - already
    if left <= _DUST:
        raise CannotEvaluate(
            f"the cap of ${cap:g} per month is used up: ${already:.2f} was spent in {month_of(now)}, "
            f"and the next month begins on {_next_month(now)} (UTC)",
            "wait until then, or raise budget.max_usd_per_month on the base",
        )
    if budget.max_usd is not None and budget.max_usd <= left:
        return budget
    return replace(budget, max_usd=left, rest_of_month=True)


def added(kept: Mapping[str, float], began: datetime, usd: float | None) -> dict[str, float]:
    """What a pull request's comment keeps after a run.

    Args:
        kept: dollars by month, of earlier runs.
        began: when the run began, with a time zone.
        usd: that it spent; None, as where a model has no price, counts as nothing: with a cap such a run cannot begin
            unless its model runs locally.
    """
    month = month_of(began)
    whole = {**kept, month: kept.get(month, 0.0) + (usd or 0.0)}
    return {each: whole[each] for each in sorted(whole)[-MOST_MONTHS:]}


def _next_month(now: datetime) -> str:
    here = now.astimezone(UTC)
    year, month = (here.year + 1, 1) if here.month == 12 else (here.year, here.month + 1)
    return f"{year}-{month:02}-01"
