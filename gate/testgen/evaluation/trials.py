"""Runs generated tests against models; a judge and the compiled rules say whether each output complies."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

from gate.calls.interface import together
from gate.cases.case import Case, Round
from gate.config.models import ModelRef, Relation, relation
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, GeneratedTest
from gate.errors import CannotEvaluate, InputErrors
from gate.record.sample import Reply
from gate.record.transcript import Failed, Unscored
from gate.scoring.interface import Subject
from gate.scoring.pass_rule import mark_of_scorer, reaches
from gate.scoring.validators.registry import validate
from gate.scoring.verdict import ScoredReason, Verdict, echo_complaint, is_wordless
from gate.testgen.evaluation.metrics import OutcomeRow, OutputVerdict, worst_verdict
from gate.testgen.questions import (
    TEXT_SCHEMA,
    Asker,
    Malformed,
    Question,
    choice_schema,
    object_schema,
    read_text,
    stage_messages,
    unused_fence,
)
from gate.values import JsonValue, counted

Word: TypeAlias = Literal["compliant", "violation", "unknown"]

_WORDS: Mapping[str, Word] = {"compliant": "compliant", "violation": "violation", "unknown": "unknown"}
_SCHEMA = object_schema({"reason": dict(TEXT_SCHEMA), "verdict": choice_schema(*_WORDS)})
_KIN: Mapping[Relation, str] = {
    "the same model": "the very model that {did}",
    "the same model of another date": "{model} of another date, which {did}",
    "a weaker model of its family": "a weaker relative of {model}, which {did}",
}
_ADVICE = "Name a stronger judge, or one of another family."


@dataclass(frozen=True, slots=True)
class Compliance:
    """The verdict on one output.

    Args:
        verdict: unknown is unknown, and never a pass.
        reason: for the reader; the judge's words are untrusted.
    """

    verdict: Word
    reason: str


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """What code found about one rule.

    Args:
        rule: id.
        verdict: unknown where a validator could not be applied.
        reason: what was looked for.
    """

    rule: str
    verdict: Word
    reason: str


async def judge_compliance(
    asker: Asker, prompt: str, output: str, given: str | None = None, instructions: str = ""
) -> Compliance:
    """Ask a judge about one output; unknown where it gave no verdict, or one that it read in what it judged.

    The judge sees neither rules nor where the test came from, and without `given` no input either, as in
    arXiv:2503.05070, section 4.3.1: it is asked for compliance and not for correctness. Equal outputs make equal
    requests, so with a cache they cost one call and get one verdict.

    Args:
        prompt, output: untrusted.
        given: the input, for a judge that shall see it; untrusted.
        instructions: what the user adds.
    """
    mark = unused_fence(prompt, output, given or "")
    view = {"fence": mark, "prompt": prompt, "input": given, "output": output}
    judged = (output,) if given is None else (output, given)

    def read(found: Mapping[str, JsonValue]) -> Compliance:
        reason, word = read_text(found, "reason"), read_text(found, "verdict").lower()
        if word not in _WORDS:
            raise Malformed(f"verdict must be {', '.join(_WORDS)}")
        verdict = Verdict(0.0, reason, (ScoredReason(reason, 0.0, "verdict", word),))
        if is_wordless(verdict, (mark,)):
            raise Malformed("the reason holds no word of its own")
        echo = echo_complaint(verdict, judged, (prompt,))
        return Compliance(_WORDS[word], reason) if echo is None else Compliance("unknown", echo.reason)

    question = Question(
        "compliance", lambda problem: stage_messages("compliance", view, instructions, problem), _SCHEMA, read
    )
    found = await asker.ask(question)
    return Compliance("unknown", f"no verdict: {found.reason}") if isinstance(found, Failed) else found


def code_verdicts(compiled: Iterable[CompiledRule], case: Case, reply: Reply) -> tuple[CodeVerdict, ...]:
    """Check one output against each rule that code can check."""
    subject = Subject.of(case, reply)
    return tuple(_checked(rule, subject) for rule in compiled)


def judge_notes(judge: ModelRef, generator: ModelRef | None, answering: Sequence[ModelRef]) -> list[str]:
    """Warnings where the judge is the model that wrote the tests, or one that answers them, or a weaker relative.

    Args:
        generator: None where it is unknown, or a person wrote the tests.
    """
    told = []
    if generator is not None and (kin := relation(judge, generator)):
        who = _KIN[kin].format(model=generator, did="wrote the tests")
        told.append(f"The judge {judge} is {who}: it may overlook what it overlooked then. {_ADVICE}")
    for model in dict.fromkeys(answering):
        if kin := relation(judge, model):
            who = _KIN[kin].format(model=model, did="answers them")
            told.append(
                f"The judge {judge} is {who}: judges prefer answers of their own kind (self-preference). {_ADVICE}"
            )
    return told


def _checked(rule: CompiledRule, subject: Subject) -> CodeVerdict:
    unknown, reasons = "", list[str]()
    for spec in rule.scorers:
        score = _score(spec, subject)
        if isinstance(score, Unscored):
            unknown = unknown or score.reason
        elif not reaches(score[0], mark_of_scorer(spec)):
            return CodeVerdict(rule.rule, "violation", score[1])
        else:
            reasons.append(score[1])
    if unknown or not reasons:
        return CodeVerdict(rule.rule, "unknown", unknown or "nothing checks it")
    return CodeVerdict(rule.rule, "compliant", "; ".join(filter(None, reasons)))


def _score(spec: ScorerSpec, subject: Subject) -> tuple[float, str] | Unscored:
    """A validator's value and reason, or why there is none."""
    try:
        score = validate(spec, subject)
    except InputErrors as error:
        return Unscored(error.message)
    return score.value if isinstance(score.value, Unscored) else (score.value, score.reason)


