"""The same recorded answers judged twice cost nothing the second time."""

import asyncio
import random
from pathlib import Path

from gate.calls.cache import AnswerStore
from gate.calls.caller import Caller, CallPolicy
from gate.calls.providers.factory import Factory
from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Score, Unscored
from gate.scoring.interface import Subject
from gate.scoring.judge import Judge
from tests.support.keys import service_keys
from tests.support.model_server import Behaviour, ModelServer

ANSWERS = [f"It is {number} euro." for number in range(3)] + ["It is 3 euro."]
MODEL = ModelRef("openai", "gpt-5")
JUDGE = ScorerSpec("judge", "j", {"criteria": "Names the price."})


def judged(server: ModelServer, path: Path, spec: ScorerSpec, sitting: str) -> list[Score]:
    async def work() -> list[Score]:
        keys = service_keys("sk-loopback-0123456789", None, f"{server.url}/v1")
        factory = Factory(keys, path, 8, lambda _: "")
        with AnswerStore(path / "answers.sqlite", factory.address, sitting) as memory:
            caller = Caller(factory.provider, CallPolicy(8), random.Random(1), factory.price, memory=memory)
            judge = Judge(spec, MODEL, Params(), caller)
            cases = [Case(f"c{place}", input="How much?", expected="3 euro") for place in range(len(ANSWERS))]
            pairs = zip(cases, ANSWERS, strict=True)
            try:
                return await asyncio.gather(*(judge.score(Subject(case, text), 0) for case, text in pairs))
            finally:
                await factory.close()

    return asyncio.run(work())


def test_a_second_look_is_free(tmp_path: Path) -> None:
    with ModelServer() as server:
        first = judged(server, tmp_path, JUDGE, "one")
        assert server.requests == len(ANSWERS)
        second = judged(server, tmp_path, JUDGE, "two")
        assert server.requests == len(ANSWERS)
    assert [score.value for score in second] == [score.value for score in first]
    assert {(score.calls, score.reused, score.cost) for score in second} == {(0, 1, None)}
    assert {(score.calls, score.reused) for score in first} == {(1, 0)}


def test_what_could_not_be_fixed_is_tried_once_more_in_another_run(tmp_path: Path) -> None:
    with ModelServer(Behaviour(judgement=lambda system, user: "7 of 5")) as server:
        first = judged(server, tmp_path, JUDGE, "one")
        asked = server.requests
        server.behaviour = Behaviour()
        second = judged(server, tmp_path, JUDGE, "two")
        assert server.requests == asked + len(ANSWERS)
    assert all(isinstance(score.value, Unscored) for score in first)
    assert {score.value for score in second} == {0.0, 1.0}
