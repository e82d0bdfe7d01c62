"""Generates tests for a prompt: forecast, generation and files."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from gate.agents.interface import Question
from gate.app.runs import RunContext
from gate.calls.interface import StepProgress
from gate.calls.providers.factory import Factory
from gate.config import specification_file as specfile
from gate.config.documents import decode
from gate.config.models import ModelRef, Params
from gate.config.policy import Budget
from gate.config.specification import GeneratedTest, Specification
from gate.config.specification_file import SpecFile
from gate.environment.settings import Settings, keyless_factory, pricer
from gate.errors import GateError
from gate.generation.model_calls import (
    GenerationProgress,
    call_models,
    params_beside,
)
from gate.git.places import DiskSource, folder_of
from gate.messages import Message
from gate.prompts.files import FileSource
from gate.prompts.version import Prompt, PromptVersion
from gate.record.transcript import Effort, Failed, Reply, effort_of
from gate.resolve.two_files import read_prompt
from gate.suite import Arm, Exam
from gate.testgen.effort import EffortSettings
from gate.testgen.evaluation.matrix import spec_prompt
from gate.testgen.evaluation.trials import EvaluationResult, ModelEvaluation, case_of
from gate.testgen.files import SPECIFICATION_FILE
from gate.testgen.forecast import ForecastModels, GenerationForecast, ModelWithParams, Pricer, forecast
from gate.testgen.generate import GeneratedTests, specify_and_generate
from gate.testgen.prompt_under_test import PromptSubject, subject_of
from gate.testgen.questions import Asker, BoundedCalls, GenerationSetup
from gate.testgen.specification.pipeline import is_foreign


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A generation, or a comparison of two versions.

    Args:
        spec: path of the specification, which need not exist.
        generator, judge: the generator also writes expected outputs.
        params: of the generator.
        tested: models that answer the tests; in a comparison at most one, for both versions.
        control: also make control cases, if there are tested models.
        sees_input: show the inputs to the judge of outputs.
        base: for a comparison, the commit with the old version.
        update: for a comparison, also update the files.
        write_back: add the tests to the test data of the prompt's own file, too.
    """

    prompt: str
    spec: Path
    generator: ModelRef
    judge: ModelRef
    params: Params
    settings: EffortSettings
    budget: Budget
    tested: tuple[ModelRef, ...] = ()
    control: bool = True
    sees_input: bool = False
    base: str = ""
    update: bool = False
    write_back: bool = False

    @property
    def folder(self) -> Path:
        """The folder of the specification and the cases."""
        return self.spec.parent

    @property
    def member(self) -> ModelWithParams:
        """The generator with its parameters."""
        return self.generator, self.params

    def beside(self, model: ModelRef) -> ModelWithParams:
        """Another model with the generator's parameters that apply to it."""
        return model, params_beside(model, self.member)

    def judging(self, factory: Factory) -> ModelWithParams:
        """The judge with its parameters."""
        model, params = self.beside(self.judge)
        return model, factory.cold(model, params)

    def priced(self, settings: Settings) -> tuple[Factory, Pricer]:
        """A factory that sends nothing, and a pricer."""
        factory = keyless_factory(settings)
        return factory, pricer(factory)


@dataclass(frozen=True, slots=True)
class GenerationSource:
    """The prompt, its form for the stages, and its specification if there is one."""

    version: PromptVersion
    subject: PromptSubject
    given: Specification | None = None


def read_source(request: GenerationRequest) -> GenerationSource:
    """Read the prompt and the specification.

    Raises:
        InputErrors, GateError: errors in either.
    """
    source = DiskSource()
    version = read_prompt(source, request.prompt, folder_of)
    given = read_specification(source, str(request.spec))
    subject = subject_of(version.prompt)
    if given is not None and is_foreign(given.specification, subject):
        problem = f"{request.spec} is for another prompt: none of its quotes are in {request.prompt}"
        raise GateError(problem, "choose another folder with --out")
    return GenerationSource(version, subject, None if given is None else given.specification)


def read_specification(source: FileSource, path: str) -> SpecFile | None:
    """A specification file; None if there is none.

    Raises:
        InputErrors: an error in it.
    """
    data = source.read(path)
    return None if data is None else specfile.read_specification(decode(data, path), path)


def prompt_folder(prompt: str) -> Path | None:
    """The folder of a prompt if it has the prompt's specification; otherwise None."""
    source, spec = DiskSource(), Path(prompt).parent / SPECIFICATION_FILE
    try:
        given = read_specification(source, str(spec))
        if given is None or is_foreign(given.specification, subject_of(read_prompt(source, prompt, folder_of).prompt)):
            return None
    except GateError:
        return None
    return spec.parent


def forecast_generation(request: GenerationRequest, source: GenerationSource, settings: Settings) -> GenerationForecast:
    """The forecast of a generation; sends nothing and needs no key."""
    factory, price = request.priced(settings)
    models = ForecastModels(
        request.member,
        request.judging(factory),
        request.beside(request.generator),
        price,
        tested=tuple(answering_models(request, factory).items()),
        control=bool(request.tested) and request.control,
    )
    return forecast(source.subject, request.settings, source.given, models)


