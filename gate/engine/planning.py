"""`gate plan`: the calls of a run, counted and priced without sending any."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.cases.case import Case
from gate.cases.rendering import NotBuilt, render
from gate.config.gatefile import READING, TRIED
from gate.config.models import ModelRef, Params, parse_model, parse_params
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.engine import noise
from gate.engine.early_stopping import why_not
from gate.engine.forecast import (
    Basis,
    Figure,
    Forecast,
    Outlay,
    Question,
    Role,
    Spending,
    Spread,
    Warned,
    layout,
    suite_forecast,
)
from gate.engine.noise import budget_warnings, preference_notes, sampling_notes, warnings
from gate.engine.plan import count
from gate.messages import Message
from gate.record.comparison import ArmAxis
from gate.record.parts import ArmRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.record.sample import ArmName
from gate.record.usage import Cost, Dollars, Unpriced, Usage
from gate.resolve.one_version import check_method
from gate.resolve.resolved import Resolved
from gate.suite import Arm, Exam, Suite

CHARS_PER_TOKEN = 4
OUTPUT_TOKENS = 256
"""Assumed for a reply whose length nothing bounds."""
DIMENSION_TOKENS = 60
"""Assumed for what a judge says of one dimension of a rubric."""
SECONDS = 2.0
"""Assumed for one call."""

_ALONE = ("local",)

Pricer: TypeAlias = Callable[[ModelRef, Params, Usage], Cost]
"""The cost of one call with so many tokens."""


@dataclass(frozen=True, slots=True)
class PerCall:
    """Mean of one answer, or one whole conversation, in an earlier run; None where that run does not say.

    Args:
        same_prompt: the prompt was the same one; only then does the input of `usage` count.
    """

    usage: Usage | None
    same_prompt: bool
    seconds: float | None

    def of_each(self, turns: float) -> "PerCall":
        """What a call took, in a conversation of so many turns."""
        used, seconds = self.usage, self.seconds
        if used is not None:
            kinds = (used.input_tokens, used.cache_read_tokens, used.cache_write_tokens, used.output_tokens)
            used = Usage(*(round(tokens / turns) for tokens in kinds))
        return replace(self, usage=used, seconds=None if seconds is None else seconds / turns)


Earlier: TypeAlias = Mapping[tuple[str, Role], PerCall]


@dataclass(frozen=True, slots=True)
class Estimator:
    """Estimates outlays.

    Args:
        earlier: what calls took before, by suite and role.
        cap: most tokens of a reply; None where the budget has no such limit.
    """

    price: Pricer
    earlier: Earlier
    cap: int | None = None

    def spending(self, suites: Sequence[Suite], concurrency: int) -> Spending:
        """All calls of a run; `concurrency` is the number of calls in flight."""
        outlays = tuple(outlay for suite in suites for outlay in self._suite(suite))
        cost, note = _total(outlays)
        calls = sum(outlay.calls for outlay in outlays)
        return Spending(outlays, calls, cost, note, _minutes(outlays, concurrency), concurrency)

    def _suite(self, suite: Suite) -> Iterator[Outlay]:
        for role, arm in answering(suite).items():
            yield self._answers(suite, role, arm)
        user = suite.exam.conversing.user.model
        if user is not None and any(case.user for case in suite.exam.cases):
            yield self._user(suite, user)
        asked: dict[tuple[str, str], list[tuple[ScorerSpec, Case]]] = {}
        for case in suite.exam.cases:
            for spec in _opinions(suite.exam, case):
                for model in spec.models:
                    asked.setdefault((model, f"{spec.options.get('params')}"), []).append((spec, case))
        for (model, _), pairs in asked.items():
            yield self._judgements(suite, model, pairs)

    def _answers(self, suite: Suite, role: Role, arm: Arm) -> Outlay:
        cases = suite.exam.cases
        rendered, turns = sum(_asked(arm, case) for case in cases), sum(case.turns for case in cases)
        known = self.earlier.get((suite.name, role), PerCall(None, False, None)).of_each(
            max(1, turns) / max(1, len(cases))
        )
        one = _assumed(rendered / max(1, turns), arm.params)
        basis: tuple[Basis, Basis] = ("assumed", "assumed")
        if known.usage is not None:
            if known.same_prompt:
                one, basis = known.usage, ("measured", "measured")
            else:
                one, basis = Usage(one.input_tokens, 0, 0, known.usage.output_tokens), ("assumed", "measured")
        seconds = Figure(SECONDS, "assumed") if known.seconds is None else Figure(known.seconds, "measured")
        asked = arm.model, arm.params
        found = self._outlay((suite.name, role), asked, suite.samples * turns, (one, basis), seconds)
        longest = max((case.turns for case in cases), default=1)
        return replace(found, in_a_row=longest, at_least=_open(suite.exam, arm))

    def _user(self, suite: Suite, model: ModelRef) -> Outlay:
        """The simulated user is asked at least once for each conversation: whether the goal is reached."""
        params = suite.exam.conversing.user.params
        played = [(case, case.user) for case in suite.exam.cases if case.user is not None]
        told = sum(len(f"{user.persona}{user.goal}{case.facts}{case.input}") for case, user in played)
        one = _assumed(told / len(played) + CHARS_PER_TOKEN * (_longest(suite) or OUTPUT_TOKENS), params)
        calls = len(played) * suite.samples * len(suite.arms)
        who: tuple[str, Role] = (suite.name, "user")
        found = self._outlay(who, (model, params), calls, (one, ("assumed", "assumed")), Figure(SECONDS, "assumed"))
        return replace(found, at_least=True)

    def _judgements(self, suite: Suite, name: str, pairs: Sequence[tuple[ScorerSpec, Case]]) -> Outlay:
        """All opinions of one model."""
        from gate.scoring.judge_prompt import judge_messages

        spec = pairs[0][0]
        given = spec.options.get("params")
        params = parse_params(given if isinstance(given, dict) else {}, f"params of the judge {spec.name}")
        answer = "x" * (CHARS_PER_TOKEN * (_longest(suite) or OUTPUT_TOKENS))
        rendered = sum(_characters(judge_messages(spec, case, answer)) for spec, case in pairs)
        calls = len(pairs) * suite.samples * len(suite.arms)
        one = _assumed(rendered / max(1, len(pairs)), params)
        if params.max_output_tokens is None:
            one = replace(one, output_tokens=max(one.output_tokens, *(_said(spec) for spec, _ in pairs)))
        assumed: tuple[Basis, Basis] = ("assumed", "assumed")
        who: tuple[str, Role] = (suite.name, "judge")
        return self._outlay(who, (parse_model(name), params), calls, (one, assumed), Figure(SECONDS, "assumed"))

    def _outlay(
        self,
        who: tuple[str, Role],
        asked: tuple[ModelRef, Params],
        calls: int,
        each: tuple[Usage, tuple[Basis, Basis]],
        seconds: Figure,
    ) -> Outlay:
        model, params = asked
        usage, (of_input, of_output) = each
        if self.cap is not None and usage.output_tokens > self.cap:
            usage, of_output = replace(usage, output_tokens=self.cap), "assumed"
        cost = self.price(model, params, usage)
        return Outlay(
            suite=who[0],
            role=who[1],
            model=str(model),
            calls=calls,
            input_tokens=Figure(usage.total_input * calls, of_input),
            output_tokens=Figure(usage.output_tokens * calls, of_output),
            seconds=seconds,
            cost=Dollars(cost.amount * calls) if isinstance(cost, Dollars) else cost,
            alone=model.provider in _ALONE,
        )


def answering(suite: Suite) -> dict[Role, Arm]:
    """The arms by their role; a new prompt has no baseline."""
    return {"baseline" if name is ArmName.BASELINE else "candidate": arm for name, arm in suite.arms.items()}


def _assumed(characters: float, params: Params) -> Usage:
    return Usage(math.ceil(characters / CHARS_PER_TOKEN), 0, 0, params.max_output_tokens or OUTPUT_TOKENS)


def _said(spec: ScorerSpec) -> int:
    """Tokens of one opinion."""
    return DIMENSION_TOKENS * len(Rubric.of(spec.options).dimensions) if spec.kind == "rubric" else 0


def _opinions(exam: Exam, case: Case) -> Iterator[ScorerSpec]:
    """Scorers that ask a model about an answer to a case: in each round, unless they compare whole conversations."""
    for spec in exam.lasting_scorers_of(case):
        yield from [spec] * (1 if spec.comparative else case.turns)
    for one in case.rounds:
        yield from one.scorers


def _open(exam: Exam, arm: Arm) -> bool:
    """Is it known only during a run how often this arm is called?"""
    return (
        arm.target is not None or exam.conversing.followups.model is not None or any(case.user for case in exam.cases)
    )


def _asked(arm: Arm, case: Case) -> int:
    """Characters of all requests of one sample; 0 where the prompt has no text for the case."""
    first = replace(case, input=case.rounds[0].said) if case.rounds else case
    try:
        sent = whole = _characters(render(arm.version.prompt, first))
    except NotBuilt:
        return 0
    for one in case.rounds[1:]:
        sent += CHARS_PER_TOKEN * (arm.params.max_output_tokens or OUTPUT_TOKENS) + len(one.said)
        whole += sent
    return whole


def _characters(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


def _longest(suite: Suite) -> int | None:
    bounds = [arm.params.max_output_tokens for arm in suite.arms.values()]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _total(outlays: Sequence[Outlay]) -> tuple[Cost, str]:
    unknown = [o.model for o in outlays if isinstance(o.cost, Unpriced) and o.cost.why == "unknown"]
    if unknown:
        return Unpriced("unknown"), f"the price of {', '.join(dict.fromkeys(unknown))} at its address is not known"
    known = [o.cost.amount for o in outlays if isinstance(o.cost, Dollars)]
    return (Dollars(math.fsum(known)), "") if known else (Unpriced("n/a"), "no model with a price is called")


def _minutes(outlays: Sequence[Outlay], concurrency: int) -> float:
    """A model inside this process answers one call after another; the others share the calls in flight.

    No run is shorter than its longest conversation.
    """
    alone: dict[str, float] = {}
    calls, shared = 0, 0.0
    for outlay in outlays:
        seconds = outlay.calls * outlay.seconds.value
        if outlay.alone:
            alone[outlay.model] = alone.get(outlay.model, 0.0) + seconds
        else:
            calls, shared = calls + outlay.calls, shared + seconds
    waves = math.ceil(calls / concurrency) * shared / calls if calls else 0.0
    longest = [outlay.in_a_row * outlay.seconds.value for outlay in outlays if outlay.calls]
    return max([waves, *alone.values(), *longest]) / 60.0


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
    """What a plan knows besides the suites.

    Args:
        earlier: if two of them know a suite, the first counts.
        concurrency: calls in flight.
    """

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
    """What a plan keeps of a suite in an earlier run.

    Args:
        spread: noise of its deltas.
    """

    spread: Spread
    per_call: dict[Role, PerCall]


def compares_itself(suite: SuiteRecord) -> bool:
    """Were both arms the same prompt, model and parameters (an A/A run)?"""
    one, other = suite.baseline, suite.candidate
    return (one.digest, one.model, one.params) == (other.digest, other.model, other.params)


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
