"""Generates tests for a prompt: forecast, generation, and the files that it leaves."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from gate.agents.interface import Question
from gate.app.environment.settings import Settings
from gate.app.forecast import keyless_factory, pricer
from gate.app.generation.model_calls import FOLDER, EvaluationPlan, GenerationProgress, GenerationRequest, ask_models
from gate.app.repository import own_folder
from gate.app.runs import Running
from gate.app.sources import DiskSource, folder_of
from gate.calls.providers.factory import Factory
from gate.config import specification as specfile
from gate.config.documents import decode
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.config.specification import GeneratedTest, Specification
from gate.engine.run import Steps
from gate.errors import GateError
from gate.limits import FILE_BYTES
from gate.messages import Message
from gate.prompts.version import Prompt, PromptVersion
from gate.record.sample import Reply, effort_of
from gate.record.transcript import Failed
from gate.record.usage import Effort
from gate.resolve.two_files import read_prompt
from gate.store.files import make_gate_folder, read_bounded, rewrite, write_all_new
from gate.store.run_folder import write_whole
from gate.suite import Arm, Exam
from gate.testgen.evaluation.matrix import spec_prompt
from gate.testgen.evaluation.model_comparison import (
    EvaluationModels,
    EvaluationResult,
    ModelEvaluation,
    evaluate_models,
)
from gate.testgen.evaluation.trials import case_of
from gate.testgen.files import SPECIFICATION_FILE, NewFile, with_test_data
from gate.testgen.forecast import ForecastModels, GenerationForecast, ModelWithParams, forecast
from gate.testgen.generate import BoundedCalls, Generated, GenerationJob, GenerationModels, run_generation
from gate.testgen.prompt_under_test import PromptSubject, subject_of
from gate.testgen.questions import Asker
from gate.testgen.specification.pipeline import is_foreign


@dataclass(frozen=True, slots=True)
class GenerationSource:
    """The prompt and specification that were read.

    Args:
        given: an existing specification; None where all of it is to be extracted.
    """

    version: PromptVersion
    subject: PromptSubject
    given: Specification | None = None


def read_source(wanted: GenerationRequest) -> GenerationSource:
    """Read the prompt, and the specification, which may have been edited.

    Raises:
        InputErrors, GateError: mistakes in either.
    """
    source = DiskSource()
    version = read_prompt(source, wanted.prompt, folder_of)
    data = source.read(str(wanted.spec))
    given: Specification | None = None
    if data is not None:
        given = specfile.parse(decode(data, str(wanted.spec)), str(wanted.spec))
    subject = subject_of(version.prompt)
    if given is not None and is_foreign(given, subject):
        said = f"{wanted.spec} is of another prompt: nothing that its rules quote stands in {wanted.prompt}"
        raise GateError(said, "name another folder with --out")
    return GenerationSource(version, subject, given)


def prompt_folder(prompt: str) -> Path | None:
    """The folder of a prompt where it holds the prompt's own specification; otherwise None."""
    source, spec = DiskSource(), Path(prompt).parent / SPECIFICATION_FILE
    try:
        data = source.read(str(spec))
        if data is None:
            return None
        given = specfile.parse(decode(data, str(spec)), str(spec))
        subject = subject_of(read_prompt(source, prompt, folder_of).prompt)
    except GateError:
        return None
    return None if is_foreign(given, subject) else spec.parent


def forecast_generation(wanted: GenerationRequest, found: GenerationSource, settings: Settings) -> GenerationForecast:
    """The forecast of a generation; sends nothing and needs no key."""
    factory = keyless_factory(settings)
    staff = ForecastModels(
        wanted.member,
        judge_member(wanted, factory),
        wanted.beside(wanted.generator),
        pricer(factory),
        tested=tuple(answering_models(wanted, factory).items()),
        control=wanted.evaluation is not None and wanted.evaluation.control,
    )
    return forecast(found.subject, wanted.settings, found.given, staff)


def judge_member(wanted: GenerationRequest, factory: Factory) -> ModelWithParams:
    """The judge with its parameters."""
    return wanted.judge, factory.cold(*wanted.beside(wanted.judge))