def answering_models(request: GenerationRequest, factory: Factory) -> dict[ModelRef, Params]:
    """The models under test, at temperature 1 as in the paper if the API takes one."""

    def warm(model: ModelRef) -> Params:
        _, params = request.beside(model)
        warmed = params.choosing(temperature=1.0)
        return warmed if factory.takes(model, warmed) else params

    return {model: warm(model) for model in request.tested}


T = TypeVar("T")
EVERY_S = 20.0


@dataclass(slots=True)
class Deadline:
    """Counts steps, and prints a line now and then while there are none."""

    steps: StepProgress
    say: Callable[[str], None]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _quiet_s: float = field(default=0.0, init=False)

    def start(self, total: int) -> None:
        self.steps.start(total)

    def step(self, spent_usd: float | None, *, failed: bool = False) -> None:
        self._quiet_s = -EVERY_S  # the current wait began before
        self.steps.step(spent_usd, failed=failed)

    def finish(self) -> None:
        self.steps.finish()

    async def during(self, work: Awaitable[T]) -> T:
        """Await some work, with lines that show that it is still running."""
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
        generated: the specification and the tests, or why there are none.
        evaluated: results of the tested models; None if there are none.
    """

    generated: GeneratedTests
    effort: Effort
    evaluated: EvaluationResult | None = None


def generate_tests(
    request: GenerationRequest,
    source: GenerationSource,
    settings: Settings,
    progress: GenerationProgress,
    keep: Callable[[GenerationResult], None],
) -> GenerationResult:
    """Generate the tests, and run them if models are to be tested.

    Args:
        keep: called with the result before any test is run, so that it is saved in any case.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        CannotEvaluate: no rule was found, no test was made, or a limit was reached; answers are cached.
        Interrupted: by Ctrl-C; answers are cached.
    """
    factory, _ = request.priced(settings)
    expected_calls = forecast_generation(request, source, settings).calls
    unlimited = request.budget == Budget() and (source.given is None or not source.given.rules)

    def remaining(specification: Specification) -> GenerationForecast:
        return forecast_generation(request, replace(source, given=specification), settings).rest

    patience = Deadline(progress.steps, progress.say)
    progress = replace(progress, steps=patience)
    judge, tested = request.judging(factory), answering_models(request, factory)
    reference = (request.beside(request.generator),) * request.settings.expected
    members = tuple(dict.fromkeys((request.member, judge, *reference, *tested.items())))

    async def generate(run: RunContext) -> GenerationResult:
        progress.steps.start(expected_calls)
        asker = _ModelAsker(run, BoundedCalls(run.tools.calls, run.tools.exhausted), patience, tested)
        generator, judging = (Asker(asker.calls, *member, asker.step) for member in (request.member, judge))
        arm = Arm(source.version, *request.beside(request.generator))

        async def expected_output(test: GeneratedTest) -> str | Failed:
            reply = await asker.answer(arm, test)
            return reply if isinstance(reply, Failed) else reply.text

        setup = GenerationSetup(generator, judging, request.settings, progress.say, expected_output)
        shown_calls = expected_calls if unlimited else None
        generated = await specify_and_generate(source.subject, source.given, setup, remaining, shown_calls)
        result = GenerationResult(generated, generator.effort + judging.effort + asker.effort)
        keep(result)
        if generated.failure is not None:
            raise generated.failure
        if not request.tested:
            return result
        evaluated = await _evaluated(request, source, setup, asker, generated)
        return GenerationResult(generated, generator.effort + judging.effort + asker.effort, evaluated)

    async def generate_patiently(run: RunContext) -> GenerationResult:
        return await patience.during(generate(run))

    return call_models(members, request.budget, settings, progress, generate_patiently)


async def _evaluated(
    request: GenerationRequest,
    source: GenerationSource,
    setup: GenerationSetup,
    asker: "_ModelAsker",
    generated: GeneratedTests,
) -> EvaluationResult:
    """Run the models under test on what was made."""
    spec = replace(source.version, prompt=Prompt((Message("system", spec_prompt(generated.specification)),)))

    async def answer(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
        return await asker.answer(Arm(source.version, model, asker.tested[model]), test)

    async def answer_spec(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
        # A specification has no variables: its input is one message.
        return await asker.answer(Arm(spec, model, asker.tested[model]), replace(test, input=test.said, vars={}))

    evaluation = ModelEvaluation(
        request.prompt, source.subject, request.tested, request.control, request.sees_input, setup, answer, answer_spec
    )
    return await evaluation.run(generated)


@dataclass(slots=True)
class _ModelAsker:
    """Gets the answers to tests; `calls` end the work at their limit."""

    run: RunContext
    calls: BoundedCalls
    steps: StepProgress
    tested: Mapping[ModelRef, Params]
    effort: Effort = field(default_factory=Effort)

    def step(self) -> None:
        self.steps.step(self.run.tools.spent_usd())

    async def answer(self, arm: Arm, test: GeneratedTest) -> Reply | Failed:
        """The answer of an arm to a test."""
        reply = await self.calls.bound(self._asked(arm, test))
        self.step()
        return reply

    async def _asked(self, arm: Arm, test: GeneratedTest) -> Reply | Failed:
        """Counted when the answer arrives, even if nothing waits for it any more."""
        reply = await self.run.tools.target.answer(Question(SUITE, arm, case_of(test), 0, _EXAM))
        self.effort += effort_of(reply)
        return reply
