"""The shipped fake models."""

import asyncio
import json

import pytest

from gate.calls.interface import Completion, Request
from gate.calls.providers.fake import FakeProvider, oracle_answer, true_quality
from gate.config.models import ModelRef, Params
from gate.messages import Message

PROMPT = "Be helpful. quality=0.9 quality[enterprise]=0.45"


def ask(name: str, user: str, system: str = "", index: int = 0) -> Completion:
    messages = (Message("system", system), Message("user", user))
    return asyncio.run(FakeProvider(name).complete(Request(messages, ModelRef("fake", name), Params(), index)))


@pytest.mark.parametrize(
    ("system", "user", "quality"),
    [
        (PROMPT, "answer=a slice=enterprise", 0.45),
        (PROMPT, "answer=a slice=free", 0.9),
        (PROMPT, "answer=a", 0.9),
        ("no word of it", "answer=a", 1.0),
        ("quality[a]=0", "answer=a slice=a", 0.0),
    ],
)
def test_the_stated_quality(system: str, user: str, quality: float) -> None:
    assert true_quality(system, user) == quality


def test_the_oracle_is_right_as_often_as_stated() -> None:
    def right(where: str) -> int:
        return sum(oracle_answer(PROMPT, f"answer=w{i} slice={where}", 0) == f"w{i}" for i in range(2000))

    assert abs(right("free") / 2000 - 0.9) < 0.03
    assert abs(right("enterprise") / 2000 - 0.45) < 0.05


def test_the_oracle_repeats_itself_and_samples_differ() -> None:
    texts = [[ask("oracle", "answer=x slice=enterprise", PROMPT, i).text for i in range(20)] for _ in range(2)]
    assert texts[0] == texts[1]
    assert set(texts[0]) == {"x", "wrong"}


def test_the_judge_answers_with_reason_and_score() -> None:
    user = "# Question\nq\n\n# Reference answer\nParis\n\n# Answer\n<<<ab12\n{}\nab12>>>"
    assert json.loads(ask("judge", user.format("It is Paris.")).text)["score"] == 1.0
    assert json.loads(ask("judge", user.format("It is Rome.")).text)["score"] == 0.0