def answering_models(wanted: GenerationRequest, factory: Factory) -> dict[ModelRef, Params]:
    """The models under test: as in the paper, at temperature 1 where the interface takes one."""
    models = wanted.evaluation.models if wanted.evaluation is not None else ()

    def warm(model: ModelRef) -> Params:
        _, params = wanted.beside(model)
        warmed = params.model_copy(update={"temperature": 1.0})
        return warmed if factory.takes(model, warmed) else params

    return {model: warm(model) for model in models}


T = TypeVar("T")
EVERY_S = 20.0


@dataclass(slots=True)
class Patience:
    """Counts steps of some work, and prints a line now and then while there are none."""

    steps: Steps
    say: Callable[[str], None]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _quiet_s: float = field(default=0.0, init=False)

    def start(self, total: int) -> None:
        self.steps.start(total)

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._quiet_s = -EVERY_S  # the wait that is under way began before
        self.steps.step(spent_usd, failed=failed)

    def finish(self) -> None:
        self.steps.finish()

    async def during(self, work: Awaitable[T]) -> T:
        """The result of some work, with lines that show it is still running."""
        watching = asyncio.ensure_future(self._watch())
        try:
            return await work
        finally:
            watching.cancel()

    async def _watch(self) -> None:
        while True:
            await self.sleep(EVERY_S)
            self._quiet_s += EVERY_S
            if self._quiet_s > 0:
                self.say(f"still waiting for an answer: {self._quiet_s:.0f} s")


