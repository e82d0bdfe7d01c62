"""Suites and earlier runs in, a forecast out: nothing is asked, nothing is spent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.domain.forecast import Forecast, Role, Spread, Warned
from gate.domain.record import ArmAxisRecord, ArmRecord, RunRecord, SuiteRecord
from gate.domain.suite import Arm, Suite
from gate.domain.usage import Usage
from gate.engine import noise
from gate.engine.cautions import budget_warnings, warnings
from gate.engine.forecast import Question, layout, suite_forecast
from gate.engine.outlay import Earlier, Estimator, PerCall, Pricer, answering
from gate.flows.methods import check_method
from gate.flows.resolve import Resolved


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run that was kept.

    Args:
        name: what the reader knows it by, such as `.gate/last`.
        run: its record.
        calibration: it was made by `gate calibrate`.
    """

    name: str
    run: RunRecord
    calibration: bool


@dataclass(frozen=True, slots=True)
class World:
    """What a plan knows besides the suites.

    Args:
        earlier: runs that were kept, in any order.
        price: prices a call.
        concurrency: calls in flight.
    """

    earlier: Sequence[EarlierRun]
    price: Pricer
    concurrency: int


def plan(resolved: Resolved, world: World, question: Question) -> Forecast:
    """Forecast an evaluation.

    What an earlier run says only informs: no verdict ever reads it.

    Args:
        resolved: what would be evaluated.
        world: earlier runs, prices, concurrency.
        question: which fall should show, and with which power.

    Raises:
        GateError: the run itself would be refused.
    """
    check_method(resolved.policy, resolved.suites)
    found = {suite.name: _last(suite, world.earlier) for suite in resolved.suites}
    estimator = Estimator(world.price, _per_call(resolved.suites, found))
    spending = estimator.spending(resolved.suites, world.concurrency)
    spreads = {suite.name: _spread(suite, found[suite.name]) for suite in resolved.suites}
    slices = layout(resolved.suites, resolved.policy, spreads)
    suites = tuple(suite_forecast(suite, spreads[suite.name], slices, question) for suite in resolved.suites)
    told = [*warnings(suites, resolved.suites), *budget_warnings(spending, resolved.budget)]
    return Forecast(
        method=resolved.policy.method,
        alpha=resolved.policy.alpha,
        power=question.power,
        effect=question.effect,
        tested=len(slices.tested),
        critical=slices.critical if slices.tested else None,
        spending=spending,
        suites=suites,
        warnings=tuple(sorted(told, key=_severity)),
        notes=tuple(_notes(resolved, spreads)),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The record of a suite in an earlier run."""

    source: EarlierRun
    suite: SuiteRecord

    @property
    def same_arms(self) -> bool:
        return compares_itself(self.suite)


def compares_itself(suite: SuiteRecord) -> bool:
    """Were both arms the same prompt, model and parameters (an A/A run)?"""
    one, other = suite.baseline, suite.candidate
    return (one.digest, one.model, one.params) == (other.digest, other.model, other.params)


def _last(suite: Suite, earlier: Sequence[EarlierRun]) -> _Found | None:
    """The suite in a calibration if there is one, else in the newest run that has scores of it."""
    scorers = [spec.name for spec in suite.exam.scorers]
    fitting = [
        _Found(source, record)
        for source in earlier
        for record in source.run.suites
        if record.name == suite.name and record.exam.scorers == scorers and noise.table(record).n > 1
    ]
    return max(fitting, key=lambda one: (one.source.calibration, one.source.run.created), default=None)


def _spread(suite: Suite, found: _Found | None) -> Spread:
    if found is None:
        # At temperature 0 a case's samples repeat each other, but a rewording redraws its one answer.
        frozen = all(arm.params.temperature == 0 for arm in suite.arms.values())
        return noise.assumed(1 if frozen else suite.samples)
    scores = noise.table(found.suite)
    clusters = {case.id: case.cluster for case in suite.exam.cases}
    seen = noise.measured(scores, noise.labels(clusters, [found.suite.cases[i].id for i in scores.ids]))
    assert seen is not None  # noqa: S101 `_last` wants two cases
    model = "" if found.suite.candidate.model == str(suite.candidate.model) else f" by {found.suite.candidate.model}"
    return noise.spread(seen, suite.samples, f"{found.source.name}{model}", same_arms=found.same_arms)


def _per_call(suites: Sequence[Suite], found: dict[str, _Found | None]) -> Earlier:
    out: dict[tuple[str, Role], PerCall] = {}
    for suite in suites:
        one = found[suite.name]
        for role, arm in answering(suite).items() if one else ():
            assert one is not None  # noqa: S101
            if known := _of_arm(arm, one.suite):
                out[suite.name, role] = known
    return out


def _of_arm(arm: Arm, record: SuiteRecord) -> PerCall | None:
    """What a call of this arm's model took; of the same prompt where the record has it."""
    sides = [
        (record.candidate, record.cost.candidate, record.latency.candidate, [case.candidate for case in record.cases]),
        (record.baseline, record.cost.baseline, record.latency.baseline, [case.baseline for case in record.cases]),
    ]
    fitting = [side for side in sides if side[0].model == str(arm.model) and _same_limit(side[0], arm)]
    same = [side for side in fitting if side[0].digest == arm.version.prompt.digest]
    for side, cost, latency, scores in same or fitting:
        answers = sum(score is not None for row in scores for score in row)
        same_prompt = side.digest == arm.version.prompt.digest
        return PerCall(_mean(cost, answers), same_prompt, latency.mean)
    return None


def _same_limit(side: ArmRecord, arm: Arm) -> bool:
    return side.params.get("max_output_tokens") == arm.params.max_output_tokens


def _mean(cost: ArmAxisRecord, answers: int) -> Usage | None:
    usage = cost.usage
    if usage is None or answers == 0 or usage.output_tokens == 0:
        return None
    kinds = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    return Usage(*(round(count / answers) for count in kinds))


def _notes(resolved: Resolved, spreads: dict[str, Spread]) -> Iterator[str]:
    yield from resolved.notes
    if any(spread.basis == "assumed" for spread in spreads.values()):
        yield "gate calibrate measures the noise that is assumed here, with calls of the baseline against itself."
    if resolved.policy.method != "maxt":
        if resolved.policy.correction == "none":
            yield f"With the method {resolved.policy.method} no slice pays for the others: false blocks add up."


def _severity(warned: Warned) -> bool:
    return not warned.severe
