"""What the calls of a run come to: counted and rendered, not sent."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.config.scorerspec import ScorerSpec
from gate.domain.case import Case
from gate.domain.forecast import Basis, Figure, Outlay, Role, Spending
from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
from gate.domain.rubric import Rubric
from gate.domain.sample import ArmName
from gate.domain.suite import Arm, Exam, Suite
from gate.domain.usage import Cost, Dollars, Unpriced, Usage
from gate.inputs.models import parse_model, parse_params
from gate.inputs.render import NotBuilt, render
from gate.scoring.messages import messages

CHARS_PER_TOKEN = 4
OUTPUT_TOKENS = 256
"""Assumed for a reply whose length nothing bounds."""
DIMENSION_TOKENS = 60
"""Assumed for what a judge says of one dimension of a rubric."""
SECONDS = 2.0
"""Assumed for one call."""

_ALONE = ("local",)

Pricer: TypeAlias = Callable[[ModelRef, Params, Usage], Cost]
"""What does one call with so many tokens cost?"""


@dataclass(frozen=True, slots=True)
class PerCall:
    """What one answer, or one whole conversation, took in an earlier run; None where that run does not tell.

    Args:
        usage: mean tokens; its input counts only where the same prompt was sent.
        same_prompt: the prompt was the same one.
        seconds: mean.
    """

    usage: Usage | None
    same_prompt: bool
    seconds: float | None

    def of_each(self, turns: float) -> "PerCall":
        """What a call took, where a conversation has so many."""
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
        price: prices a call.
        earlier: what calls took before, by suite and role.
        cap: tokens that a reply may have at most; None where the budget has no such limit.
    """

    price: Pricer
    earlier: Earlier
    cap: int | None = None

    def spending(self, suites: Sequence[Suite], concurrency: int) -> Spending:
        """All calls of a run.

        Args:
            suites: what would be evaluated.
            concurrency: calls in flight.
        """
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
        """Who plays a user is asked at least once for each conversation: whether the goal is reached."""
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
        spec = pairs[0][0]
        given = spec.options.get("params")
        params = parse_params(given if isinstance(given, dict) else {}, f"params of the judge {spec.name}")
        answer = "x" * (CHARS_PER_TOKEN * (_longest(suite) or OUTPUT_TOKENS))
        rendered = sum(_characters(messages(spec, case, answer)) for spec, case in pairs)
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
    """The arms that there are, under the role that they play: a new prompt has no baseline."""
    return {"baseline" if name is ArmName.BASELINE else "candidate": arm for name, arm in suite.arms.items()}


def _assumed(characters: float, params: Params) -> Usage:
    return Usage(math.ceil(characters / CHARS_PER_TOKEN), 0, 0, params.max_output_tokens or OUTPUT_TOKENS)


def _said(spec: ScorerSpec) -> int:
    """Tokens of one opinion."""
    return DIMENSION_TOKENS * len(Rubric.of(spec.options).dimensions) if spec.kind == "rubric" else 0


def _opinions(exam: Exam, case: Case) -> Iterator[ScorerSpec]:
    """What asks a model about one answer to a case: in each round, unless it compares whole conversations."""
    for spec in exam.lasting_scorers_of(case):
        yield from [spec] * (1 if spec.comparative else case.turns)
    for one in case.rounds:
        yield from one.scorers


def _open(exam: Exam, arm: Arm) -> bool:
    """Does it show only in a run how often this arm is called?"""
    return (
        arm.target is not None or exam.conversing.followups.model is not None or any(case.user for case in exam.cases)
    )


def _asked(arm: Arm, case: Case) -> int:
    """Characters of all requests of one sample; none where the prompt has no text for the case."""
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
