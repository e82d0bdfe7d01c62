"""Runs generated tests and control cases against several models: which model complies, and how good are the tests?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from gate.config.models import ModelRef
from gate.config.specification import GeneratedTest
from gate.errors import CannotEvaluate
from gate.record.transcript import Failed
from gate.testgen.cases.diversity import identity
from gate.testgen.cases.inputs import InputShape, MadeTests, WrittenInput, shape_of, validated_tests
from gate.testgen.effort import PER_REQUEST, EffortSettings, control_calls
from gate.testgen.evaluation.matrix import SpecAgreement, agreement
from gate.testgen.evaluation.metrics import OutcomeRow
from gate.testgen.evaluation.trials import Answering, Trial, evaluate_tests
from gate.testgen.generate import Generated
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import (
    Asker,
    Malformed,
    Question,
    list_schema,
    object_schema,
    read_objects,
    stage_messages,
    unused_fence,
)
from gate.values import JsonValue

TESTS_SHOWN = 40
"""Earlier inputs shown in a request, so that it does not repeat them."""
_SHOWN_CHARS = 400


async def write_control_cases(
    subject: PromptSubject, count: int, settings: EffortSettings, generator: Asker
) -> MadeTests:
    """So many different inputs, requested in sequence, since each request shows the earlier inputs.

    It asks at most twice as often as good replies take, and gives up after two failures.

    Args:
        subject: the prompt, which is all that the generator sees.
        count: as many as there are tests to compare them with.
        settings: turns and instructions; the rest of it is about rules.
        generator: the model that writes the tests for the rules, too.

    Returns:
        Control cases, and a note where there are fewer.
    """
    shape = shape_of(subject, None, settings)
    found: dict[object, GeneratedTest] = {}
    failures: list[str] = []
    for index in range(2 * control_calls(count)):
        missing = count - len(found)
        if not missing or len(failures) > 1:
            break
        wanted = min(PER_REQUEST, missing)
        view = _view(subject, shape, wanted, list(found.values()))
        question = _question(view, shape, settings.instructions.get("control", ""), index)
        # Later requests make up for what the first ones lack.
        least = wanted if index >= control_calls(count) else 0
        reply = await generator.ask(replace(question, lacks=partial(_lacking, least)))
        if isinstance(reply, Failed):
            failures.append(reply.reason)
            continue
        for filling in reply:
            test = shape.fill(GeneratedTest(f"control-{len(found) + 1}", "control"), filling)
            if len(found) < count:
                found.setdefault(identity(test), test)
    if len(found) == count:
        return MadeTests(tuple(found.values()))
    why = failures[-1] if failures else "the model repeats itself"
    return MadeTests(tuple(found.values()), (f"{len(found)} of {count} control cases ({why})",))


def _view(subject: PromptSubject, shape: InputShape, count: int, earlier: list[GeneratedTest]) -> dict[str, object]:
    taken = [test.said[:_SHOWN_CHARS] for test in earlier[-TESTS_SHOWN:]]
    return {
        "prompt": subject.text,
        "shape": shape,
        "count": count,
        "taken": taken,
        "fence": unused_fence(subject.text, *taken),
    }


def _lacking(least: int, fillings: list[WrittenInput]) -> int:
    return max(0, least - len(fillings))


def _question(view: Mapping[str, object], shape: InputShape, extra: str, index: int) -> Question[list[WrittenInput]]:
    return Question(
        "control",
        lambda problem: stage_messages("control", view, extra, problem),
        object_schema({"inputs": list_schema(object_schema(shape.schema()), least=1)}),
        lambda found: _read(shape, found),
        index,
    )


def _read(shape: InputShape, found: Mapping[str, JsonValue]) -> list[WrittenInput]:
    fillings: list[WrittenInput] = []
    problems = []
    for item in read_objects(found, "inputs"):
        try:
            fillings.append(shape.read(item))
        except Malformed as problem:
            problems.append(problem)
    if not fillings:
        raise problems[0] if problems else Malformed("inputs is empty")
    return fillings


@dataclass(frozen=True, slots=True)
class ModelEvaluation:
    """What is evaluated.

    Args:
        prompt: its name, for the tables.
        models: who answers.
        control: make as many control cases from the prompt alone, and compare.
        sees_input: the judge is shown the input of each test.
    """

    prompt: str
    subject: PromptSubject
    models: tuple[ModelRef, ...]
    control: bool
    sees_input: bool
    settings: EffortSettings

    @property
    def instructions(self) -> str:
        """What the user adds for the judge of outputs."""
        return self.settings.instructions.get("compliance", "")


@dataclass(frozen=True, slots=True)
class EvaluationModels:
    """The models of an evaluation.

    Args:
        generator: writes the control cases.
        judge: checks inputs against the input specification, and outputs against the prompt.
        answer: a model under the prompt.
        answer_spec: a model under the prompt that is made from the specification.
        tell: shows the user a line on what is being done.
    """

    generator: Asker
    judge: Asker
    answer: Answering
    answer_spec: Answering
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The result of an evaluation.

    Args:
        rows: one for each test and model.
        tests: that were run, with invalid ones and control cases.
        agreement: of the specification with the prompt; None without valid control cases.
        notes: what did not go as it should.
    """

    rows: tuple[OutcomeRow, ...]
    tests: tuple[GeneratedTest, ...]
    agreement: SpecAgreement | None
    notes: tuple[str, ...]


async def evaluate_models(job: ModelEvaluation, made: Generated, team: EvaluationModels) -> EvaluationResult:
    """Run all tests, also those with an invalid input, and judge each output.

    Raises:
        CannotEvaluate: nothing was answered, or nothing was judged.
    """
    own = (*made.tests, *(one.test for one in made.discarded if one.test.valid is False))
    control, notes = await _control(job, made, team, len(own)) if job.control else ((), ())
    tests = (*own, *control)
    team.tell(f"asking {len(job.models)} models for {len(tests) * len(job.models)} outputs, and judging them")
    trial = Trial(job.prompt, job.subject.text, tests, job.models, made.compiled, job.sees_input, job.instructions)
    rows = await evaluate_tests(trial, team.answer, team.judge)
    found, more = await _agreement(job, rows, tuple(one for one in control if one.valid), team)
    return EvaluationResult(rows, tests, found, (*notes, *more))


async def _control(
    job: ModelEvaluation, made: Generated, team: EvaluationModels, count: int
) -> tuple[tuple[GeneratedTest, ...], tuple[str, ...]]:
    team.tell(f"writing {count} control cases from the prompt alone")
    written = await write_control_cases(job.subject, count, job.settings, team.generator)
    if not job.settings.validate:
        return written.tests, written.notes
    checked = await validated_tests(made.specification.components, written.tests, job.settings, team.judge)
    return checked.tests, (*written.notes, *checked.notes)


async def _agreement(
    job: ModelEvaluation, rows: tuple[OutcomeRow, ...], valid: tuple[GeneratedTest, ...], team: EvaluationModels
) -> tuple[SpecAgreement | None, tuple[str, ...]]:
    if not valid:
        return None, ("The agreement of the specification was not measured: no control case is valid.",) * job.control
    team.tell(f"asking for {len(valid) * len(job.models)} outputs under the prompt that the specification makes")
    trial = Trial(job.prompt, job.subject.text, valid, job.models, (), job.sees_input, job.instructions)
    try:
        return agreement(rows, await evaluate_tests(trial, team.answer_spec, team.judge)), ()
    except CannotEvaluate as error:
        return None, (f"The agreement of the specification was not measured: {error.message}",)
