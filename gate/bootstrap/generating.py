"""Carries a generation out: reads the prompt and what was written before, and has tests made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.bootstrap.memory import Remembering
from gate.bootstrap.plan import Plan
from gate.bootstrap.resolving import DiskSource, beside
from gate.bootstrap.running import Running, carry_out
from gate.domain.absence import Failed
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import PromptVersion
from gate.domain.promptspec import GeneratedTest, Specification
from gate.domain.suite import Arm, Budget, Exam, RunPolicy
from gate.domain.usage import Cost, Usage
from gate.errors import GateError
from gate.flows.files import read_prompt
from gate.flows.generate import Bounded, Generated, Job, Team, ended, make, until_stopped
from gate.flows.generate_files import NewFile
from gate.flows.ports import Progress, Steps
from gate.flows.resolved import Resolved
from gate.inputs import specfile
from gate.inputs.text import decode
from gate.providers.factory import Factory, Keys
from gate.providers.prices import PriceList
from gate.settings.services import Settings
from gate.store.new_files import write_all_new
from gate.store.own_folder import make_folder
from gate.store.run_folder import write_whole
from gate.targets.port import Question
from gate.testgen.asking import Asker
from gate.testgen.casing import case_of
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast, Member, Staffing, forecast
from gate.testgen.subject import subject_of

FOLDER = Path(".gate/generate")
"""What is for a reader's information, and no part of the exam."""
SUITE = "generate"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A generation to be carried out.

    Args:
        prompt: path of the prompt.
        spec: where its specification lies, if there is one already.
        generator, judge, reference: models; the reference gives expected outputs.
        params: of the generator's requests.
        settings: how much work goes into it.
        budget: limits.
        concurrency: calls in flight.
        remember: what may be known beforehand.
    """

    prompt: str
    spec: Path
    generator: ModelRef
    judge: ModelRef
    reference: ModelRef
    params: Params
    settings: EffortSettings
    budget: Budget
    concurrency: int
    remember: Remembering


@dataclass(frozen=True, slots=True)
class Telling:
    """Who tells the user.

    Args:
        steps: about each reply.
        progress: about each sample.
        say: what is being done, in a line.
    """

    steps: Steps
    progress: Progress
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Found:
    """What was read.

    Args:
        version: the prompt.
        job: what is to be generated from it.
    """

    version: PromptVersion
    job: Job


def read(wanted: Wanted) -> Found:
    """Read the prompt, and the specification that somebody may have edited.

    Args:
        wanted: where they are.

    Raises:
        InputErrors, GateError: mistakes in either.
    """
    source = DiskSource()
    version = read_prompt(source, wanted.prompt, beside)
    data = source.read(str(wanted.spec))
    given: Specification | None = None
    if data is not None:
        given = specfile.parse(decode(data, str(wanted.spec)), str(wanted.spec))
    return Found(version, Job(subject_of(version.prompt), wanted.settings, given))


def foresee(wanted: Wanted, found: Found, settings: Settings) -> GenerationForecast:
    """What it would take; sends nothing and needs no key.

    Args:
        wanted: models and settings.
        found: the prompt and its specification.
        settings: addresses, which decide on prices.
    """
    factory = _keyless(settings, wanted.concurrency)

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    staff = Staffing(
        (wanted.generator, wanted.params), _cool(wanted.judge, factory), (wanted.reference, wanted.params), price
    )
    return forecast(found.job.subject, found.job.settings, found.job.given, staff)


def carry(wanted: Wanted, found: Found, settings: Settings, telling: Telling) -> Generated:
    """Have the tests made.

    Args:
        wanted: models and limits.
        found: the prompt and its specification.
        settings: keys and addresses.
        telling: tells the user.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        CannotEvaluate: no rule was found, no test was made, or a limit was met; what was answered is kept.
        Interrupted: by Ctrl-C; what was answered is kept.
    """
    judge = _cool(wanted.judge, _keyless(settings, wanted.concurrency))
    members: tuple[Member, ...] = ((wanted.generator, wanted.params), judge)
    if wanted.settings.expected:
        members = (*members, (wanted.reference, wanted.params))
    foreseen = foresee(wanted, found, settings).calls

    async def work(run: Running) -> Generated:
        telling.steps.start(foreseen)
        try:
            return await until_stopped(make(found.job, _team(wanted, found, judge, run, telling)), run.stop)
        finally:
            telling.steps.finish()

    resolved = replace(_nothing(wanted.budget), models=tuple(dict.fromkeys(members)))
    plan = Plan(resolved, wanted.concurrency, 0, FOLDER, telling.progress, remember=wanted.remember, say=telling.say)
    return carry_out(plan, settings, work)


def _team(wanted: Wanted, found: Found, judge: Member, run: Running, telling: Telling) -> Team:
    calls = Bounded(run.tools.calls, run.tools.exhausted)

    def step() -> None:
        telling.steps.step(run.tools.spent_usd())

    arm = Arm(found.version, wanted.reference, wanted.params)
    exam = Exam(ref="", digest="", cases=(), scorers=())

    async def answer(test: GeneratedTest) -> str | Failed:
        reply = await run.tools.target.answer(Question(SUITE, arm, case_of(test), 0, exam))
        step()
        if isinstance(reply, Failed):
            ended(run.tools.exhausted())
            return reply
        return reply.text

    generator = Asker(calls, wanted.generator, wanted.params, step)
    return Team(generator, Asker(calls, *judge, step), answer, telling.say)


def _nothing(budget: Budget) -> Resolved:
    return Resolved((), {}, (), (), RunPolicy(), budget, None)


def _keyless(settings: Settings, concurrency: int) -> Factory:
    """Knows prices and interfaces, and can ask nobody."""
    keys = Keys(openai_base_url=settings.openai_base_url, anthropic_base_url=settings.anthropic_base_url)
    return Factory(keys, settings.cache_dir, concurrency, _no_text, PriceList(by_name=settings.price_by_name))


def _no_text(path: str) -> str:
    raise GateError(f"cannot read {path}", "recorded answers generate nothing")


def _cool(model: ModelRef, factory: Factory) -> Member:
    """At temperature 0 where the interface takes one."""
    cool = Params(temperature=0.0)
    return model, cool if factory.takes(model, cool) else Params()


def keep(files: Sequence[NewFile]) -> None:
    """Write files that are not there yet.

    Raises:
        GateError: one of them cannot be written, so that none is.
    """
    write_all_new({file.path: file.text for file in files})


def keep_for_reading(texts: Mapping[str, str]) -> None:
    """Write what is for a reader's information into `FOLDER`; what an earlier generation left there goes."""
    make_folder(FOLDER)
    for name, text in texts.items():
        write_whole(FOLDER / name, text)
