"""An evaluation makes one row of each test and model, and none that was not earned."""

import asyncio
import json

import pytest

from gate.calls.interface import Request, WorthKeeping, any_reply
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, GeneratedTest
from gate.errors import CannotEvaluate
from gate.record.transcript import Failed, Reply
from gate.testgen.evaluation.metrics import OutcomeRow
from gate.testgen.evaluation.trials import Trial, evaluate_tests
from gate.testgen.questions import Asker
from tests.support.fakes import reply

BIG, SMALL = ModelRef("openai", "big"), ModelRef("openai", "small")
TESTS = (
    GeneratedTest("R1-rule-1", "rule", "R1", input="a cat", valid=True),
    GeneratedTest("control-1", "control", input="a dog", valid=False),
)
SHORT = CompiledRule("R1", (ScorerSpec("words", "R1", {"max": 2}),), "at most two words")


class Judge:
    """Finds a violation in every output that says so, and says nothing where it is told to."""

    def __init__(self, verdict: str = "") -> None:
        self.verdict = verdict
        self.requests: list[Request] = []

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        self.requests.append(request)
        if self.verdict == "fails":
            return Failed("the judge is down")
        output = request.messages[1].content.rpartition("# Output\n")[2]
        word = self.verdict or ("violation" if "bad" in output else "compliant")
        return reply(json.dumps({"reason": "Looked at the words.", "verdict": word}))


async def answers(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
    return reply(f"{'bad' if model == SMALL else 'good'} {test.input}")


async def fails(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
    return Failed("the server is down")


def run(trial: Trial, answer: object = answers, judge: Judge | None = None) -> tuple[OutcomeRow, ...]:
    asker = Asker(judge or Judge(), ModelRef("openai", "judge"), Params())
    return asyncio.run(evaluate_tests(trial, answer, asker))


def test_every_test_and_model_has_a_row() -> None:
    found = run(Trial("tag", "Tag it.", TESTS, (BIG, SMALL)))
    assert [(row.model, row.test, row.kind, row.rule, row.judged, row.valid) for row in found] == [
        ("openai:big", "R1-rule-1", "rule", "R1", "compliant", True),
        ("openai:big", "control-1", "control", "", "compliant", False),
        ("openai:small", "R1-rule-1", "rule", "R1", "violation", True),
        ("openai:small", "control-1", "control", "", "violation", False),
    ]
    assert {row.coded for row in found} == {None}


def test_rules_that_code_checks_stand_beside_the_judge() -> None:
    async def short(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
        return reply("one two" if test.kind == "control" else "one two three")

    first, second = run(Trial("tag", "Tag it.", TESTS, (BIG,), (SHORT,)), short)
    assert (first.judged, first.coded, first.broken) == ("compliant", "violation", ("R1",))
    assert (second.judged, second.coded, second.broken) == ("compliant", "compliant", ())


def test_no_answer_is_a_row_and_no_verdict() -> None:
    async def one_fails(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
        return await (fails if test.kind == "control" else answers)(model, test)

    judge = Judge()
    found = run(Trial("tag", "Tag it.", TESTS, (BIG,), (SHORT,)), one_fails, judge)
    assert (found[1].judged, found[1].coded, found[1].reason) == ("no answer", "no answer", "the server is down")
    assert len(judge.requests) == 1


def test_an_evaluation_without_any_output_is_none() -> None:
    with pytest.raises(CannotEvaluate, match="all 4 calls failed: the server is down"):
        run(Trial("tag", "Tag it.", TESTS, (BIG, SMALL)), fails)


@pytest.mark.parametrize("verdict", ["unknown", "fails"])
def test_an_evaluation_without_any_verdict_is_none(verdict: str) -> None:
    with pytest.raises(CannotEvaluate, match="no verdict on any of 2 outputs"):
        run(Trial("tag", "Tag it.", TESTS, (BIG,), (SHORT,)), judge=Judge(verdict))
