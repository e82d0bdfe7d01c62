"""Runs generated tests and control cases on models; a judge and the compiled rules check the outputs."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, TypeAlias

from gate.calls.interface import together
from gate.cases.case import Case, Round
from gate.config.models import ModelRef, Relation, relation
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, GeneratedTest
from gate.errors import CannotEvaluate, InputErrors
from gate.record.transcript import Failed, Reply, Unscored
from gate.scoring.interface import Subject, mark_of_scorer, meets_threshold
from gate.scoring.panel import validate
from gate.scoring.verdict import ScoredReason, Verdict, echo_complaint, is_wordless
from gate.testgen.cases.diversity import identity
from gate.testgen.cases.inputs import MadeTests, WrittenInput, shape_of, validated_tests
from gate.testgen.effort import PER_REQUEST, EffortSettings, control_calls
from gate.testgen.evaluation.matrix import SpecAgreement, agreement
from gate.testgen.evaluation.metrics import OutcomeRow, OutputVerdict, worst_verdict
from gate.testgen.generate import GeneratedTests
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import (
    TEXT_SCHEMA,
    Asker,
    GenerationSetup,
    MalformedAnswer,
    Question,
    choice_schema,
    list_schema,
    object_schema,
    read_each,
    read_text,
    unused_fence,
)
from gate.values import JsonValue, counted

Word: TypeAlias = Literal["compliant", "violation", "unknown"]

_WORDS: Mapping[str, Word] = {"compliant": "compliant", "violation": "violation", "unknown": "unknown"}
_KIN: Mapping[Relation, str] = {
    "the same model": "the model that {did}",
    "the same model of another date": "{model} of another date, which {did}",
    "a weaker model of its family": "a weaker model of the same family as {model}, which {did}",
}
_ADVICE = "Use a stronger judge, or one of another family."
_OTHER = "fix the cause, or use another model with --{}"


@dataclass(frozen=True, slots=True)
class Compliance:
    """The verdict on one output; unknown is never a pass. The reason has the judge's words, which are untrusted."""

    verdict: Word
    reason: str


async def judge_compliance(
    asker: Asker, prompt: str, output: str, given: str | None = None, instructions: str = ""
) -> Compliance:
    """Judge one output; unknown if there is no verdict, or if the judge copied it from the output.

    The judge sees neither rules nor where the test came from, and without `given` no input either, as in
    arXiv:2503.05070, section 4.3.1: it is asked for compliance and not for correctness. Equal outputs make equal
    requests, so with a cache they cost one call and get one verdict.

    Args:
        given: the input, for a judge that shall see it; untrusted, as are prompt and output.
    """
    mark = unused_fence(prompt, output, given or "")
    view = {"fence": mark, "prompt": prompt, "input": given, "output": output}
    judged = (output,) if given is None else (output, given)

    def read(found: Mapping[str, JsonValue]) -> Compliance:
        reason, word = read_text(found, "reason"), read_text(found, "verdict").lower()
        if word not in _WORDS:
            raise MalformedAnswer(f"verdict must be {', '.join(_WORDS)}")
        verdict = Verdict(0.0, reason, (ScoredReason(reason, 0.0, "verdict", word),))
        if is_wordless(verdict, (mark,)):
            raise MalformedAnswer("the reason holds no word of its own")
        echo = echo_complaint(verdict, judged, (prompt,))
        return Compliance(_WORDS[word], reason) if echo is None else Compliance("unknown", echo.reason)

    schema = object_schema({"reason": TEXT_SCHEMA, "verdict": choice_schema(*_WORDS)})
    found = await asker.ask(Question("compliance", view, schema, read, instructions))
    return Compliance("unknown", f"no verdict: {found.reason}") if isinstance(found, Failed) else found


def code_verdicts(compiled: Iterable[CompiledRule], case: Case, reply: Reply) -> dict[str, Word]:
    """Check one output against each rule that code can check; unknown where a validator cannot be applied."""
    subject = Subject.of(case, reply)
    return {rule.rule: _checked(rule, subject) for rule in compiled}


def _checked(rule: CompiledRule, subject: Subject) -> Word:
    kept = [_keeps(spec, subject) for spec in rule.scorers]
    if False in kept:
        return "violation"
    return "unknown" if None in kept or not kept else "compliant"


