"""`gate plan`: the calls of a run, counted and priced without sending any."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.config.gatefile import READING, TRIED
from gate.engine import noise
from gate.engine.early_stopping import why_not
from gate.engine.forecast import Forecast, Question, layout, suite_forecast, warnings
from gate.engine.noise import Spread, compares_itself, preference_notes, sampling_notes
from gate.engine.schedule import count
from gate.engine.spending import (
    Earlier,
    Estimator,
    PerCall,
    Pricer,
    Role,
    Spending,
    Warned,
    answering,
    budget_warnings,
)
from gate.record.comparison import ArmAxis
from gate.record.parts import ArmRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.record.usage import Usage
from gate.resolve.one_version import check_method
from gate.resolve.resolved import Resolved
from gate.suite import Arm, Suite


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """An earlier run that was kept.

    Args:
        name: for the reader, such as `.gate/last`.
        read: reads its record, which may be large; None where it cannot be used.
    """

    name: str
    read: Callable[[], RunRecord | None]


@dataclass(frozen=True, slots=True)
class World:
    """What a plan knows besides the suites."""

    earlier: Sequence[EarlierRun]
    price: Pricer
    concurrency: int


def plan(resolved: Resolved, world: World, question: Question) -> Forecast:
    """Forecast an evaluation.

    An earlier run only informs: no verdict ever reads it.

    Raises:
        GateError: the run itself would be refused.
    """
    check_method(resolved.policy, resolved.suites)
    found = _known(resolved.suites, world.earlier)
    outlay = _spending(resolved, found, world)
    spreads = {
        suite.name: found[suite.name].spread if suite.name in found else _assumed_noise(suite)
        for suite in resolved.suites
    }
    slices = layout(resolved.suites, resolved.policy, spreads)
    suites = tuple(suite_forecast(suite, spreads[suite.name], slices, question) for suite in resolved.suites)
    early = why_not(resolved.suites, resolved.policy) is None
    told = [*warnings(suites, resolved.suites), *budget_warnings(outlay, resolved.budget, early=early)]
    return Forecast(
        method=resolved.policy.method,
        alpha=resolved.policy.alpha,
        power=question.power,
        effect=question.effect,
        tested=len(slices.tested),
        critical=slices.critical if slices.tested else None,
        spending=outlay,
        suites=suites,
        warnings=tuple(sorted(told, key=_severity)),
        notes=tuple(_notes(resolved, spreads)),
    )


def spending(resolved: Resolved, world: World) -> Spending:
    """What an evaluation would spend if no answer were known."""
    return _spending(resolved, _known(resolved.suites, world.earlier), world)


def _spending(resolved: Resolved, found: "Mapping[str, _Known]", world: World) -> Spending:
    earlier: Earlier = {(name, role): call for name, one in found.items() for role, call in one.per_call.items()}
    estimator = Estimator(world.price, earlier, resolved.budget.max_output_tokens)
    return estimator.spending(resolved.suites, world.concurrency)


@dataclass(frozen=True, slots=True)
class _Known:
    """What a plan keeps of a suite in an earlier run."""

    spread: Spread
    per_call: dict[Role, PerCall]


def _known(suites: Sequence[Suite], earlier: Sequence[EarlierRun]) -> dict[str, _Known]:
    """One run is held at a time, and none is read once every suite is known."""
    known: dict[str, _Known] = {}
    for source in earlier:
        wanted = [suite for suite in suites if suite.name not in known]
        if not wanted:
            break
        known |= _learnt(wanted, source)
    return known


def _learnt(suites: Sequence[Suite], source: EarlierRun) -> dict[str, _Known]:
    """The suites that this run has with the same scorers, and with scores of at least two cases."""
    run = source.read()
    records = {record.name: record for record in run.suites} if run is not None else {}
    out = {}
    for suite in suites:
        record = records.get(suite.name)
        if record is None or record.exam.scorers != [spec.name for spec in suite.exam.scorers]:
            continue
        if (spread := _spread(suite, record, source.name)) is not None:
            calls = {role: _of_arm(arm, record) for role, arm in answering(suite).items()}
            out[suite.name] = _Known(spread, {role: call for role, call in calls.items() if call is not None})
    return out


def _assumed_noise(suite: Suite) -> Spread:
    # At temperature 0 a case's samples repeat each other, but a rewording redraws its one answer.
    frozen = all(arm.params.temperature == 0 for arm in suite.arms.values())
    return noise.assumed(1 if frozen else suite.samples)


def _spread(suite: Suite, record: SuiteRecord, source: str) -> Spread | None:
    scores = noise.table(record)
    clusters = {case.id: case.cluster for case in suite.exam.cases}
    seen = noise.measured(scores, noise.labels(clusters, [record.cases[i].id for i in scores.ids]))
    if seen is None:
        return None
    model = "" if record.candidate.model == str(suite.candidate.model) else f" by {record.candidate.model}"
    return noise.spread(seen, suite.samples, f"{source}{model}", same_arms=compares_itself(record))


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


def _mean(cost: ArmAxis, answers: int) -> Usage | None:
    usage = cost.usage
    if usage is None or answers == 0 or usage.output_tokens == 0:
        return None
    kinds = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    return Usage(*(round(count / answers) for count in kinds))


def _notes(resolved: Resolved, spreads: dict[str, Spread]) -> Iterator[str]:
    yield from resolved.notes
    tried = [one.answers for edit in resolved.edits for one in edit.trials if one.answers and not one.reason]
    if tried:
        yield f"Beside that, {count(tried):,} answers on the exam as the change edits it, once the verdict is reached."
    for suite in resolved.suites:
        yield from _promises(suite)
    yield from sampling_notes(resolved.suites)
    yield from preference_notes(resolved.suites)
    if any(spread.basis == "assumed" for spread in spreads.values()):
        yield "gate calibrate measures the noise that is assumed here, with calls of the baseline against itself."
    if resolved.policy.method != "maxt":
        if resolved.policy.correction == "none":
            yield f"With the method {resolved.policy.method} no slice pays for the others: false blocks add up."


def _promises(suite: Suite) -> Iterator[str]:
    """Calls for the promises of its prompt: reading both versions, then answers and verdicts on tests of new rules."""
    if (wanted := suite.at_stake) is None:
        return
    told = f"Beside that, about {READING} calls compare the promises of {suite.name}, once the verdict is reached"
    tests = 2 * wanted.tests
    tried = f", and {len(suite.arms) * 2 * tests} calls try each new rule, of {TRIED} at most" if tests else ""
    yield f"{told}{tried}."


def _severity(warned: Warned) -> bool:
    return not warned.severe
