"""Carries a generation out: has tests made, and run against models where that is wanted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gate.bootstrap.ask_models import Telling, Work, ask_models, keyless
from gate.bootstrap.foreseeing import Evaluation, Found, Wanted, answering, foresee, judging, referring
from gate.bootstrap.patience import Patience
from gate.bootstrap.running import Running
from gate.config.policy import Budget
from gate.domain.absence import Failed
from gate.domain.message import Message
from gate.domain.model import ModelRef, Params
from gate.domain.prompt import Prompt, PromptVersion
from gate.domain.promptspec import GeneratedTest, Specification
from gate.domain.sample import Reply, effort_of
from gate.domain.suite import Arm, Exam
from gate.domain.usage import Effort
from gate.flows.generate import Bounded, Generated, Job, Team, make
from gate.flows.generate_evaluate import Comparing, Evaluated, Examiners, evaluate_models
from gate.flows.ports import Steps
from gate.settings.services import Settings
from gate.targets.port import Question
from gate.testgen.agreement_of_specs import spec_prompt
from gate.testgen.asking import Asker
from gate.testgen.casing import case_of
from gate.testgen.forecast import GenerationForecast, Member

SUITE = "generate"
_EXAM = Exam(ref="", digest="", cases=(), scorers=())


@dataclass(frozen=True, slots=True)
class Done:
    """What came out.

    Args:
        made: the specification and the tests, or why there are none.
        effort: of all of it.
        evaluated: what models made of the tests; None where nobody was evaluated.
    """

    made: Generated
    effort: Effort
    evaluated: Evaluated | None = None


def carry(wanted: Wanted, found: Found, settings: Settings, telling: Telling, keep: Callable[[Done], None]) -> Done:
    """Have the tests made, and run where that is wanted.

    Args:
        wanted: models and limits.
        found: the prompt and its specification.
        settings: keys and addresses.
        telling: tells the user.
        keep: is given what was made before any of it is run, so that it is there whatever comes of that. Where no test
            was made, it is given the specification all the same.

    Raises:
        MissingKey, Misconfigured, GateError: before anything is spent.
        CannotEvaluate: no rule was found, no test was made, or a limit was met; what was answered is kept.
        Interrupted: by Ctrl-C; what was answered is kept.
    """
    factory = keyless(settings, wanted.terms)
    told = foresee(wanted, found, settings).calls
    unlimited = wanted.terms.budget == Budget() and (found.given is None or not found.given.rules)

    def still(specification: Specification) -> GenerationForecast:
        return foresee(wanted, replace(found, given=specification), settings).rest

    job = Job(found.subject, wanted.settings, still, found.given, told if unlimited else None)
    patience = Patience(telling.steps, telling.say)
    telling = replace(telling, steps=patience)
    staff = _Staff(wanted, found, job, judging(wanted, factory), answering(wanted, factory), telling, keep)

    async def work(run: Running) -> Done:
        return await patience.during(staff.work(run))

    return ask_models(staff.members, wanted.terms, settings, telling, Work(told, work))


@dataclass(frozen=True, slots=True)
class _Staff:
    """Everybody who works on a generation.

    Args:
        wanted, found: models and limits; the prompt.
        job: what is made.
        judge: with parameters.
        tested: parameters of each model under test.
        telling: tells the user.
        keep: is given what was made.
    """

    wanted: Wanted
    found: Found
    job: Job
    judge: Member
    tested: Mapping[ModelRef, Params]
    telling: Telling
    keep: Callable[[Done], None]

    @property
    def members(self) -> tuple[Member, ...]:
        """Who is asked, each once."""
        reference = (referring(self.wanted),) * self.wanted.settings.expected
        return tuple(dict.fromkeys((self.wanted.member, self.judge, *reference, *self.tested.items())))

    async def work(self, run: Running) -> Done:
        """Generate, then evaluate."""
        calls = Bounded(run.tools.calls, run.tools.exhausted)
        desk = _Desk(run, calls, self.telling.steps)
        generator = Asker(calls, *self.wanted.member, desk.step)
        judge = Asker(calls, *self.judge, desk.step)
        arm = Arm(self.found.version, *referring(self.wanted))

        async def expected(test: GeneratedTest) -> str | Failed:
            reply = await desk.answer(arm, test)
            return reply if isinstance(reply, Failed) else reply.text

        made = await make(self.job, Team(generator, judge, expected, self.telling.say))
        done = Done(made, generator.effort + judge.effort + desk.effort)
        self.keep(done)
        if made.failure is not None:
            raise made.failure
        if self.wanted.evaluation is None:
            return done
        evaluated = await self._evaluate(made, self.wanted.evaluation, (generator, judge), desk)
        return Done(made, generator.effort + judge.effort + desk.effort, evaluated)

    async def _evaluate(
        self, made: Generated, wanted: Evaluation, askers: tuple[Asker, Asker], desk: "_Desk"
    ) -> Evaluated:
        spec = _from_spec(self.found.version, made.specification)

        async def answer(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            return await desk.answer(Arm(self.found.version, model, self.tested[model]), test)

        async def answer_spec(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            # A specification has no variables: all that is put in is one message.
            told = replace(test, input=test.said, vars={})
            return await desk.answer(Arm(spec, model, self.tested[model]), told)

        job = Comparing(
            self.wanted.prompt, self.found.subject, wanted.models, wanted.control, wanted.sees_input,
            self.wanted.settings,
        )  # fmt: skip
        return await evaluate_models(job, made, Examiners(*askers, answer, answer_spec, self.telling.say))


@dataclass(slots=True)
class _Desk:
    """Where answers are asked for.

    Args:
        run: what answers.
        calls: end the work when there may be no more of them.
        steps: told after each answer.
        effort: of all answers so far.
    """

    run: Running
    calls: Bounded
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
        """Counted as soon as it is there, even if nobody waits for it any more."""
        reply = await self.run.tools.target.answer(Question(SUITE, arm, case_of(test), 0, _EXAM))
        self.effort += effort_of(reply)
        return reply


def _from_spec(version: PromptVersion, specification: Specification) -> PromptVersion:
    """The prompt that a specification makes."""
    return replace(version, prompt=Prompt((Message("system", spec_prompt(specification)),)))
