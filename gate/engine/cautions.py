"""What to be warned of before a run: slices that cannot do what they are for, and budgets that would not suffice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gate.domain.forecast import Spending, SuiteForecast, Warned
from gate.domain.suite import OVERALL, Budget, Suite
from gate.domain.usage import Dollars
from gate.stats.slices import BLOCKABLE_UNITS

LISTED = 5
"""Slices named in one sentence."""


def warnings(suites: Sequence[SuiteForecast], planned: Sequence[Suite]) -> Iterator[Warned]:
    """Required slices that are too small, overall slices that are, and slices that can never block.

    Args:
        suites: forecasts.
        planned: the suites themselves, for slices that have no case at all.
    """
    for suite, plan in zip(suites, planned, strict=True):
        if suite.arms < 2:
            yield Warned(f"{suite.name} is new: it has no baseline, and is judged by thresholds, not compared")
            continue
        names = {row.slice.removeprefix(f"{suite.name}/"): row for row in suite.slices}
        for name in plan.exam.policy.required:
            units = names[name].units if name in names else 0
            if units < BLOCKABLE_UNITS:
                yield Warned(
                    f"{suite.name}: the required slice {name} has {_counted(units)} and needs {BLOCKABLE_UNITS}: the "
                    "run would end INCONCLUSIVE",
                    severe=True,
                )
        small = [row for row in suite.slices if row.units < BLOCKABLE_UNITS and not row.advisory and not row.required]
        if any(row.slice in (OVERALL, f"{suite.name}/{OVERALL}") for row in small):
            yield Warned(
                f"{suite.name} has {_counted(suite.slices[0].units)}: under {BLOCKABLE_UNITS} nothing can block, and "
                "every run is a HOLD",
                severe=True,
            )
        elif small:
            listed = ", ".join(f"{row.slice} ({row.units})" for row in small[:LISTED])
            more = f" and {len(small) - LISTED} more" if len(small) > LISTED else ""
            yield Warned(f"can never block, under {BLOCKABLE_UNITS} independent cases: {listed}{more}")


def budget_warnings(spending: Spending, budget: Budget) -> Iterator[Warned]:
    """What the limits of `gate.yaml` would not let finish; the run would then be INCONCLUSIVE."""
    if budget.max_calls is not None and spending.calls > budget.max_calls:
        yield Warned(
            f"budget.max_calls is {budget.max_calls:,}, and the run needs {spending.calls:,} calls: it would end "
            "INCONCLUSIVE",
            severe=True,
        )
    if budget.max_usd is not None:
        yield from _dollar_warnings(spending, budget.max_usd)
    if budget.max_minutes is not None and spending.minutes > budget.max_minutes:
        yield Warned(
            f"budget.max_minutes is {budget.max_minutes:g}, and the run would take about {spending.minutes:.1f} "
            f"minutes at {spending.concurrency} calls at once: it would end INCONCLUSIVE",
            severe=True,
        )


def _dollar_warnings(spending: Spending, limit: float) -> Iterator[Warned]:
    if isinstance(spending.cost, Dollars):
        if spending.cost.amount > limit:
            cost = f"${spending.cost.amount:.2f}"
            yield Warned(
                f"budget.max_usd is ${limit:g}, and the run would cost about {cost}: it would end INCONCLUSIVE",
                severe=True,
            )
    elif spending.cost.why == "unknown":
        yield Warned(f"budget.max_usd cannot be kept, so the run would not start: {spending.cost_note}", severe=True)


def _counted(units: int) -> str:
    return "no case" if units == 0 else f"{units} independent case{'s' * (units != 1)}"


def foreseen(spending: Spending, known_calls: int, budget: Budget) -> list[str]:
    """What the limits would not let finish, for a run of which some answers are known."""
    left = replace(spending, calls=max(0, spending.calls - known_calls))
    return [warned.text for warned in budget_warnings(left, budget)]
