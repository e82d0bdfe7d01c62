"""Generated tests against models: who complies with the prompt, and what are the tests worth?"""

from collections.abc import Callable
from dataclasses import dataclass

from gate.domain.model import ModelRef
from gate.domain.promptspec import GeneratedTest
from gate.errors import CannotEvaluate
from gate.flows.generate import Generated
from gate.testgen.agreement_of_specs import SpecAgreement, agreement
from gate.testgen.asking import Asker
from gate.testgen.control import control_cases
from gate.testgen.effort import EffortSettings
from gate.testgen.evaluate import Answering, Trial, evaluate
from gate.testgen.outcomes import Row
from gate.testgen.subject import PromptSubject
from gate.testgen.validity import validated


@dataclass(frozen=True, slots=True)
class Comparing:
    """What is evaluated.

    Args:
        prompt: its name, for the tables.
        subject: the prompt.
        models: who answers.
        control: make as many control cases from the prompt alone, and compare.
        sees_input: the judge is shown the input of each test.
        settings: of the generation.
    """

    prompt: str
    subject: PromptSubject
    models: tuple[ModelRef, ...]
    control: bool
    sees_input: bool
    settings: EffortSettings

    @property
    def instructions(self) -> str:
        """What the user tells the judge of outputs besides."""
        return self.settings.instructions.get("compliance", "")


@dataclass(frozen=True, slots=True)
class Examiners:
    """Who works on it.

    Args:
        generator: writes the control cases.
        judge: holds inputs against the input specification, and outputs against the prompt.
        answer: a model under the prompt.
        answer_spec: a model under the prompt that the specification makes.
        tell: tells the user what is being done.
    """

    generator: Asker
    judge: Asker
    answer: Answering
    answer_spec: Answering
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came out.

    Args:
        rows: one for each test and model.
        tests: that were run, invalid ones and control cases among them.
        agreement: of the specification with the prompt; None without control cases that are valid.
        notes: what did not go as it should.
    """

    rows: tuple[Row, ...]
    tests: tuple[GeneratedTest, ...]
    agreement: SpecAgreement | None
    notes: tuple[str, ...]


async def evaluate_models(job: Comparing, made: Generated, team: Examiners) -> Evaluated:
    """Run the tests, those with an invalid input among them, and judge each output.

    Args:
        job: what is evaluated.
        made: the specification and the tests.
        team: who does it.

    Raises:
        CannotEvaluate: nothing was answered, or nothing was judged.
    """
    own = (*made.tests, *(one.test for one in made.discarded if one.test.valid is False))
    control, notes = await _control(job, made, team, len(own)) if job.control else ((), ())
    tests = (*own, *control)
    team.tell(f"asking {len(job.models)} models for {len(tests) * len(job.models)} outputs, and judging them")
    trial = Trial(job.prompt, job.subject.text, tests, job.models, made.compiled, job.sees_input, job.instructions)
    rows = await evaluate(trial, team.answer, team.judge)
    found, more = await _agreement(job, rows, tuple(one for one in control if one.valid), team)
    return Evaluated(rows, tests, found, (*notes, *more))


async def _control(
    job: Comparing, made: Generated, team: Examiners, count: int
) -> tuple[tuple[GeneratedTest, ...], tuple[str, ...]]:
    team.tell(f"writing {count} control cases from the prompt alone")
    written = await control_cases(job.subject, count, job.settings, team.generator)
    if not job.settings.validate:
        return written.tests, written.notes
    checked = await validated(made.specification.components, written.tests, job.settings, team.judge)
    return checked.tests, (*written.notes, *checked.notes)


async def _agreement(
    job: Comparing, rows: tuple[Row, ...], valid: tuple[GeneratedTest, ...], team: Examiners
) -> tuple[SpecAgreement | None, tuple[str, ...]]:
    if not valid:
        return None, ("The agreement of the specification was not measured: no control case is valid.",) * job.control
    team.tell(f"asking for {len(valid) * len(job.models)} outputs under the prompt that the specification makes")
    trial = Trial(job.prompt, job.subject.text, valid, job.models, (), job.sees_input, job.instructions)
    try:
        return agreement(rows, await evaluate(trial, team.answer_spec, team.judge)), ()
    except CannotEvaluate as error:
        return None, (f"The agreement of the specification was not measured: {error.message}",)
