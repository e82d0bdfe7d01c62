"""What a call may cost."""

import random

import pytest

from gate.calls.budget import OUTPUT_TOKENS, Estimator, input_tokens
from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.record.transcript import Cost, Dollars, Usage

MODEL = ModelRef("openai", "m")


def price(model: ModelRef, params: Params, model_id: str, usage: Usage) -> Cost:
    return Dollars(usage.total_input + 1000.0 * usage.output_tokens)


def request(text: str = "x" * 400, most: int | None = None) -> Request:
    return Request((Message("user", text),), MODEL, Params(max_output_tokens=most))


def learnt(*outputs: int, most: int | None = None) -> Estimator:
    estimator = Estimator(price)
    for output in outputs:
        estimator.learn(request(most=most), Usage(10, 0, 0, output))
    return estimator


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("x" * 400, 100), ("日本語日本語", 6), ("é" * 3, 2)])
def test_input(text: str, tokens: int) -> None:
    assert input_tokens([Message("user", text)]) == tokens


def test_replies_of_the_same_model_and_parameters_teach() -> None:
    assert learnt(7, 7, 7, 7, 7).usd(request()) == 100 + 1000 * 7
    assert learnt(7, 7, 7, 7).usd(request()) == 100 + 1000 * OUTPUT_TOKENS
    assert learnt(7, 7, 7, 7, 7).usd(request(most=50)) == 100 + 1000 * 50
    assert learnt(10, 90, 10, 90, 10, 90, most=50).usd(request(most=50)) == 100 + 1000 * 50


def test_many_together_come_to_less_than_was_put_aside() -> None:
    rng = random.Random(1)
    outputs = [int(rng.lognormvariate(4.0, 0.8)) for _ in range(1000)]
    each = learnt(*outputs[:20]).usd(request()) - 100
    assert all(sum(outputs[at : at + 16]) * 1000 < 16 * each for at in range(20, 984, 16))