def _keeps(spec: ScorerSpec, subject: Subject) -> bool | None:
    try:
        value = validate(spec, subject).value
    except InputErrors:
        return None
    return None if isinstance(value, Unscored) else meets_threshold(value, mark_of_scorer(spec))


def judge_notes(judge: ModelRef, generator: ModelRef | None, answering: Sequence[ModelRef]) -> list[str]:
    """Warnings where the judge is the model that wrote the tests, or one that answers them, or a weaker relative.

    Args:
        generator: None where it is unknown, or a person wrote the tests.
    """
    told = []
    if generator is not None and (kin := relation(judge, generator)):
        who = _KIN[kin].format(model=generator, did="wrote the tests")
        told.append(f"The judge {judge} is {who}: it may miss the same problems again. {_ADVICE}")
    for model in dict.fromkeys(answering):
        if kin := relation(judge, model):
            who = _KIN[kin].format(model=model, did="answers the tests")
            told.append(
                f"The judge {judge} is {who}: judges prefer the answers of similar models (self-preference). {_ADVICE}"
            )
    return told


def case_of(test: GeneratedTest) -> Case:
    """The case that fills in a test's input."""
    named = {"rule": test.rule, "kind": test.kind, "scenario": test.scenario or ""}
    return Case(
        id=test.id,
        input=test.input,
        expected=test.expected,
        slices={name: value for name, value in named.items() if value},
        vars=test.vars,
        rounds=tuple(Round(said) for said in test.turns),
    )


Answering: TypeAlias = Callable[[ModelRef, GeneratedTest], Awaitable[Reply | Failed]]
"""Has a model answer a test."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be evaluated.

    Args:
        prompt: its name.
        text: of the prompt that outputs are judged by. For the agreement of a specification that is the original,
            whatever prompt the answers were made with.
        sees_input: the judge is shown the input; without, it is asked as in the paper.
        instructions: what the user adds for the judge.
    """

    prompt: str
    text: str
    tests: tuple[GeneratedTest, ...]
    models: tuple[ModelRef, ...]
    compiled: tuple[CompiledRule, ...] = ()
    sees_input: bool = False
    instructions: str = ""


async def evaluate_tests(trial: Trial, answer: Answering, judge: Asker) -> tuple[OutcomeRow, ...]:
    """One row for each test and model, tests of one model together, in the order of both.

    Raises:
        CannotEvaluate: there is nothing to run, no model answered any test, or the judge gave no verdict at all.
    """
    rows = tuple(
        await together(_row(trial, model, test, answer, judge) for model, test in product(trial.models, trial.tests))
    )
    if not rows:
        raise CannotEvaluate(f"{trial.prompt}: no test was generated", "create tests first")
    outputs = [row for row in rows if row.judged != "no answer"]
    if not outputs:
        raise CannotEvaluate(
            f"{trial.prompt}: all {counted(len(rows), 'call')} failed: {rows[0].reason}",
            _OTHER.format("models"),
        )
    if all(row.judged == "unknown" for row in outputs):
        what = counted(len(outputs), "output")
        raise CannotEvaluate(
            f"{trial.prompt}: the judge gave no verdict on any of {what}: {outputs[0].reason}",
            _OTHER.format("judge-model"),
        )
    return rows


async def _row(trial: Trial, model: ModelRef, test: GeneratedTest, answer: Answering, judge: Asker) -> OutcomeRow:
    reply = await answer(model, test)
    if isinstance(reply, Failed):
        coded: OutputVerdict | None = "no answer" if trial.compiled else None
        return OutcomeRow(
            trial.prompt, str(model), test.id, test.kind, test.rule, "no answer", coded, (), test.valid, reply.reason
        )
    shown = test.said if trial.sees_input else None
    found = await judge_compliance(judge, trial.text, reply.text, shown, trial.instructions)
    rules = code_verdicts(trial.compiled, case_of(test), reply)
    return OutcomeRow(
        trial.prompt,
        str(model),
        test.id,
        test.kind,
        test.rule,
        found.verdict,
        coded=worst_verdict(rules.values()) if rules else None,
        broken=tuple(rule for rule, verdict in rules.items() if verdict == "violation"),
        valid=test.valid,
        reason=found.reason,
    )


