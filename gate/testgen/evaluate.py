"""Runs generated tests against models, and has each output judged: rows for the figures."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from gate.calls.together import together
from gate.domain.absence import Failed
from gate.domain.model import ModelRef
from gate.domain.promptspec import CompiledRule, GeneratedTest
from gate.domain.sample import Reply
from gate.domain.words import counted
from gate.errors import CannotEvaluate
from gate.testgen.asking import Asker
from gate.testgen.casing import case_of
from gate.testgen.compliance import by_code, complies
from gate.testgen.outcomes import OutputVerdict, Row, worst

_OTHER = "mend what the reason names, or name another one with --{}"
Answering: TypeAlias = Callable[[ModelRef, GeneratedTest], Awaitable[Reply | Failed]]
"""Has a model answer a test."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be evaluated.

    Args:
        prompt: name of the prompt.
        text: of the prompt that outputs are held against. For the agreement of a specification that is the original,
            whatever the answers were made with.
        tests: of any kind.
        models: who answers them, each once.
        compiled: rules that code checks.
        sees_input: the judge is shown the input; without, it is asked as in the paper.
        instructions: what the user tells the judge besides.
    """

    prompt: str
    text: str
    tests: tuple[GeneratedTest, ...]
    models: tuple[ModelRef, ...]
    compiled: tuple[CompiledRule, ...] = ()
    sees_input: bool = False
    instructions: str = ""


async def evaluate(trial: Trial, answer: Answering, judge: Asker) -> tuple[Row, ...]:
    """One row for each test and model, tests of one model together, in the order of both.

    Args:
        trial: what to do.
        answer: asked once for each test and model.
        judge: asked about each answer.

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


async def _row(trial: Trial, model: ModelRef, test: GeneratedTest, answer: Answering, judge: Asker) -> Row:
    reply = await answer(model, test)
    if isinstance(reply, Failed):
        coded: OutputVerdict | None = "no answer" if trial.compiled else None
        return Row(trial.prompt, str(model), test.id, test.kind, test.rule, "no answer", coded, (), test.valid,
                   reply.reason)  # fmt: skip
    found = await complies(judge, trial.text, reply.text, test.said if trial.sees_input else None, trial.instructions)
    rules = by_code(trial.compiled, case_of(test), reply)
    return Row(
        trial.prompt, str(model), test.id, test.kind, test.rule, found.verdict,
        coded=worst(rule.verdict for rule in rules) if rules else None,
        broken=tuple(rule.rule for rule in rules if rule.verdict == "violation"),
        valid=test.valid,
        reason=found.reason,
    )  # fmt: skip
