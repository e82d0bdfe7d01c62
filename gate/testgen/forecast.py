"""Forecast of a generation: calls, tokens, dollars; makes no call."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.calls.prices import CHARS_PER_TOKEN
from gate.config.models import ModelRef, Params
from gate.config.specification import Specification
from gate.record.usage import Cost, Dollars, Usage
from gate.testgen.effort import ASSUMED_RULES, PER_REQUEST, EffortSettings, Stage, control_calls
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.specification import pipeline
from gate.values import about_dollars, counted

ModelWithParams: TypeAlias = tuple[ModelRef, Params]
Pricer: TypeAlias = Callable[[ModelRef, Params, Usage], Cost]

JUDGED_STAGES: frozenset[Stage] = frozenset({"grounding", "review", "validity"})
"""Stages that the judge works in."""

_FRAME_TOKENS = 500
"""Of the fixed text of a request."""
_REPLY_TOKENS: Mapping[Stage, int] = {
    "intent": 60,
    "inputs": 250,
    "rules": 900,
    "inverse": 600,
    "grounding": 80,
    "review": 300,
    "expansion": 200,
    "expected": 300,
}
_TOKENS_PER_TEST = 180
_TOKENS_PER_VALIDATION = 60
_VERDICT_TOKENS = 80


@dataclass(frozen=True, slots=True)
class StageForecast:
    """One stage.

    Args:
        calls: requests, none of them repeated.
        tokens: read and written, about.
        cost: about; unpriced where no price is known.
    """

    stage: str
    calls: int
    tokens: int
    model: ModelRef
    cost: Cost


@dataclass(frozen=True, slots=True)
class GenerationForecast:
    """All stages of a generation.

    Args:
        stages: those that make calls.
        assumed: the number of rules is not known yet.
        tests: before duplicates and invalid ones are discarded.
    """

    stages: tuple[StageForecast, ...]
    rules: int
    assumed: bool
    tests: int

    @property
    def calls(self) -> int:
        return sum(one.calls for one in self.stages)

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self.stages)

    @property
    def dollars(self) -> float | None:
        """About; None where some price is unknown."""
        amounts = [one.cost.amount if isinstance(one.cost, Dollars) else None for one in self.stages]
        known = [amount for amount in amounts if amount is not None]
        return math.fsum(known) if len(known) == len(amounts) else None

    @property
    def rest(self) -> "GenerationForecast":
        """What is still to do once there is a specification."""
        return replace(self, stages=tuple(one for one in self.stages if one.stage not in pipeline.STAGES))

    @property
    def told(self) -> str:
        """In one line."""
        money = "" if self.dollars is None else f", about {about_dollars(self.dollars)}"
        size = f"about {counted(self.calls, 'call')}, {self.tokens:,} tokens{money}"
        return f"{size}, for up to {counted(self.tests, 'test')} of {counted(self.rules, 'rule')}"


@dataclass(frozen=True, slots=True)
class ForecastModels:
    """The models that would be asked.

    Args:
        price: prices a call.
        tested: models that the tests are run against; empty without an evaluation.
        control: are control cases written and run, too?
    """

    generator: ModelWithParams
    judge: ModelWithParams
    reference: ModelWithParams
    price: Pricer
    tested: tuple[ModelWithParams, ...] = ()
    control: bool = False


def forecast(
    subject: PromptSubject, settings: EffortSettings, given: Specification | None, staff: ForecastModels
) -> GenerationForecast:
    """Forecast a generation; `given` is a specification that exists already."""
    known = given is not None and bool(given.rules)
    rules = len(given.rules) if given is not None and known else min(ASSUMED_RULES, settings.max_rules)
    tests = 2 * rules * settings.tests_per_rule
    calls: dict[Stage, int] = {**pipeline.stage_calls(settings, rules, given), **settings.calls_for_tests(rules)}
    reading = math.ceil(len(subject.text) / CHARS_PER_TOKEN) + _FRAME_TOKENS
    stages = []
    for stage, count in calls.items():
        if count == 0:
            continue
        member = staff.judge if stage in JUDGED_STAGES else staff.reference if stage == "expected" else staff.generator
        written = _written(stage, count, settings, tests)
        usage = Usage(reading * count, 0, 0, written)
        stages.append(StageForecast(stage, count, reading * count + written, member[0], staff.price(*member, usage)))
    stages += _evaluation(tests, reading, settings, staff)
    return GenerationForecast(tuple(stages), rules, not known, tests)


def _evaluation(tests: int, reading: int, settings: EffortSettings, staff: ForecastModels) -> Iterator[StageForecast]:
    """What it takes to run all tests, and to judge outputs that all differ."""

    def stage(name: str, calls: int, member: ModelWithParams, written: int) -> Iterator[StageForecast]:
        if not calls:
            return
        cost = staff.price(*member, Usage(reading * calls, 0, 0, written * calls))
        yield StageForecast(name, calls, (reading + written) * calls, member[0], cost)

    if not staff.tested:
        return
    if staff.control:
        calls = control_calls(tests)
        yield from stage("control", calls, staff.generator, _TOKENS_PER_TEST * min(tests, PER_REQUEST))
        calls = math.ceil(tests / settings.tests_per_validation) if settings.validate else 0
        written = _TOKENS_PER_VALIDATION * settings.tests_per_validation
        yield from stage("validity of control", calls, staff.judge, written)
    # Control cases are answered under the prompt, and the valid ones under that which the specification makes, too.
    outputs = tests * (1 + staff.control + (staff.control and settings.validate))
    for member in staff.tested:
        yield from stage("outputs", outputs * settings.turns, member, _REPLY_TOKENS["expected"])
    yield from stage("compliance", outputs * len(staff.tested), staff.judge, _VERDICT_TOKENS)


def _written(stage: Stage, calls: int, settings: EffortSettings, tests: int) -> int:
    if stage == "tests":
        return tests * _TOKENS_PER_TEST
    if stage == "validity":
        return tests * _TOKENS_PER_VALIDATION
    return calls * _REPLY_TOKENS.get(stage, 200)
