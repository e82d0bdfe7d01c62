"""One prompt in, its specification and tests out."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gate.calls.port import Calls, Worth, always
from gate.calls.stop import Stop
from gate.domain.absence import Failed
from gate.domain.promptspec import CompiledRule, Discarded, GeneratedTest, Specification
from gate.domain.sample import Reply
from gate.domain.words import about_dollars, counted
from gate.errors import CannotEvaluate, Interrupted
from gate.providers.base import Request
from gate.testgen.asking import Asker
from gate.testgen.compile.compile import compile_rules
from gate.testgen.diversity import Diversity, diversity
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast
from gate.testgen.generation import Directions, Generation, NoTests, generate
from gate.testgen.reference import Answer
from gate.testgen.specify import Askers, specify
from gate.testgen.subject import PromptSubject

T = TypeVar("T")
GIVEN_UP = 2
"""Requests in a row, each of them sent several times, after which a service is taken to be down."""
FEW = 200
"""Calls that surprise nobody."""
MARGIN = 100
"""Calls beside those that are foreseen: requests that are repeated, and those before."""
AGAIN = "repeat the command: what was answered costs nothing the second time"


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be generated.

    Args:
        subject: the prompt.
        settings: how much work goes into it.
        foresee: what is still to come, once there is a specification.
        given: a specification that there is already; None where all of it is to be extracted.
        told: calls that the user was told of, and has set no limit to; None where they need not be held against what
            is to come.
    """

    subject: PromptSubject
    settings: EffortSettings
    foresee: Callable[[Specification], GenerationForecast]
    given: Specification | None = None
    told: int | None = None


@dataclass(frozen=True, slots=True)
class Team:
    """Who works on it.

    Args:
        generator: extracts and makes.
        judge: looks at what was made.
        answer: the prompt's answer to a test by the reference model.
        tell: tells the user what is being done.
    """

    generator: Asker
    judge: Asker
    answer: Answer
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Generated:
    """What came out.

    Args:
        specification: of the prompt.
        compiled: its rules that code checks.
        tests: that were kept.
        discarded: that were not, and why.
        diversity: figures of the tests that were kept.
        notes: what did not go as it should.
        left_out: rules beyond those that were wanted.
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


class Unfinished(CannotEvaluate):
    """Requests were left unanswered: the same command goes on from there."""


async def make(job: Job, team: Team) -> Generated:
    """Extract the specification, and make tests for its rules.

    Args:
        job: what is to be generated.
        team: who does it.

    Returns:
        The specification, and the tests or why there are none.

    Raises:
        CannotEvaluate: no rule was found, or a limit was met.
    """
    askers = Askers(team.generator, team.judge)
    found = await specify(job.subject, askers, job.settings, job.given, team.tell)
    foreseen = job.foresee(found.specification)
    failure: CannotEvaluate | None = _surprise(foreseen, job.told)
    made = Generation((), (), (), diversity(()))
    if failure is None:
        team.tell(f"now: {foreseen.told}")
        work = Directions(job.settings, team.tell, answer=team.answer)
        try:
            made = await generate(job.subject, found.specification, team.generator, team.judge, work)
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
    """Far more is to come than the user was told of."""
    if told is None or foreseen.calls <= max(FEW, 3 * told):
        return None
    rules = counted(foreseen.rules, "rule")
    money = "" if foreseen.dollars is None else f" and {about_dollars(foreseen.dollars)}"
    return CannotEvaluate(
        f"the tests of its {rules} would take about {foreseen.calls:,} calls{money}, far more than was foreseen",
        f"allow it with --max-calls {foreseen.calls + MARGIN} or --max-usd, or ask for less: --effort low, "
        "--set max_rules=6 or --set tests_per_rule=1",
    )


@dataclass(slots=True)
class Bounded:
    """Calls that end the work when there may be no more of them, so that no stage takes that for a bad reply.

    Args:
        inner: sends requests.
        exhausted: why no more calls make sense, or None.
    """

    inner: Calls
    exhausted: Callable[[], str | None]
    _flying: set[asyncio.Task[Reply | Failed]] = field(default_factory=set, init=False)
    _unanswered: int = field(default=0, init=False)

    async def call(self, request: Request, *, fresh: bool = False, worth: Worth = always) -> Reply | Failed:
        """See `gate.calls.port.Calls`.

        Raises:
            Unfinished: a budget is used up, or the service is down. What was sent before has been answered then: it is
                paid for, and kept.
        """
        return await self.bound(self.inner.call(request, fresh=fresh, worth=worth))

    async def bound(self, asked: Coroutine[Any, Any, Reply | Failed]) -> Reply | Failed:
        """The reply to something that was asked in another way, on the same terms; errors as for `call`."""
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
            raise Unfinished(f"not finished: {reason}", f"once that is mended, {AGAIN}")
        return reply

    def _down(self, failed: Failed) -> str | None:
        """Why nothing more will be answered, once several requests in a row were given up."""
        self._unanswered += failed.attempts > 1
        return f"{GIVEN_UP} requests in a row: {failed.reason}" if self._unanswered >= GIVEN_UP else None


async def until_stopped(work: Coroutine[Any, Any, T], stop: Stop) -> T:
    """Work that a signal ends.

    Args:
        work: what is done.
        stop: the switch of the run.

    Raises:
        Interrupted: the user ended it.
        Unfinished: somebody else did.
    """
    task = asyncio.ensure_future(work)
    stop.abandon_with(task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if stop.interrupted:
            raise Interrupted(f"interrupted; {AGAIN}") from None
        if stop.reason is not None:
            raise Unfinished(f"not finished: {stop.reason}", AGAIN) from None
        raise
