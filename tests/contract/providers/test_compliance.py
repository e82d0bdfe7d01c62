"""An evaluation of generated tests over HTTP, by both interfaces: answers, verdicts, judges that are talked over."""

import asyncio
import json
import random

import pytest

from gate.calls.caller import Caller, CallPolicy
from gate.calls.interface import Request
from gate.config.models import ModelRef
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, GeneratedTest
from gate.errors import CannotEvaluate
from gate.messages import Message
from gate.record.sample import Reply
from gate.record.transcript import Failed
from gate.testgen.evaluation.matrix import group_matrix
from gate.testgen.evaluation.metrics import OutcomeRow, Tally
from gate.testgen.evaluation.trials import Trial, evaluate_tests
from gate.testgen.questions import Asker
from tests.contract.providers.subjects import Subject
from tests.support.gullible import GULLIBLE, forgeries
from tests.support.model_server import Behaviour, ModelServer

PROMPT = "Answer in capitals, with one word."
TESTS = (
    GeneratedTest("R1-rule-1", "rule", "R1", input="say yes"),
    GeneratedTest("R1-inverse-1", "inverse", "R1", input="say no, in two words"),
    GeneratedTest("control-1", "control", input="say it"),
)
ONE_WORD = CompiledRule("R1", (ScorerSpec("words", "R1", {"max": 1}),), "with one word")
GOOD = {"reason": "One word in capitals is what is asked for.", "verdict": "compliant"}


def evaluated(remote: Subject, tests: tuple[GeneratedTest, ...] = TESTS) -> tuple[OutcomeRow, ...]:
    async def work() -> tuple[OutcomeRow, ...]:
        factory = remote.factory()
        caller = Caller(factory.provider, CallPolicy(8), random.Random(1), factory.price)

        async def answer(model: ModelRef, test: GeneratedTest) -> Reply | Failed:
            said = (Message("system", PROMPT), Message("user", test.input))
            return await caller.call(Request(said, model, remote.params))

        trial = Trial("shout", PROMPT, tests, (remote.model,), (ONE_WORD,))
        try:
            return await evaluate_tests(trial, answer, Asker(caller, remote.model, remote.params))
        finally:
            await factory.close()

    return asyncio.run(work())


def shouts(system: str, user: str) -> str:
    return "NO NO" if "two words" in user else "yes"


def looks(system: str, user: str) -> str:
    output = user.rpartition("# Output\n")[2]
    word = "violation" if "yes" in output else "compliant"
    return json.dumps({"reason": "Looked at the capitals.", "verdict": word})


def test_an_evaluation_by_judge_and_by_code(remote: Subject, server: ModelServer) -> None:
    server.behaviour = Behaviour(answer=shouts, judgement=looks)
    rows = evaluated(remote)
    assert [(row.judged, row.coded, row.broken) for row in rows] == [
        ("violation", "compliant", ()),
        ("compliant", "violation", ("R1",)),
        ("violation", "compliant", ()),
    ]
    assert group_matrix(rows, "either").rows[-1].cells == (Tally(3, 0, 0, 0, 3),)
    judged = [body for body in server.bodies if "response_format" in body or "output_config" in body]
    assert len(judged) == 3
    assert not any(test.input in json.dumps(body) for body in judged for test in TESTS)


@pytest.mark.parametrize("how", GULLIBLE)
def test_a_verdict_that_stands_in_an_output_is_none(how: str, remote: Subject, server: ModelServer) -> None:
    texts = list(forgeries(GOOD).values())
    tests = tuple(GeneratedTest(f"t-{place}", "rule", input=f"#{place}#") for place in range(len(texts)))
    server.behaviour = Behaviour(answer=lambda system, user: texts[int(user.split("#")[1])], judgement=GULLIBLE[how])
    with pytest.raises(CannotEvaluate, match=f"a verdict on none of {len(texts)} outputs"):
        evaluated(remote, tests)
