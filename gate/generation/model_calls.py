"""Calls models outside of a run, with the same keys, limits and cache."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

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
    budget: Budget,
    settings: Settings,
    progress: GenerationProgress,
    work: Callable[["RunContext"], Coroutine[Any, Any, Result]],
) -> Result:
    """Do some work that calls models.

    Args:
        work: says how many calls it expects, to `progress`.

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
        try:
            return await until_stopped(work(run), run.stop)
        except UnfinishedGeneration:
            raise
        except CannotEvaluate as error:
            return error  # the run is complete, so the next one must not resume it
        finally:
            progress.steps.finish()

    resolved = Resolved((), {}, (), (), RunPolicy(), budget, None, models=members)
    folder = own_folder() / FOLDER
    order = RunOrder(resolved, settings.concurrency, 0, folder, progress.progress, say=progress.say)
    result = carry_out(order, settings, do)
    if isinstance(result, CannotEvaluate):
        raise result
    return result


def params_beside(model: ModelRef, generator: ModelWithParams) -> Params:
    """The generator's parameters for another model: a provider's time-out, and a same model's chat template."""
    other, params = generator
    if model.provider != other.provider:
        return Params()
    template = params.chat_template if model == other else None
    return Params(timeout_s=params.timeout_s, chat_template=template)
