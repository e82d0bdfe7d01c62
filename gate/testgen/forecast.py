"""Forecasts of a generation and of a comparison: calls, tokens, dollars; makes no call."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.config.models import ModelRef, Params
from gate.config.specification import Specification
from gate.messages import CHARS_PER_TOKEN
from gate.record.transcript import Cost, Dollars, Usage
from gate.testgen.effort import ASSUMED_RULES, PER_REQUEST, EffortSettings, control_calls
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.specification import pipeline
from gate.testgen.specification.extraction import RULES_PER_REQUEST
from gate.values import about_dollars, counted

ModelWithParams: TypeAlias = tuple[ModelRef, Params]
Pricer: TypeAlias = Callable[[ModelRef, Params, Usage], Cost]

_JUDGED = ("grounding", "review", "validity", "comparison", "compliance")
"""Stages that the judge works in."""
_FRAME_TOKENS = 500
"""Tokens of the fixed text of a request."""
_REPLY_TOKENS: Mapping[str, int] = {
    "intent": 60,
    "inputs": 250,
    "rules": 1_500,
    "inverse": 600,
    "grounding": 80,
    "review": 300,
    "expansion": 200,
    "expected": 300,
    "comparison": 200,
    "outputs": 300,
    "compliance": 80,
}
_TOKENS_PER_TEST = 180
_TOKENS_PER_VALIDATION = 60


@dataclass(frozen=True, slots=True)
class StageForecast:
    """One stage.

    Args:
        calls: requests without retries.
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
        """The stages after the specification."""
        return replace(self, stages=tuple(one for one in self.stages if one.stage not in pipeline.STAGES))

    @property
    def told(self) -> str:
        """In one line."""
        money = "" if self.dollars is None else f", about {about_dollars(self.dollars)}"
        size = f"about {counted(self.calls, 'call')}, {self.tokens:,} tokens{money}"
        return f"{size}, for up to {counted(self.tests, 'test')} of {counted(self.rules, 'rule')}"


@dataclass(frozen=True, slots=True)
class ForecastModels:
    """The models of a generation."""

    generator: ModelWithParams
    judge: ModelWithParams
    reference: ModelWithParams
    price: Pricer
    tested: tuple[ModelWithParams, ...] = ()
    control: bool = False


def forecast(
    subject: PromptSubject, settings: EffortSettings, given: Specification | None, models: ForecastModels
) -> GenerationForecast:
    """Forecast a generation; `given` is a specification that exists already."""
    known = given is not None and bool(given.rules)
    rules = len(given.rules) if given is not None and known else min(ASSUMED_RULES, settings.max_rules)
    tests = 2 * rules * settings.tests_per_rule
    counter = _Counter.of(subject, models)
    totals = {"tests": tests * _TOKENS_PER_TEST, "validity": tests * _TOKENS_PER_VALIDATION}
    stages: list[StageForecast] = []
    for stage, calls in {**pipeline.stage_calls(settings, rules, given), **settings.calls_for_tests(rules)}.items():
        member = models.reference if stage == "expected" else counter.member(stage)
        stages += counter.stage(stage, calls, member, totals.get(stage, calls * _REPLY_TOKENS.get(stage, 0)))
    if models.tested:
        stages += _evaluation(tests, settings, counter)
    return GenerationForecast(tuple(stages), rules, not known, tests)


@dataclass(frozen=True, slots=True)
class _Counter:
    """Counts tokens and dollars of a stage; `reading` is the tokens that each request reads."""

    reading: int
    models: ForecastModels

    @classmethod
    def of(cls, subject: PromptSubject, models: ForecastModels) -> "_Counter":
        return cls(math.ceil(len(subject.text) / CHARS_PER_TOKEN) + _FRAME_TOKENS, models)

    def member(self, stage: str) -> ModelWithParams:
        return self.models.judge if stage in _JUDGED else self.models.generator

    def stage(self, name: str, calls: int, member: ModelWithParams, written: int) -> Iterator[StageForecast]:
        """Nothing where no call is made; `written` is the tokens of all replies."""
        if calls:
            cost = self.models.price(*member, Usage(self.reading * calls, 0, 0, written))
            yield StageForecast(name, calls, self.reading * calls + written, member[0], cost)


