"""Asks models outside of an evaluation, with the same keys, limits and memory."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gate.app.environment.settings import Settings, addresses_of
from gate.app.memory import RunOrder
from gate.app.repository import own_folder
from gate.calls.prices import PriceList
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget, RunPolicy
from gate.engine.run import Progress, Steps
from gate.errors import CannotEvaluate, GateError
from gate.resolve.resolved import Resolved
from gate.testgen.forecast import ModelWithParams

if TYPE_CHECKING:
    from gate.app.runs import Running

Result = TypeVar("Result")

FOLDER = "generate"
"""In the gate's own folder: what is for a reader's information, and no part of the exam."""


@dataclass(frozen=True, slots=True)
class GenerationLimits:
    """Limits.

    Args:
        budget: of the whole command.
        concurrency: calls in flight.
    """

    budget: Budget
    concurrency: int


@dataclass(frozen=True, slots=True)
class ModelWork(Generic[Result]):
    """What is done.

    Args:
        calls: that it is expected to take.
        do: does it.
    """

    calls: int
    do: Callable[["Running"], Coroutine[Any, Any, Result]]


@dataclass(frozen=True, slots=True)
class GenerationProgress:
    """Who tells the user.

    Args:
        steps: about each reply.
        progress: about each sample.
        say: what is being done, in a line.
    """

    steps: Steps
    progress: Progress
    say: Callable[[str], None]


def ask_models(
    members: tuple[ModelWithParams, ...],
    terms: GenerationLimits,
    settings: Settings,
    telling: GenerationProgress,
    work: ModelWork[Result],
) -> Result:
    """Do something that asks models.

    Args:
        members: who is asked.
        terms: limits.
        settings: keys and addresses.
        telling: tells the user.
        work: what is done.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        Unfinished: a limit was met; what was answered is kept.
        CannotEvaluate: all was answered, and nothing came of it.
        Interrupted: by Ctrl-C; what was answered is kept.
    """
    from gate.app.runs import carry_out
    from gate.testgen.generate import UnfinishedGeneration, until_stopped

    async def do(run: "Running") -> Result | CannotEvaluate:
        run.tools.notes.begin(0)
        telling.steps.start(work.calls)
        try:
            return await until_stopped(work.do(run), run.stop)
        except UnfinishedGeneration:
            raise
        except CannotEvaluate as error:
            return error  # the run is complete: another one is not to take it up again
        finally:
            telling.steps.finish()

    resolved = Resolved((), {}, (), (), RunPolicy(), terms.budget, None, models=members)
    folder = own_folder() / FOLDER
    plan = RunOrder(resolved, terms.concurrency, 0, folder, telling.progress, say=telling.say)
    found = carry_out(plan, settings, do)
    if isinstance(found, CannotEvaluate):
        raise found
    return found


def keyless_factory(settings: Settings, terms: GenerationLimits) -> Factory:
    """Knows prices and interfaces, and can ask nobody."""
    keys = addresses_of(settings)
    return Factory(keys, settings.cache_dir, terms.concurrency, _no_text, PriceList(by_name=settings.price_by_name))


def _no_text(path: str) -> str:
    raise GateError(f"cannot read {path}", "recorded answers generate nothing")


def params_beside(model: ModelRef, generator: ModelWithParams) -> Params:
    """What another model has of the generator's parameters: how long it is waited for, if it is of the same provider.

    Args:
        model: a judge, a reference, or a model under test.
        generator: with the parameters that the user gave it, which are its own for the rest.
    """
    other, params = generator
    if model.provider != other.provider:
        return Params()
    template = params.chat_template if model == other else None
    return Params(timeout_s=params.timeout_s, chat_template=template)
