"""The same recorded answers judged twice cost nothing the second time."""

import asyncio
import json
import random
from pathlib import Path

import pytest

from gate.calls.cache import AnswerStore
from gate.calls.caller import Caller, CallPolicy
from gate.calls.prices import PriceList
from gate.calls.providers.factory import Factory
from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.record.sample import Score
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.judge import Judge
from tests.support.keys import service_keys
from tests.support.model_server import Behaviour, ModelServer

ANSWERS = [f"It is {number} euro." for number in range(10)] + ["It is 3 euro."]
MODEL = ModelRef("openai", "gpt-5")
SPECS = {
    "judge": ScorerSpec("judge", "j", {"criteria": "Names the price."}),
    "rubric": ScorerSpec("rubric", "r", {"dimensions": [{"name": "tone", "description": "Kind.", "weight": 1.0}]}),
}


def judged(server: ModelServer, path: Path, spec: ScorerSpec, sitting: str) -> list[Score]:
    async def work() -> list[Score]:
        keys = service_keys("sk-loopback-0123456789", None, f"{server.url}/v1")
        factory = Factory(keys, path, 8, lambda _: "", PriceList(by_name=True))
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


@pytest.mark.parametrize("kind", SPECS)
def test_a_second_look_is_free(kind: str, tmp_path: Path) -> None:
    with ModelServer() as server:
        first = judged(server, tmp_path, SPECS[kind], "one")
        assert server.requests == len(ANSWERS)
        second = judged(server, tmp_path, SPECS[kind], "two")
        assert server.requests == len(ANSWERS)
    assert [score.value for score in second] == [score.value for score in first]
    assert {(score.calls, score.reused, score.cost) for score in second} == {(0, 1, None)}
    assert {(score.calls, score.reused) for score in first} == {(1, 0)}


def test_a_reply_that_had_to_be_mended_is_known_with_its_mending(tmp_path: Path) -> None:
    def judgement(system: str, user: str) -> str:
        return json.dumps({"reason": "Says so.", "score": 0.5}) if "# Your last reply" in user else "7 of 5"

    with ModelServer(Behaviour(judgement=judgement)) as server:
        first = judged(server, tmp_path, SPECS["judge"], "one")
        asked = server.requests
        second = judged(server, tmp_path, SPECS["judge"], "two")
        assert (asked, server.requests) == (2 * len(ANSWERS), asked)
    assert {score.value for score in (*first, *second)} == {0.5}
    assert {(score.calls, score.reused) for score in second} == {(0, 2)}


def test_what_could_not_be_mended_is_tried_once_more_in_another_run(tmp_path: Path) -> None:
    with ModelServer(Behaviour(judgement=lambda system, user: "7 of 5")) as server:
        first = judged(server, tmp_path, SPECS["judge"], "one")
        asked = server.requests
        server.behaviour = Behaviour()
        second = judged(server, tmp_path, SPECS["judge"], "two")
        assert server.requests == asked + len(ANSWERS)
    assert all(isinstance(score.value, Unscored) for score in first)
    assert {score.value for score in second} == {0.0, 1.0}
