"""What the calls of a run come to: counted and rendered, not sent."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.domain.case import Case, ScorerSpec
from gate.domain.forecast import Basis, Figure, Outlay, Role, Spending
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Message
from gate.domain.rubric import Rubric
from gate.domain.sample import ArmName
from gate.domain.suite import Arm, Suite
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
    """What one call took in an earlier run; None where that run does not tell.

    Args:
        usage: mean tokens; its input counts only where the same prompt was sent.
        same_prompt: the prompt was the same one.
        seconds: mean.
    """

    usage: Usage | None
    same_prompt: bool
    seconds: float | None


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
        asked: dict[tuple[str, str], list[tuple[ScorerSpec, Case]]] = {}
        for case in suite.exam.cases:
            for spec in suite.exam.scorers_of(case):
                for model in spec.models:
                    asked.setdefault((model, f"{spec.options.get('params')}"), []).append((spec, case))
        for (model, _), pairs in asked.items():
            yield self._judgements(suite, model, pairs)

    def _answers(self, suite: Suite, role: Role, arm: Arm) -> Outlay:
        rendered = sum(_asked(arm, case) for case in suite.exam.cases)
        calls = suite.samples * len(suite.exam.cases)
        known = self.earlier.get((suite.name, role), PerCall(None, False, None))
        one = _assumed(rendered / max(1, len(suite.exam.cases)), arm.params)
        basis: tuple[Basis, Basis] = ("assumed", "assumed")
        if known.usage is not None:
            if known.same_prompt:
                one, basis = known.usage, ("measured", "measured")
            else:
                one, basis = Usage(one.input_tokens, 0, 0, known.usage.output_tokens), ("assumed", "measured")
        seconds = Figure(SECONDS, "assumed") if known.seconds is None else Figure(known.seconds, "measured")
        return self._outlay((suite.name, role), (arm.model, arm.params), calls, (one, basis), seconds)

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


def _asked(arm: Arm, case: Case) -> int:
    """Characters of one request; none where the prompt has no text for the case."""
    try:
        return _characters(render(arm.version.prompt, case))
    except NotBuilt:
        return 0


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
    return (Dollars(sum(known)), "") if known else (Unpriced("n/a"), "no model with a price is called")


def _minutes(outlays: Sequence[Outlay], concurrency: int) -> float:
    """A model inside this process answers one call after another; the others share the calls in flight."""
    alone: dict[str, float] = {}
    calls, shared = 0, 0.0
    for outlay in outlays:
        seconds = outlay.calls * outlay.seconds.value
        if outlay.alone:
            alone[outlay.model] = alone.get(outlay.model, 0.0) + seconds
        else:
            calls, shared = calls + outlay.calls, shared + seconds
    waves = math.ceil(calls / concurrency) * shared / calls if calls else 0.0
    return max([waves, *alone.values()]) / 60.0
