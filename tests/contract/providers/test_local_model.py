"""The contract, on the real packaged model."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from gate.calls.endpoints import Keys
from gate.calls.interface import Completion, Misconfigured, RejectedRequest, Request, Transient
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.testgen.questions import choice_schema, list_schema

Result = TypeVar("Result")


MODEL = ModelRef("local", "gemma3-270m")
PARAMS = Params(max_output_tokens=4, temperature=0.0, stop=("\n",))
FEW_SHOTS = """Label each review as positive or negative.

Review: The soup was cold and the waiter rude.
Label: negative

Review: What a wonderful evening, we will come back!
Label: positive

Review: Ein tolles Hotel, wir waren sehr zufrieden.
Label: positive

Review:"""


def ask(review: str, params: Params = PARAMS) -> Request:
    messages = (Message("system", FEW_SHOTS), Message("user", f"{review}\nLabel:"))
    return Request(messages, MODEL, params)


class Session:
    """One event loop and one loaded model for all tests of this module."""

    def __init__(self, cache_dir: Path) -> None:
        self.cache_dir = cache_dir
        self.loop = asyncio.new_event_loop()
        self.factory = Factory(Keys(), cache_dir, 4, lambda _: "")
        self.provider = self.factory.provider(MODEL, PARAMS)

    def run(self, work: Coroutine[None, None, Result]) -> Result:
        return self.loop.run_until_complete(work)

    def close(self) -> None:
        self.loop.run_until_complete(self.factory.close())
        self.loop.close()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    cache_dir = tmp_path_factory.mktemp("models")
    session = Session(cache_dir)
    yield session
    session.close()
    for path in cache_dir.iterdir():
        path.unlink()


def test_two_prompts_keep_their_prefixes_apart(session: Session) -> None:
    short = PARAMS.model_copy(update={"max_output_tokens": 1})
    other = Request(
        (Message("system", "Say what the capital of a country is. " * 6), Message("user", "France:")), MODEL, short
    )
    for request in (ask("One.", short), other):
        session.run(session.provider.complete(request))
    for request in (ask("Two.", short), other):
        usage = session.run(session.provider.complete(request)).usage
        assert usage.cache_read_tokens > 40


def test_the_same_seed_says_the_same_and_samples_differ(session: Session) -> None:
    params = Params(max_output_tokens=4, temperature=1.5, seed=3)

    def sample(index: int) -> str:
        request = Request((Message("user", "Once upon a time"),), MODEL, params, index)
        return session.run(session.provider.complete(request)).text

    first = sample(0)
    assert sample(0) == first
    assert sample(1) != first


def test_a_list_whose_items_are_distinguished_is_kept_item_by_item(session: Session) -> None:
    """The packaged model left lists empty, and named one id again and again."""
    items = list_schema(choice_schema("a", "b"), each=[choice_schema("b"), choice_schema("a")])
    params = Params(max_output_tokens=60, temperature=0.0)
    request = Request((Message("user", "Good."),), MODEL, params, schema=items)
    assert json.loads(session.run(session.provider.complete(request)).text) == ["b", "a"]


def test_a_cancelled_request_does_no_harm(session: Session) -> None:
    async def work() -> Completion:
        task = asyncio.ensure_future(session.provider.complete(ask("Never mind.")))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await session.provider.complete(ask("A lovely place, we were so happy."))

    assert session.run(work()).text.strip() == "positive"


def test_no_answer_in_time(session: Session) -> None:
    slow = Params(max_output_tokens=16, temperature=0.0, timeout_s=0.01)
    with pytest.raises(Transient, match=r"within 0\.01 s"):
        session.run(session.provider.complete(ask("Tell me a story.", slow)))


def test_more_than_the_context_holds(session: Session) -> None:
    with pytest.raises(RejectedRequest, match="context size"):
        session.run(session.provider.complete(ask("word " * 4100)))


@pytest.mark.parametrize("params", [Params(reasoning_effort="low")])
def test_parameters_that_it_does_not_take(session: Session, params: Params) -> None:
    with pytest.raises(Misconfigured):
        session.provider.check(params)
