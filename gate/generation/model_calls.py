"""Calls models outside of a run, with the same keys, limits and cache."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gate.app.run_order import RunOrder
from gate.calls.interface import Progress, StepProgress
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget, RunPolicy
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate
from gate.git.places import own_folder
from gate.resolve.resolved import Resolved
from gate.testgen.forecast import ModelWithParams

if TYPE_CHECKING:
    from gate.app.runs import RunContext

Result = TypeVar("Result")

FOLDER = "generate"
"""Folder for information that is not part of the eval set."""


@dataclass(frozen=True, slots=True)
class GenerationLimits:
    """Limits of a whole command."""

    budget: Budget
    concurrency: int


@dataclass(frozen=True, slots=True)
class ModelWork(Generic[Result]):
    """Work that calls models.

    Args:
        calls: expected number.
    """

    calls: int
    do: Callable[["RunContext"], Coroutine[Any, Any, Result]]


@dataclass(frozen=True, slots=True)
class GenerationProgress:
    """Reports progress to the user.

    Args:
        steps: after each reply.
        progress: after each sample.
    """

    steps: StepProgress
    progress: Progress
    say: Callable[[str], None]


def call_models(
    members: tuple[ModelWithParams, ...],
    terms: GenerationLimits,
    settings: Settings,
    telling: GenerationProgress,
    work: ModelWork[Result],
) -> Result:
    """Do some work that calls models.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        UnfinishedGeneration: a limit was reached; answers are cached.
        CannotEvaluate: all calls were answered, but there is no result.
        Interrupted: by Ctrl-C; answers are cached.
    """
    from gate.app.runs import carry_out
    from gate.testgen.questions import UnfinishedGeneration, until_stopped

    async def do(run: "RunContext") -> Result | CannotEvaluate:
        run.tools.notes.begin(0)
        telling.steps.start(work.calls)
        try:
            return await until_stopped(work.do(run), run.stop)
        except UnfinishedGeneration:
            raise
        except CannotEvaluate as error:
            return error  # the run is complete, so the next one must not resume it
        finally:
            telling.steps.finish()

    resolved = Resolved((), {}, (), (), RunPolicy(), terms.budget, None, models=members)
    folder = own_folder() / FOLDER
    plan = RunOrder(resolved, terms.concurrency, 0, folder, telling.progress, say=telling.say)
    found = carry_out(plan, settings, do)
    if isinstance(found, CannotEvaluate):
        raise found
    return found


def params_beside(model: ModelRef, generator: ModelWithParams) -> Params:
    """The generator's parameters for another model: a provider's time-out, and a same model's chat template."""
    other, params = generator
    if model.provider != other.provider:
        return Params()
    template = params.chat_template if model == other else None
    return Params(timeout_s=params.timeout_s, chat_template=template)