def _evaluation(tests: int, settings: EffortSettings, counter: _Counter) -> Iterator[StageForecast]:
    """What it takes to run all tests, and to judge outputs that all differ."""
    models = counter.models
    if models.control:
        calls = control_calls(tests)
        written = calls * _TOKENS_PER_TEST * min(tests, PER_REQUEST)
        yield from counter.stage("control", calls, models.generator, written)
        calls = math.ceil(tests / settings.tests_per_validation) if settings.validate else 0
        written = calls * _TOKENS_PER_VALIDATION * settings.tests_per_validation
        yield from counter.stage("validity of control", calls, models.judge, written)
    # Control cases are answered under the prompt, and the valid ones under that which the specification makes, too.
    outputs = tests * (1 + models.control + (models.control and settings.validate))
    for member in models.tested:
        calls = outputs * settings.turns
        yield from counter.stage("outputs", calls, member, calls * _REPLY_TOKENS["outputs"])
    calls = outputs * len(models.tested)
    yield from counter.stage("compliance", calls, models.judge, calls * _REPLY_TOKENS["compliance"])


@dataclass(frozen=True, slots=True)
class PromptChange:
    """A prompt before and after.

    Args:
        given: the specification of the old version; None if it must be extracted.
    """

    base: PromptSubject
    head: PromptSubject
    given: Specification | None = None

    @property
    def empty(self) -> bool:
        """Are both versions equal?"""
        return self.base.digest == self.head.digest


def forecast_comparison(
    change: PromptChange, rules: int, settings: EffortSettings, models: ForecastModels, *, made: bool
) -> GenerationForecast:
    """Forecast a comparison.

    Args:
        rules: sentences that are new, since the number of new rules is not known yet.
        models: `tested` has the model that answers for both versions.
        made: tests are made for new rules, for both versions or for the files.
    """
    if change.empty:
        return GenerationForecast((), 0, False, 0)
    tests = 2 * rules * settings.tests_per_rule if made else 0
    counter, stages = _Counter.of(change.head, models), list[StageForecast]()
    new_tests = _new_tests(settings, models, rules, tests) if tests else ()
    for stage, calls, written in (*_reading(change, rules), *new_tests):
        members = models.tested if stage == "outputs" else (counter.member(stage),)
        stages += [one for member in members for one in counter.stage(stage, calls, member, calls * written)]
    return GenerationForecast(tuple(stages), rules, rules > 0, tests)


_INVERSE_TOKENS = 300


def _reading(change: PromptChange, rules: int) -> Iterator[tuple[str, int, int]]:
    """Reading both versions, the new one only if it has new text, and one request to compare them."""
    old = change.given is None
    yield "intent", int(old), _REPLY_TOKENS["intent"]
    yield "inputs", int(old) + bool(rules), _REPLY_TOKENS["inputs"]
    yield "rules", int(old) + bool(rules), _REPLY_TOKENS["rules"]
    yield "inverse", math.ceil(ASSUMED_RULES / RULES_PER_REQUEST) if old else 0, _INVERSE_TOKENS
    yield "comparison", int(bool(rules)), _REPLY_TOKENS["comparison"]


def _new_tests(
    settings: EffortSettings, models: ForecastModels, rules: int, tests: int
) -> Iterator[tuple[str, int, int]]:
    """Tests for new rules, and the answers of both versions to them."""
    yield "inverse", math.ceil(rules / RULES_PER_REQUEST), _INVERSE_TOKENS
    for stage, calls in settings.calls_for_tests(rules).items():
        if calls and stage != "expected":
            yield stage, calls, math.ceil(_TOKENS_PER_TEST * tests / calls)
    if models.tested:
        yield "outputs", 2 * tests * settings.turns, _REPLY_TOKENS["outputs"]
        yield "compliance", 2 * tests, _REPLY_TOKENS["compliance"]
