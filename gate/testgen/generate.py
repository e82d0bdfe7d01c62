"""From a prompt to its specification and tests, within limits on calls and dollars."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gate.calls.interface import Calls, Request, Stop, WorthKeeping, any_reply
from gate.config.specification import CompiledRule, Discarded, GeneratedTest, Specification
from gate.errors import CannotEvaluate, Interrupted
from gate.record.sample import Reply
from gate.record.transcript import Failed
from gate.testgen.cases.diversity import Diversity, diversity_of
from gate.testgen.cases.generation import AnswerOf, Generation, GenerationOptions, NoTests, generate_tests
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import Asker
from gate.testgen.rules.compiler import compile_rules
from gate.testgen.specification.pipeline import StageModels, specify
from gate.values import about_dollars, counted

Answered = TypeVar("Answered")
FAILURES_IN_A_ROW = 2
"""Requests in a row, each with its retries, after which a service is taken to be down."""
UNSURPRISING_CALLS = 200
"""A forecast of up to this many calls never counts as a surprise."""
EXTRA_CALLS = 100
"""Allowance beside the calls that were forecast: requests that are repeated, and earlier ones."""
REPEAT_HINT = "repeat the command: what was answered costs nothing the second time"


@dataclass(frozen=True, slots=True)
class GenerationJob:
    """What is to be generated.

    Args:
        foresee: forecasts what is still to come, once there is a specification.
        given: an existing specification; None where all of it is to be extracted.
        told: calls that the user was told of without setting a limit; None where nothing is to be compared with them.
    """

    subject: PromptSubject
    settings: EffortSettings
    foresee: Callable[[Specification], GenerationForecast]
    given: Specification | None = None
    told: int | None = None


@dataclass(frozen=True, slots=True)
class GenerationModels:
    """The models of a generation.

    Args:
        answer: the prompt's answer to a test by the reference model.
        tell: shows the user a line on what is being done.
    """

    generator: Asker
    judge: Asker
    answer: AnswerOf
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Generated:
    """The result of a generation.

    Args:
        compiled: the rules that code checks.
        diversity: of the tests that were kept.
        notes: what did not go as it should.
        left_out: rules beyond the limit.
        failure: why there is no test; None where there is one.
    """

    specification: Specification
    compiled: tuple[CompiledRule, ...]
    tests: tuple[GeneratedTest, ...]
    discarded: tuple[Discarded, ...]
    diversity: Diversity
    notes: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    failure: CannotEvaluate | None = None


class UnfinishedGeneration(CannotEvaluate):
    """Requests were left unanswered; the same command continues from there."""


async def run_generation(job: GenerationJob, team: GenerationModels) -> Generated:
    """Extract the specification, and make tests for its rules.

    Raises:
        CannotEvaluate: no rule was found, or a limit was met.
    """
    askers = StageModels(team.generator, team.judge)
    found = await specify(job.subject, askers, job.settings, job.given, team.tell)
    foreseen = job.foresee(found.specification)
    failure: CannotEvaluate | None = _surprise(foreseen, job.told)
    made = Generation((), (), (), diversity_of(()))
    if failure is None:
        team.tell(f"now: {foreseen.told}")
        work = GenerationOptions(job.settings, team.tell, answer=team.answer)
        try:
            made = await generate_tests(job.subject, found.specification, team.generator, team.judge, work)
        except NoTests as nothing:
            made, failure = nothing.found, nothing
    return Generated(
        specification=found.specification,
        compiled=compile_rules(found.specification.rules),
        tests=made.tests,
        discarded=made.discarded,
        diversity=made.diversity,
        notes=(*found.notes, *made.notes),
        left_out=found.left_out,
        failure=failure,
    )


def _surprise(foreseen: GenerationForecast, told: int | None) -> CannotEvaluate | None:
    """Far more calls are to come than the user was told of."""
    if told is None or foreseen.calls <= max(UNSURPRISING_CALLS, 3 * told):
        return None
    rules = counted(foreseen.rules, "rule")
    money = "" if foreseen.dollars is None else f" and {about_dollars(foreseen.dollars)}"
    return CannotEvaluate(
        f"the tests of its {rules} would take about {foreseen.calls:,} calls{money}, far more than was foreseen",
        f"allow it with --max-calls {foreseen.calls + EXTRA_CALLS} or --max-usd, or ask for less: --effort low, "
        "--set max_rules=6 or --set tests_per_rule=1",
    )


@dataclass(slots=True)
class BoundedCalls:
    """Calls that raise when there may be no more of them, so that no stage takes that for a bad reply.

    Args:
        exhausted: why no more calls make sense, or None.
    """

    inner: Calls
    exhausted: Callable[[], str | None]
    _flying: set[asyncio.Task[Reply | Failed]] = field(default_factory=set, init=False)
    _unanswered: int = field(default=0, init=False)

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        """See `gate.calls.interface.Calls`.

        Raises:
            Unfinished: a budget is used up, or the service is down. Requests sent before have been answered by then,
                because they are paid for, and are kept.
        """
        return await self.bound(self.inner.call(request, fresh=fresh, worth=worth))

    async def bound(self, asked: Coroutine[Any, Any, Reply | Failed]) -> Reply | Failed:
        """The reply to a request that is sent in another way, with the same limits; errors as for `call`."""
        task = asyncio.ensure_future(asked)
        self._flying.add(task)
        try:
            reply = await task
        finally:
            self._flying.discard(task)
        if not isinstance(reply, Failed):
            self._unanswered = 0
        elif (reason := self.exhausted() or self._down(reply)) is not None:
            while self._flying:
                await asyncio.wait(self._flying)
            raise UnfinishedGeneration(f"not finished: {reason}", f"once that is mended, {REPEAT_HINT}")
        return reply

    def _down(self, failed: Failed) -> str | None:
        """Why nothing more will be answered, once several requests in a row were given up."""
        self._unanswered += failed.attempts > 1
        return (
            f"{FAILURES_IN_A_ROW} requests in a row: {failed.reason}" if self._unanswered >= FAILURES_IN_A_ROW else None
        )


async def until_stopped(work: Coroutine[Any, Any, Answered], stop: Stop) -> Answered:
    """Run work until it is done or a signal stops it.

    Raises:
        Interrupted: the user ended it.
        Unfinished: something else did.
    """
    task = asyncio.ensure_future(work)
    stop.abandon_with(task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if stop.interrupted:
            raise Interrupted(f"interrupted; {REPEAT_HINT}") from None
        if stop.reason is not None:
            raise UnfinishedGeneration(f"not finished: {stop.reason}", REPEAT_HINT) from None
        raise