SUITE = "generate"
_EXAM = Exam(ref="", digest="", cases=(), scorers=())


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of a generation.

    Args:
        made: the specification and the tests, or why there are none.
        evaluated: results of models on the tests; None where none was evaluated.
    """

    made: Generated
    effort: Effort
    evaluated: EvaluationResult | None = None


def generate_tests(
    wanted: GenerationRequest,
    found: GenerationSource,
    settings: Settings,
    telling: GenerationProgress,
    keep: Callable[[GenerationResult], None],
) -> GenerationResult:
    """Generate the tests, and run them where that is wanted.

    Args:
        keep: is given the result before any test is run, so that it is kept whatever happens then. Where no test was
            made, it is given the specification.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        CannotEvaluate: no rule was found, no test was made, or a limit was reached; what was answered is kept.
        Interrupted: by Ctrl-C; what was answered is kept.
    """
    factory = keyless_factory(settings)
    told = forecast_generation(wanted, found, settings).calls
    unlimited = wanted.budget == Budget() and (found.given is None or not found.given.rules)

    def still(specification: Specification) -> GenerationForecast:
        return forecast_generation(wanted, replace(found, given=specification), settings).rest

    job = GenerationJob(found.subject, wanted.settings, still, found.given, told if unlimited else None)
    patience = Patience(telling.steps, telling.say)
    telling = replace(telling, steps=patience)
    staff = _GenerationTeam(
        wanted, found, job, judge_member(wanted, factory), answering_models(wanted, factory), telling, keep
    )

    async def work(run: Running) -> GenerationResult:
        telling.steps.start(told)
        return await patience.during(staff.work(run))

    return ask_models(staff.members, wanted.budget, settings, telling, work)


@dataclass(frozen=True, slots=True)
class _GenerationTeam:
    """The models and settings of a generation."""

    wanted: GenerationRequest
    found: GenerationSource
    job: GenerationJob
    judge: ModelWithParams
    tested: Mapping[ModelRef, Params]
    telling: GenerationProgress
    keep: Callable[[GenerationResult], None]

    @property
    def members(self) -> tuple[ModelWithParams, ...]:
        """The models that are asked, each once."""
        reference = (self.wanted.beside(self.wanted.generator),) * self.wanted.settings.expected
        return tuple(dict.fromkeys((self.wanted.member, self.judge, *reference, *self.tested.items())))

    async def work(self, run: Running) -> GenerationResult:
        """Generate, then evaluate."""
        calls = BoundedCalls(run.tools.calls, run.tools.exhausted)
        desk = _ModelAsker(run, calls, self.telling.steps)
        generator = Asker(calls, *self.wanted.member, desk.step)
        judge = Asker(calls, *self.judge, desk.step)
        arm = Arm(self.found.version, *self.wanted.beside(self.wanted.generator))

        async def expected(test: GeneratedTest) -> str | Failed:
            reply = await desk.answer(arm, test)
            return reply if isinstance(reply, Failed) else reply.text

        made = await run_generation(self.job, GenerationModels(generator, judge, expected, self.telling.say))
        done = GenerationResult(made, generator.effort + judge.effort + desk.effort)
        self.keep(done)
        if made.failure is not None:
            raise made.failure
        if self.wanted.evaluation is None:
            return done
        evaluated = await self._evaluate(made, self.wanted.evaluation, (generator, judge), desk)
        return GenerationResult(made, generator.effort + judge.effort + desk.effort, evaluated)

    async def _evaluate(
        self, made: Generated, wanted: EvaluationPlan, askers: tuple[Asker, Asker], desk: "_ModelAsker"
    ) -> EvaluationResult:
        spec = _from_spec(self.found.version, made.specification)

        async def answer(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            return await desk.answer(Arm(self.found.version, model, self.tested[model]), test)

        async def answer_spec(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            # A specification has no variables: its whole input is one message.
            told = replace(test, input=test.said, vars={})
            return await desk.answer(Arm(spec, model, self.tested[model]), told)

        job = ModelEvaluation(
            self.wanted.prompt, self.found.subject, wanted.models, wanted.control, wanted.sees_input,
            self.wanted.settings,
        )  # fmt: skip
        return await evaluate_models(job, made, EvaluationModels(*askers, answer, answer_spec, self.telling.say))


@dataclass(slots=True)
class _ModelAsker:
    """Asks for the answers to tests."""

    run: Running
    calls: BoundedCalls
    steps: Steps
    effort: Effort = field(default_factory=Effort)

    def step(self) -> None:
        self.steps.step(self.run.tools.spent_usd())

    async def answer(self, arm: Arm, test: GeneratedTest) -> Reply | Failed:
        """The answer of an arm to a test."""
        reply = await self.calls.bound(self._asked(arm, test))
        self.step()
        return reply

    async def _asked(self, arm: Arm, test: GeneratedTest) -> Reply | Failed:
        """Counted as soon as the answer arrives, even if nothing waits for it any more."""
        reply = await self.run.tools.target.answer(Question(SUITE, arm, case_of(test), 0, _EXAM))
        self.effort += effort_of(reply)
        return reply


def _from_spec(version: PromptVersion, specification: Specification) -> PromptVersion:
    """The prompt that a specification makes."""
    return replace(version, prompt=Prompt((Message("system", spec_prompt(specification)),)))


def file_content(path: Path) -> bytes | None:
    """The content of a file; empty where it cannot be read whole; None where there is no file."""
    try:
        return read_bounded(path, FILE_BYTES) or b""
    except (FileNotFoundError, NotADirectoryError):
        return b"" if path.is_symlink() else None
    except OSError:
        return b""


def keep_files(files: Sequence[NewFile]) -> None:
    """Write files that do not exist yet; all of them or none.

    Raises:
        GateError: one of them cannot be written.
    """
    write_all_new({file.path: file.text for file in files if not file.there})


def reading_folder(cases: Path) -> Path:
    """The folder for the summary of a generation: `evals/shop` gives `shop`, and `exams/one` gives `exams-one`."""
    own, whole = own_folder(), Path(os.path.abspath(cases))
    root = Path(os.path.abspath(own)).parent
    inside = whole.relative_to(root) if whole.is_relative_to(root) else whole.relative_to(whole.anchor)
    parts = inside.parts[1:] if inside.parts[:1] == ("evals",) and len(inside.parts) > 1 else inside.parts
    return own / FOLDER / ("-".join(parts) or "here")


def keep_for_reading(folder: Path, texts: Mapping[str, str | None]) -> None:
    """Write information for a reader, which is no part of the exam.

    Args:
        texts: by file name; an earlier file of that name is replaced, or removed with None.

    Raises:
        GateError: it cannot be written.
    """
    make_gate_folder(folder.parent)
    if folder.is_symlink():
        raise GateError(f"{folder} is a symbolic link", "remove it")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise GateError(f"cannot write to {folder}: {error.strerror}", "remove what is in the way") from None
    for name, text in texts.items():
        if text is None:
            (folder / name).unlink(missing_ok=True)
        else:
            write_whole(folder / name, text)


def write_back(prompt: Path, tests: Sequence[GeneratedTest]) -> None:
    """Add tests to the test data of a `.prompt.yml`, and change nothing else in it.

    Raises:
        GateError: it cannot be added to, or written.
    """
    data = DiskSource().read(str(prompt))
    rewrite(prompt, with_test_data(decode(data or b"", str(prompt)), tests, str(prompt)))
