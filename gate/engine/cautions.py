"""What to be warned of before a run: slices, samples and budgets that cannot do what they are for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from gate.config.policy import OVERALL, Budget
from gate.domain.forecast import Spending, SuiteForecast, Warned
from gate.domain.hierarchy import Relation, relation
from gate.domain.suite import Suite
from gate.domain.usage import Dollars, Unpriced
from gate.domain.words import about_dollars
from gate.inputs.models import parse_model
from gate.stats.slices import BLOCKABLE_UNITS

_KIN: Mapping[Relation, str] = {
    "the same model": "the very model that it judges",
    "the same model of another date": "which is {} of another date, and judges it",
    "a weaker model of its family": "a weaker relative of {}, which it judges",
}
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


def sampling_notes(suites: Iterable[Suite]) -> list[str]:
    """Suites that ask a model several times which repeats itself.

    Args:
        suites: of one run.
    """
    return [
        f"{suite.name}: samples is {suite.samples}, and at temperature 0 a model repeats itself, whatever the seed: "
        "more than one sample costs calls and shows next to nothing. Set samples: 1, or take more cases."
        for suite in suites
        if suite.samples > 1 and all(arm.params.temperature == 0 for arm in suite.arms.values())
    ]


def preference_notes(suites: Iterable[Suite]) -> list[str]:
    """Judges that are the model that they judge, or a weaker relative of it.

    Args:
        suites: of one run.
    """
    found: dict[str, None] = {}
    for suite in suites:
        # Cases may bring the same judge a thousand times.
        judges = dict.fromkeys((spec.name, name) for spec in suite.exam.all_scorers() for name in spec.models)
        answering = dict.fromkeys(arm.model for arm in suite.arms.values())
        for (scorer, name), answers in product(judges, answering):
            if kin := relation(parse_model(name), answers):
                who = f"{suite.name}: the judge {scorer} asks {name}, {_KIN[kin].format(answers)}"
                advice = "judges prefer answers of their own kind: name a stronger model, or one of another family"
                found[f"{who} (self-preference); {advice}."] = None
    return list(found)


def budget_warnings(spending: Spending, budget: Budget, *, early: bool = False) -> Iterator[Warned]:
    """What the limits would not let finish; the run would then be INCONCLUSIVE.

    Args:
        spending: of the whole run.
        budget: the limits.
        early: the run may stop before it has taken every sample.
    """
    ends = "unless it can stop early, it would end INCONCLUSIVE" if early else "it would end INCONCLUSIVE"
    for limit, need in _calls(spending, budget):
        yield Warned(f"{limit}, and the run needs {need}: {ends}", severe=not early)
    for limit, need in _estimates(spending, budget):
        yield Warned(f"{limit}, and the run would {need}: {ends}", severe=not early)
    if budget.max_usd is not None and spending.cost == Unpriced("unknown"):
        said = f"{budget.setting('max_usd')} cannot be kept, so the run would not start: {spending.cost_note}"
        yield Warned(_opening(said), severe=True)


def foreseen(
    spending: Spending, known_calls: int, budget: Budget, *, early: bool = False, remembered: bool = True
) -> list[str]:
    """What the limits will not let finish in a run that need not make all of its calls.

    Dollars and minutes are those of the whole run, cut in proportion to the calls. Of conversations that broke off some
    calls are known, too, which nobody has counted.

    Args:
        spending: of the whole run.
        known_calls: calls whose answers are known.
        budget: the limits.
        early: the run may stop before it has taken every sample.
        remembered: all answers are kept for later runs.
    """
    known = min(max(0, known_calls), spending.calls)
    left = _without(spending, known)
    more = f" ({known:,} more are known already)" if known else ""
    kept = "; the answers are kept, and the next run takes up from there" if remembered else ""
    fears = "unless it can stop early, it is likely to end" if early else "it is likely to end"
    ends = fears if spending.converses else "unless it can stop early, it will end" if early else "it will end"
    sure = [f"{limit}, and this run needs {need}{more}: {ends} INCONCLUSIVE" for limit, need in _calls(left, budget)]
    likely = [f"{limit}, and this run would {need}: {fears} INCONCLUSIVE" for limit, need in _estimates(left, budget)]
    return [f"{said}{kept}." for said in (*sure, *likely)]


def _without(spending: Spending, known: int) -> Spending:
    """What the other calls come to."""
    part = (spending.calls - known) / spending.calls if spending.calls else 0.0
    cost = Dollars(spending.cost.amount * part) if isinstance(spending.cost, Dollars) else spending.cost
    return replace(spending, calls=spending.calls - known, cost=cost, minutes=spending.minutes * part)


def _calls(spending: Spending, budget: Budget) -> Iterator[tuple[str, str]]:
    """The limit on calls and how many are needed, where it does not suffice."""
    if budget.max_calls is not None and spending.calls > budget.max_calls:
        least = "at least " if spending.at_least else ""
        yield _opening(f"{budget.setting('max_calls')} is {budget.max_calls:,}"), f"{least}{spending.calls:,} calls"


def _estimates(spending: Spending, budget: Budget) -> Iterator[tuple[str, str]]:
    """Limits on what can only be estimated, and the estimates, where they do not suffice."""
    cost, limit = spending.cost, budget.max_usd
    about = "at least" if spending.dollars_at_least else "about"
    if limit is not None and isinstance(cost, Dollars) and cost.amount > limit:
        yield _opening(budget.usd_said), f"cost {about} {about_dollars(cost.amount)}"
    if budget.max_minutes is not None and spending.minutes > budget.max_minutes:
        time = f"{about} {spending.minutes:.1f} minutes at {spending.concurrency} calls at once"
        yield _opening(f"{budget.setting('max_minutes')} is {budget.max_minutes:g}"), f"take {time}"


def _opening(words: str) -> str:
    """As the start of a sentence; the name of a setting stays as it is."""
    return re.sub("^the ", "The ", words)


def _counted(units: int) -> str:
    return "no case" if units == 0 else f"{units} independent case{'s' * (units != 1)}"
