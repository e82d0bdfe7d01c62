"""Asks models outside of an evaluation, with the same keys, limits and memory."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gate.app.environment.settings import Settings
from gate.app.repository import own_folder
from gate.app.run_order import RunOrder
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget, RunPolicy
from gate.engine.run import Progress, Steps
from gate.errors import CannotEvaluate
from gate.resolve.resolved import Resolved
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import ModelWithParams

if TYPE_CHECKING:
    from gate.app.runs import Running

Result = TypeVar("Result")

FOLDER = "generate"
"""In the gate's own folder: information for a reader, and no part of the exam."""


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """Models under test, one or more."""

    models: tuple[ModelRef, ...]
    control: bool = True
    sees_input: bool = False


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A generation, or a comparison of specifications, to carry out.

    Args:
        generator, judge: the generator also gives expected outputs.
        params: of the generator, and of other models of its provider.
        budget: of the whole command.
        evaluation: the models that answer the tests; None for no evaluation.
        base: of a comparison: the commit with the old version.
        answering: of a comparison: the model that answers tests for the new rules, for both versions; None for no
            tests.
    """

    prompt: str
    spec: Path
    generator: ModelRef
    judge: ModelRef
    params: Params
    settings: EffortSettings
    budget: Budget
    evaluation: EvaluationPlan | None = None
    base: str = ""
    answering: ModelRef | None = None
    update: bool = False

    @property
    def member(self) -> ModelWithParams:
        """The generator with its parameters."""
        return self.generator, self.params

    def beside(self, model: ModelRef) -> ModelWithParams:
        """Another model, with the generator's time-out at the same provider, and a same model's chat template."""
        if model.provider != self.generator.provider:
            return model, Params()
        template = self.params.chat_template if model == self.generator else None
        return model, Params(timeout_s=self.params.timeout_s, chat_template=template)


@dataclass(frozen=True, slots=True)
class GenerationProgress:
    """Reports progress to the user.

    Args:
        steps: after each reply.
        progress: after each sample.
    """

    steps: Steps
    progress: Progress
    say: Callable[[str], None]


def ask_models(
    members: tuple[ModelWithParams, ...],
    budget: Budget,
    settings: Settings,
    telling: GenerationProgress,
    work: Callable[["Running"], Coroutine[Any, Any, Result]],
) -> Result:
    """Do some work that asks models.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        UnfinishedGeneration: a limit was reached; what was answered is kept.
        CannotEvaluate: everything was answered, without a result.
        Interrupted: by Ctrl-C; what was answered is kept.
    """
    from gate.app.runs import carry_out
    from gate.testgen.generate import UnfinishedGeneration, until_stopped

    async def do(run: "Running") -> Result | CannotEvaluate:
        run.tools.notes.begin(0)
        try:
            return await until_stopped(work(run), run.stop)
        except UnfinishedGeneration:
            raise
        except CannotEvaluate as error:
            return error  # the run is complete: another one is not to take it up again
        finally:
            telling.steps.finish()

    resolved = Resolved((), {}, (), (), RunPolicy(), budget, None, models=members)
    folder = own_folder() / FOLDER
    plan = RunOrder(resolved, settings.concurrency, 0, folder, telling.progress, say=telling.say)
    found = carry_out(plan, settings, do)
    if isinstance(found, CannotEvaluate):
        raise found
    return found
