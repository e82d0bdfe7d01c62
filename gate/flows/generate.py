"""One prompt in, its specification and tests out."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gate.calls.port import Calls
from gate.domain.absence import Failed
from gate.domain.promptspec import CompiledRule, Discarded, GeneratedTest, Specification
from gate.domain.sample import Reply
from gate.domain.words import counted
from gate.engine.run import Stop
from gate.errors import CannotEvaluate, Interrupted
from gate.providers.base import Request
from gate.testgen.asking import Asker
from gate.testgen.compile.compile import compile_rules
from gate.testgen.diversity import Diversity
from gate.testgen.effort import EffortSettings
from gate.testgen.generation import Work, calls_of, generate
from gate.testgen.reference import Answer
from gate.testgen.specify import specify
from gate.testgen.subject import PromptSubject

T = TypeVar("T")
GIVEN_UP = 2
"""Requests in a row, each of them sent several times, after which a service is taken to be down."""
MARGIN = 100
"""Calls beside those that are foreseen: requests that are repeated, and those before."""
AGAIN = "repeat the command: what was answered costs nothing the second time"


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be generated.

    Args:
        subject: the prompt.
        settings: how much work goes into it.
        given: a specification that there is already; None where all of it is to be extracted.
        most: calls that the tests may take once the rules are known; None for no limit of their own.
    """

    subject: PromptSubject
    settings: EffortSettings
    given: Specification | None = None
    most: int | None = None


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
    """

    specification: Specification
    compiled: tuple[CompiledRule, ...]
    tests: tuple[GeneratedTest, ...]
    discarded: tuple[Discarded, ...]
    diversity: Diversity
    notes: tuple[str, ...]


async def make(job: Job, team: Team) -> Generated:
    """Extract the specification, and make tests for its rules.

    Args:
        job: what is to be generated.
        team: who does it.

    Raises:
        CannotEvaluate: no rule was found, far more calls are needed than was foreseen, or no test was made.
    """
    found = await specify(job.subject, team.generator, team.judge, job.settings, job.given, team.tell)
    specification = found.specification
    calls = sum(calls_of(job.settings, len(specification.rules)).values())
    if job.most is not None and calls > job.most:
        said = f"the tests of its {len(specification.rules)} rules would take about {calls:,} calls"
        hint = f"allow it with --max-calls {calls + MARGIN}, or ask for less: --effort, --max-rules or --tests-per-rule"
        raise CannotEvaluate(f"{said}, far more than was foreseen", hint)
    team.tell(f"about {counted(calls, 'call')} for tests of {counted(len(specification.rules), 'rule')}")
    work = Work(job.settings, team.tell, answer=team.answer)
    made = await generate(job.subject, specification, team.generator, team.judge, work)
    return Generated(
        specification=specification,
        compiled=compile_rules(specification.rules),
        tests=made.tests,
        discarded=made.discarded,
        diversity=made.diversity,
        notes=(*found.notes, *made.notes),
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

    async def call(self, request: Request, *, fresh: bool = False) -> Reply | Failed:
        """See `gate.calls.port.Calls`.

        Raises:
            CannotEvaluate: a budget is used up, or the service is down. What was sent before has been answered then: it
                is paid for, and kept.
        """
        task = asyncio.ensure_future(self.inner.call(request, fresh=fresh))
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
            ended(reason)
        return reply

    def _down(self, failed: Failed) -> str | None:
        """Why nothing more will be answered, once several requests in a row were given up."""
        self._unanswered += failed.attempts > 1
        return f"{GIVEN_UP} requests in a row: {failed.reason}" if self._unanswered >= GIVEN_UP else None


def ended(exhausted: str | None) -> None:
    """Raise CannotEvaluate where no more calls make sense.

    Args:
        exhausted: why, or None.
    """
    if exhausted is not None:
        raise CannotEvaluate(f"not finished: {exhausted}", f"once that is mended, {AGAIN}")


async def until_stopped(work: Coroutine[Any, Any, T], stop: Stop) -> T:
    """Work that a signal ends.

    Args:
        work: what is done.
        stop: the switch of the run.

    Raises:
        Interrupted: the user ended it.
        CannotEvaluate: somebody else did.
    """
    task = asyncio.ensure_future(work)
    stop.abandon_with(lambda: _cancel(task))
    try:
        return await task
    except asyncio.CancelledError:
        if stop.interrupted:
            raise Interrupted(f"interrupted; {AGAIN}") from None
        if stop.reason is not None:
            raise CannotEvaluate(f"not finished: {stop.reason}", AGAIN) from None
        raise


def _cancel(task: asyncio.Future[Any]) -> None:
    task.cancel()
