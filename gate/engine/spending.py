"""What a run would spend: its calls, counted and priced without sending any, and budgets that are too low for them."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gate.cases.case import Case, NotBuilt, render
from gate.config.models import ModelRef, Params, parse_model
from gate.config.policy import Budget
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec, judge_params
from gate.engine.noise import Basis
from gate.engine.prompt_cache import characters
from gate.messages import CHARS_PER_TOKEN
from gate.record.findings.notes import BudgetTooLow
from gate.record.transcript import ArmName, Cost, Dollars, Unpriced, Usage
from gate.suite import Arm, Exam, Suite
from gate.values import about_dollars, exact_dollars

Role: TypeAlias = Literal["baseline", "candidate", "judge", "user"]
"""`user` is a model that plays one."""


@dataclass(frozen=True, slots=True)
class Range:
    """A number and where it comes from."""

    value: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class ModelSpending:
    """The calls of one suite to one model in one role.

    Args:
        alone: the model takes one call at a time, since it runs inside this process.
        in_a_row: calls that wait for one another, in the longest conversation.
        at_least: there may be more calls: an agent decides itself how often it is called.
    """

    suite: str
    role: Role
    model: str
    calls: int
    input_tokens: Range
    output_tokens: Range
    seconds: Range
    cost: Cost
    alone: bool
    in_a_row: int = 1
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Spending:
    """All calls of a run.

    Args:
        cost_note: why the cost is not known; empty otherwise.
    """

    outlays: tuple[ModelSpending, ...]
    calls: int
    cost: Cost
    cost_note: str
    minutes: float
    concurrency: int

    @property
    def at_least(self) -> bool:
        """May there be more calls?"""
        return any(outlay.at_least for outlay in self.outlays)

    @property
    def converses(self) -> bool:
        """Has a sample several calls?"""
        return self.at_least or any(outlay.in_a_row > 1 for outlay in self.outlays)

    @property
    def dollars_at_least(self) -> bool:
        """May they cost more? Conversations measured in an earlier run already include all of their calls."""
        return any(outlay.at_least and outlay.input_tokens.basis == "assumed" for outlay in self.outlays)


@dataclass(frozen=True, slots=True)
class PlanWarning:
    """A sentence for the reader, with the remedy; `severe` where the run as planned cannot end well."""

    text: str
    severe: bool = False


def budget_warnings(spending: Spending, budget: Budget, *, early: bool = False) -> Iterator[PlanWarning]:
    """Limits that are too low for the run, which would then be INCONCLUSIVE."""
    ends = "unless it can stop early, it would end INCONCLUSIVE" if early else "it would end INCONCLUSIVE"
    for limit, need in _calls(spending, budget):
        yield PlanWarning(_opening(f"{' is '.join(limit)}, and the run needs {need}: {ends}"), severe=not early)
    for limit, need in _estimates(spending, budget):
        yield PlanWarning(_opening(f"{' is '.join(limit)}, and the run would {need}: {ends}"), severe=not early)
    if budget.max_usd is not None and spending.cost == Unpriced("unknown"):
        yield PlanWarning(_opening(f"{budget.setting('max_usd')} does not count every call: {spending.cost_note}"))


def low_budgets(
    spending: Spending, known_calls: int, budget: Budget, *, early: bool = False, remembered: bool = True
) -> list[BudgetTooLow]:
    """Limits that are too low for a run that need not make all of its calls.

    Dollars and minutes are those of the whole run, in proportion to the calls. Of conversations that broke off some
    calls are known, too, which are not counted.
    """
    known = min(max(0, known_calls), spending.calls)
    left = _without(spending, known)
    more = f" ({known:,} more are cached)" if known else ""
    needs = [(*limit, f"needs {need}{more}", not spending.converses) for limit, need in _calls(left, budget)]
    needs += [(*limit, f"would {need}", False) for limit, need in _estimates(left, budget)]
    return [
        BudgetTooLow(setting=setting, value=value, need=need, certain=certain, early=early, cached=remembered)
        for setting, value, need, certain in needs
    ]


def _without(spending: Spending, known: int) -> Spending:
    """The spending without so many known calls, in proportion."""
    part = (spending.calls - known) / spending.calls if spending.calls else 0.0
    cost = Dollars(spending.cost.amount * part) if isinstance(spending.cost, Dollars) else spending.cost
    return replace(spending, calls=spending.calls - known, cost=cost, minutes=spending.minutes * part)


def _calls(spending: Spending, budget: Budget) -> Iterator[tuple[tuple[str, str], str]]:
    """The setting of the limit on calls with its value, and how many are needed, where it is too low."""
    if budget.max_calls is not None and spending.calls > budget.max_calls:
        least = "at least " if spending.at_least else ""
        yield (budget.setting("max_calls"), f"{budget.max_calls:,}"), f"{least}{spending.calls:,} calls"


def _estimates(spending: Spending, budget: Budget) -> Iterator[tuple[tuple[str, str], str]]:
    """The settings of limits on estimated quantities with their values, and the estimates, where they are too low."""
    cost, limit = spending.cost, budget.max_usd
    about = "at least" if spending.dollars_at_least else "about"
    if limit is not None and isinstance(cost, Dollars) and cost.amount > limit:
        yield (budget.setting("max_usd"), exact_dollars(limit)), f"cost {about} {about_dollars(cost.amount)}"
    if budget.max_minutes is not None and spending.minutes > budget.max_minutes:
        time = f"{about} {spending.minutes:.1f} minutes at {spending.concurrency} calls at once"
        yield (budget.setting("max_minutes"), f"{budget.max_minutes:g}"), f"take {time}"


def _opening(words: str) -> str:
    """As the start of a sentence: a leading `the` gets a capital, the name of a setting stays as it is."""
    return re.sub("^the ", "The ", words)


OUTPUT_TOKENS = 256
"""Assumed for a reply whose length nothing bounds."""


DIMENSION_TOKENS = 60
"""Assumed for the reply of a judge on one dimension of a rubric."""


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
class SpendingEstimator:
    """Estimates outlays.

    Args:
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

    def _suite(self, suite: Suite) -> Iterator[ModelSpending]:
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

    def _answers(self, suite: Suite, role: Role, arm: Arm) -> ModelSpending:
        cases = suite.exam.cases
        rendered, turns = sum(_request_characters(arm, case) for case in cases), sum(case.turns for case in cases)
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
        seconds = Range(SECONDS, "assumed") if known.seconds is None else Range(known.seconds, "measured")
        asked = arm.model, arm.params
        found = self._outlay((suite.name, role), asked, suite.samples * turns, (one, basis), seconds)
        longest = max((case.turns for case in cases), default=1)
        return replace(found, in_a_row=longest, at_least=_open(suite.exam, arm))

    def _user(self, suite: Suite, model: ModelRef) -> ModelSpending:
        """The simulated user is called at least once for each conversation: whether the goal is reached."""
        params = suite.exam.conversing.user.params
        played = [(case, case.user) for case in suite.exam.cases if case.user is not None]
        told = sum(len(f"{user.persona}{user.goal}{case.facts}{case.input}") for case, user in played)
        one = _assumed(told / len(played) + CHARS_PER_TOKEN * (_longest(suite) or OUTPUT_TOKENS), params)
        calls = len(played) * suite.samples * len(suite.arms)
        who: tuple[str, Role] = (suite.name, "user")
        found = self._outlay(who, (model, params), calls, (one, ("assumed", "assumed")), Range(SECONDS, "assumed"))
        return replace(found, at_least=True)

    def _judgements(self, suite: Suite, name: str, pairs: Sequence[tuple[ScorerSpec, Case]]) -> ModelSpending:
        """All opinions of one model."""
        from gate.scoring.judge_prompt import judge_messages

        spec = pairs[0][0]
        params = judge_params(spec)
        answer = "x" * (CHARS_PER_TOKEN * (_longest(suite) or OUTPUT_TOKENS))
        rendered = sum(characters(judge_messages(spec, case, answer)) for spec, case in pairs)
        calls = len(pairs) * suite.samples * len(suite.arms)
        one = _assumed(rendered / max(1, len(pairs)), params)
        if params.max_output_tokens is None:
            one = replace(one, output_tokens=max(one.output_tokens, *(_said(spec) for spec, _ in pairs)))
        assumed: tuple[Basis, Basis] = ("assumed", "assumed")
        who: tuple[str, Role] = (suite.name, "judge")
        return self._outlay(who, (parse_model(name), params), calls, (one, assumed), Range(SECONDS, "assumed"))

    def _outlay(
        self,
        who: tuple[str, Role],
        asked: tuple[ModelRef, Params],
        calls: int,
        each: tuple[Usage, tuple[Basis, Basis]],
        seconds: Range,
    ) -> ModelSpending:
        model, params = asked
        usage, (of_input, of_output) = each
        if self.cap is not None and usage.output_tokens > self.cap:
            usage, of_output = replace(usage, output_tokens=self.cap), "assumed"
        cost = self.price(model, params, usage)
        return ModelSpending(
            suite=who[0],
            role=who[1],
            model=str(model),
            calls=calls,
            input_tokens=Range(usage.total_input * calls, of_input),
            output_tokens=Range(usage.output_tokens * calls, of_output),
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
    """Scorers that call a model for an answer to a case: in each round, unless they compare whole conversations."""
    for spec in exam.lasting_scorers_of(case):
        yield from [spec] * (1 if spec.comparative else case.turns)
    for one in case.rounds:
        yield from one.scorers


def _open(exam: Exam, arm: Arm) -> bool:
    """Is it known only during a run how often this arm is called?"""
    return (
        arm.target is not None or exam.conversing.followups.model is not None or any(case.user for case in exam.cases)
    )


def _request_characters(arm: Arm, case: Case) -> int:
    """Characters of all requests of one sample; 0 where the prompt has no text for the case."""
    first = replace(case, input=case.rounds[0].said) if case.rounds else case
    try:
        sent = whole = characters(render(arm.version.prompt, first))
    except NotBuilt:
        return 0
    for one in case.rounds[1:]:
        sent += CHARS_PER_TOKEN * (arm.params.max_output_tokens or OUTPUT_TOKENS) + len(one.said)
        whole += sent
    return whole


def _longest(suite: Suite) -> int | None:
    bounds = [arm.params.max_output_tokens for arm in suite.arms.values()]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _total(outlays: Sequence[ModelSpending]) -> tuple[Cost, str]:
    unknown = [o.model for o in outlays if isinstance(o.cost, Unpriced) and o.cost.why == "unknown"]
    if unknown:
        return Unpriced("unknown"), f"the price of {', '.join(dict.fromkeys(unknown))} is not known"
    known = [o.cost.amount for o in outlays if isinstance(o.cost, Dollars)]
    return (Dollars(math.fsum(known)), "") if known else (Unpriced("n/a"), "no model with a price is called")


def _minutes(outlays: Sequence[ModelSpending], concurrency: int) -> float:
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
    longest = [outlay.in_a_row * outlay.seconds.value for outlay in outlays if outlay.calls]
    return max([waves, *alone.values(), *longest]) / 60.0