TESTS_SHOWN = 40
"""Earlier inputs shown in a request, so that it does not repeat them."""
_SHOWN_CHARS = 400


async def write_control_cases(
    subject: PromptSubject, count: int, settings: EffortSettings, generator: Asker
) -> MadeTests:
    """So many different inputs from the prompt alone, requested in sequence, since each request shows the earlier ones.

    It asks at most twice as often as good replies take, and gives up after two failures.

    Returns:
        Control cases, and a note where there are fewer.
    """
    shape = shape_of(subject, None, settings)
    found: dict[object, GeneratedTest] = {}
    failures: list[str] = []

    def question(wanted: int, least: int, index: int) -> Question[list[WrittenInput]]:
        taken = [test.said[:_SHOWN_CHARS] for test in list(found.values())[-TESTS_SHOWN:]]
        fence = unused_fence(subject.text, *taken)
        view = {"prompt": subject.text, "shape": shape, "count": wanted, "taken": taken, "fence": fence}
        return Question(
            "control",
            view,
            object_schema({"inputs": list_schema(object_schema(shape.schema()), least=1)}),
            lambda reply: read_each(reply, "inputs", shape.read),
            settings.instructions.get("control", ""),
            index,
            lambda fillings: max(0, least - len(fillings)),
        )

    for index in range(2 * control_calls(count)):
        missing = count - len(found)
        if not missing or len(failures) > 1:
            break
        wanted = min(PER_REQUEST, missing)
        # Later requests make up for what the first ones lack.
        reply = await generator.ask(question(wanted, wanted if index >= control_calls(count) else 0, index))
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


@dataclass(frozen=True, slots=True)
class ModelEvaluation:
    """Evaluates models on the tests, and the tests themselves.

    Args:
        prompt: its name, for the tables.
        control: make as many control cases from the prompt alone, and compare.
        sees_input: the judge is shown the input of each test.
        answer: a model under the prompt.
        answer_spec: a model under the prompt that is made from the specification.
    """

    prompt: str
    subject: PromptSubject
    models: tuple[ModelRef, ...]
    control: bool
    sees_input: bool
    setup: GenerationSetup
    answer: Answering
    answer_spec: Answering

    async def run(self, made: GeneratedTests) -> EvaluationResult:
        """Run all tests, also those with an invalid input, and judge each output.

        Raises:
            CannotEvaluate: no output, or no verdict.
        """
        own = (*made.tests, *(one.test for one in made.discarded if one.test.valid is False))
        control = await self._control(made, len(own)) if self.control else MadeTests(())
        tests = (*own, *control.tests)
        asked = len(tests) * len(self.models)
        self.setup.tell(f"getting {asked} outputs from {len(self.models)} models, and judging them")
        told = self.setup.instructions("compliance")
        trial = Trial(self.prompt, self.subject.text, tests, self.models, made.compiled, self.sees_input, told)
        rows = await evaluate_tests(trial, self.answer, self.setup.judge)
        found, notes = await self._agreement(trial, rows, tuple(one for one in control.tests if one.valid))
        return EvaluationResult(rows, tests, found, (*control.notes, *notes))

    async def _control(self, made: GeneratedTests, count: int) -> MadeTests:
        self.setup.tell(f"writing {count} control cases from the prompt alone")
        written = await write_control_cases(self.subject, count, self.setup.settings, self.setup.generator)
        settings = self.setup.settings
        if not settings.validate:
            return written
        checked = await validated_tests(made.specification.components, written.tests, settings, self.setup.judge)
        return MadeTests(checked.tests, (*written.notes, *checked.notes))

    async def _agreement(
        self, trial: Trial, rows: tuple[OutcomeRow, ...], valid: tuple[GeneratedTest, ...]
    ) -> tuple[SpecAgreement | None, tuple[str, ...]]:
        unmeasured = "The agreement of the specification was not measured"
        if not valid:
            return None, (f"{unmeasured}: no control case is valid.",) * self.control
        asked = len(valid) * len(self.models)
        self.setup.tell(f"getting {asked} outputs with the prompt made from the specification")
        again = replace(trial, tests=valid, compiled=())
        try:
            return agreement(rows, await evaluate_tests(again, self.answer_spec, self.setup.judge)), ()
        except CannotEvaluate as error:
            return None, (f"{unmeasured}: {error.message}",)