def case_of(test: GeneratedTest) -> Case:
    """The case that fills in a test's input."""
    rounds = tuple(Round(said) for said in test.turns)
    slices = {"rule": test.rule, "kind": test.kind} if test.rule else {"kind": test.kind}
    return Case(
        id=test.id,
        input=test.input,
        expected=test.expected,
        slices=slices | ({"scenario": test.scenario} if test.scenario else {}),
        vars=test.vars,
        rounds=rounds,
    )


_OTHER = "mend what the reason names, or name another one with --{}"
Answering: TypeAlias = Callable[[ModelRef, GeneratedTest], Awaitable[Reply | Failed]]
"""Has a model answer a test."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be evaluated.

    Args:
        prompt: name of the prompt.
        text: of the prompt that outputs are judged by. For the agreement of a specification that is the original,
            whatever prompt the answers were made with.
        tests: of any kind.
        models: who answers them, each once.
        compiled: rules that code checks.
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
    if not trial.tests or not trial.models:
        raise CannotEvaluate(
            f"{trial.prompt}: {'no test was generated' if trial.models else 'no model is named'}",
            "an evaluation without tests and models shows nothing",
        )
    rows = tuple(
        await together(_row(trial, model, test, answer, judge) for model, test in product(trial.models, trial.tests))
    )
    outputs = [row for row in rows if row.judged != "no answer"]
    if not outputs:
        raise CannotEvaluate(
            f"{trial.prompt}: all {counted(len(rows), 'call')} gave no answer: {rows[0].reason}",
            _OTHER.format("models"),
        )
    if all(row.judged == "unknown" for row in outputs):
        what = counted(len(outputs), "output")
        raise CannotEvaluate(
            f"{trial.prompt}: the judge gave a verdict on none of {what}: {outputs[0].reason}",
            _OTHER.format("judge-model"),
        )
    return rows


async def _row(trial: Trial, model: ModelRef, test: GeneratedTest, answer: Answering, judge: Asker) -> OutcomeRow:
    reply = await answer(model, test)
    if isinstance(reply, Failed):
        coded: OutputVerdict | None = "no answer" if trial.compiled else None
        return OutcomeRow(trial.prompt, str(model), test.id, test.kind, test.rule, "no answer", coded, (), test.valid,
                   reply.reason)  # fmt: skip
    found = await judge_compliance(
        judge, trial.text, reply.text, test.said if trial.sees_input else None, trial.instructions
    )
    rules = code_verdicts(trial.compiled, case_of(test), reply)
    return OutcomeRow(
        trial.prompt, str(model), test.id, test.kind, test.rule, found.verdict,
        coded=worst_verdict(rule.verdict for rule in rules) if rules else None,
        broken=tuple(rule.rule for rule in rules if rule.verdict == "violation"),
        valid=test.valid,
        reason=found.reason,
    )  # fmt: skip
