"""Cases that pass or fail become pass rates, and these a verdict."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gate.config.policy import OVERALL, RunPolicy
from gate.domain.checked import CaseResult, CaseState
from gate.domain.passrate import PassRate, PassState
from gate.domain.suite import Suite
from gate.domain.verdict import Decision, Verdict
from gate.domain.words import undecided
from gate.engine.absolute import PassRates
from gate.engine.assess import Missing, asked_again, listed, named
from gate.engine.check import own_rate
from gate.engine.grid import Ints
from gate.engine.pairs import units_of
from gate.inputs.slices import members
from gate.scoring.passing import reaches
from gate.stats.shortfall import effective_units
from gate.stats.wilson import wilson

Results = Mapping[str, Sequence[CaseResult]]
"""For each suite its cases, in the order of its exam."""

EVERY = 1.0
"""The rate that is wanted where nobody set one: every case has to pass."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check says.

    Args:
        rates: for each suite its slices, `overall` first.
        decision: the verdict.
        missing: what has no score, and what it could have changed.
    """

    rates: PassRates
    decision: Decision
    missing: Missing


def conclude(suites: Sequence[Suite], results: Results, policy: RunPolicy, unfinished: str | None) -> Checked:
    """Judge a check.

    Args:
        suites: what was checked.
        results: of every case, those without a sample among them.
        policy: confidence of the intervals, and what fails.
        unfinished: why the run ended early, or None.
    """
    rates, best, worst = (_rates(suites, results, policy.alpha, missing) for missing in (None, True, False))
    lacking = _missing(suites, results)
    if lacking.samples and unfinished is None:
        kindest, harshest = (_decide(suites, each, results, policy).verdict for each in (best, worst))
        lacking = replace(lacking, best=kindest, worst=harshest)
    if unfinished is not None and lacking.samples:
        failed = _failed(suites, results)
        so_far = (f"Failed so far: {named(failed)}.",) if failed else ()
        reasons = (f"The evaluation was not finished: {unfinished}.", *so_far)
        return Checked(rates, Decision(Verdict.INCONCLUSIVE, 3, reasons), lacking)
    return Checked(rates, _settled(suites, (rates, best, worst), results, policy, lacking), lacking)


def _settled(
    suites: Sequence[Suite],
    rates: tuple[PassRates, PassRates, PassRates],
    results: Results,
    policy: RunPolicy,
    missing: Missing,
) -> Decision:
    """What fails whatever is missing is a BLOCK; what is missing and could decide leaves it open."""
    measured, kindest, harshest = (_decide(suites, each, results, policy) for each in rates)
    if not missing.samples:
        return measured
    if kindest.verdict is harshest.verdict:
        return measured if measured.verdict is kindest.verdict else kindest
    why = (
        f"{undecided(missing.samples, missing.total)}: "
        f"{missing.best} if all of them had gone well, {missing.worst} if all had gone badly."
    )
    return Decision(Verdict.INCONCLUSIVE, 3, (why, *asked_again(missing)))


def _decide(suites: Sequence[Suite], rates: PassRates, results: Results, policy: RunPolicy) -> Decision:
    rows = [(suite, rate) for suite in suites for rate in rates.suites[suite.name]]
    missed = [one for one in rows if one[1].blocking and one[1].state is PassState.MISSED]
    if missed:
        return Decision(Verdict.BLOCK, 1, tuple(_shortfall(*one, results[one[0].name]) for one in missed))
    gaps = tuple(gap for suite in suites for gap in _gaps(suite, rates.suites[suite.name]))
    if gaps:
        return Decision(Verdict.INCONCLUSIVE, 3, gaps)
    doubtful = [
        f"{_told(*one)}, which is not beyond doubt: the lower bound is {_percent(one[1].lower)}."
        for one in rows
        if one[1].doubtful
    ]
    if doubtful and policy.fail_on == "hold":
        return Decision(Verdict.HOLD, 1, tuple(doubtful))
    return Decision(Verdict.PASS, 0, tuple(f"{_told(*one)}." for one in rows if one[1].slice == OVERALL))


def _gaps(suite: Suite, rates: Sequence[PassRate]) -> Iterator[str]:
    found = {rate.slice: rate.n for rate in rates}
    for name in suite.exam.policy.required:
        if not found.get(name):
            yield f"{suite.name}: the required slice {name} has no cases."


def _rates(suites: Sequence[Suite], results: Results, alpha: float, missing: bool | None) -> PassRates:
    """The share of cases that pass in each slice; `missing` is what cases without a score are taken for."""
    found = {suite.name: tuple(_of_suite(suite, results[suite.name], alpha, missing)) for suite in suites}
    judged = sum(rate.blocking for rates in found.values() for rate in rates)
    return PassRates(found, judged, {suite.name: alpha for suite in suites})


def _of_suite(suite: Suite, results: Sequence[CaseResult], alpha: float, missing: bool | None) -> Iterator[PassRate]:
    own = units_of(suite)
    for name, positions in members(suite.exam.cases, suite.exam.dimensions).items():
        chosen = [place for place in positions if results[place].counts or name != OVERALL]
        passed = {place: _passed(results[place], missing) for place in chosen}
        rows = [place for place, one in passed.items() if one is not None]
        yield _rate(suite, name, [bool(passed[place]) for place in rows], own[rows], alpha)


def _passed(result: CaseResult, missing: bool | None) -> bool | None:
    return missing if result.state is CaseState.UNSCORED else result.state is CaseState.PASSED


def _rate(suite: Suite, name: str, passed: Sequence[bool], units: Ints, alpha: float) -> PassRate:
    policy, n = suite.exam.policy, len(passed)
    wanted = own_rate(suite.exam, name)
    if name == OVERALL:
        wanted = policy.wanted_rate(OVERALL) or EVERY
    advisory = name in policy.advisory
    if n == 0:
        return PassRate.of_none(name, wanted, advisory=advisory)
    rate, worth = sum(passed) / n, effective_units(units)
    span = wilson(rate * worth, worth, alpha=alpha)
    state = _state(rate, span.lower, wanted)
    return PassRate(
        slice=name,
        n=n,
        units=int(np.unique(units).size),
        passed=float(sum(passed)),
        rate=rate,
        lower=span.lower,
        upper=span.upper,
        wanted=wanted,
        state=state,
        doubtful=state is PassState.UNPROVEN,
        blocking=wanted is not None and not advisory,
        advisory=advisory,
    )


def _state(rate: float, lower: float, wanted: float | None) -> PassState:
    """Against the rate itself: this is a test of what was measured, and the interval says how sure that is."""
    if wanted is None:
        return PassState.NO_THRESHOLD
    if not reaches(rate, wanted):
        return PassState.MISSED
    # No number of cases proves that every one of them passes.
    return PassState.MET if wanted == EVERY or reaches(lower, wanted) else PassState.UNPROVEN


def _missing(suites: Sequence[Suite], results: Results) -> Missing:
    several = len(suites) > 1
    reasons: Counter[str] = Counter()
    cases: list[str] = []
    for suite in suites:
        for case, result in zip(suite.exam.cases, results[suite.name], strict=True):
            reasons.update(result.missing)
            cases += [f"{suite.name}/{case.id}" if several else case.id] * bool(result.missing)
    total = sum(suite.samples * len(suite.exam.cases) for suite in suites)
    return Missing(reasons.total(), total, None, None, listed(reasons), tuple(cases))


def _failed(suites: Sequence[Suite], results: Results) -> list[str]:
    prefix = {suite.name: f"{suite.name}/" if len(suites) > 1 else "" for suite in suites}
    return [prefix[suite.name] + case for suite in suites for case in _failed_of(suite, results[suite.name])]


def _failed_of(suite: Suite, results: Sequence[CaseResult]) -> list[str]:
    found = zip(suite.exam.cases, results, strict=True)
    return [case.id for case, one in found if one.state is CaseState.FAILED and one.counts]


def _shortfall(suite: Suite, rate: PassRate, results: Sequence[CaseResult]) -> str:
    if rate.wanted != EVERY:
        return f"{_told(suite, rate)}."
    failed = named(_failed_of(suite, results))
    return f"{suite.name}: {_count(rate.n - round(rate.passed), rate.n)} failed: {failed}."


def _told(suite: Suite, rate: PassRate) -> str:
    wanted = "" if rate.wanted in (None, EVERY) else f"; at least {_percent(rate.wanted)} are wanted"
    where = suite.name if rate.slice == OVERALL else f"{suite.name}/{rate.slice}"
    return f"{where}: {_count(round(rate.passed), rate.n)} passed{wanted}"


def _count(some: int, n: int) -> str:
    return f"{some:,} of {n:,} case{'' if n == 1 else 's'}"


def _percent(value: float | None) -> str:
    return f"{(value or 0.0) * 100:.1f}".removesuffix(".0") + " %"
