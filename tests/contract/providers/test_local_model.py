"""The contract, on the real packaged model."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from gate.calls.endpoints import Keys
from gate.calls.interface import Completion, Misconfigured, Provider, Rejected, Request, Transient
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


def test_an_answer_has_all_its_parts(session: Session) -> None:
    completion = session.run(session.provider.complete(ask("A lovely place, we were so happy.")))
    assert completion.text.strip() == "positive"
    assert completion.model_id == "gemma-3-270m-q4_k_m.gguf"
    assert completion.usage.total_input > 50
    assert 0 < completion.usage.output_tokens <= 4
    assert completion.latency_s is not None
    assert completion.latency_s > 0.0
    assert completion.stop_reason == "stop"


def test_a_shared_prefix_is_read_from_the_cache(session: Session) -> None:
    session.run(session.provider.complete(ask("First of all.")))
    usage = session.run(session.provider.complete(ask("Second to none."))).usage
    assert usage.cache_read_tokens > 40
    assert usage.input_tokens < 20


def test_two_prompts_keep_their_prefixes_apart(session: Session) -> None:
    other = Request(
        (Message("system", "Say what the capital of a country is. " * 8), Message("user", "France:")), MODEL, PARAMS
    )
    for request in (ask("One."), other):
        session.run(session.provider.complete(request))
    for request in (ask("Two."), other):
        usage = session.run(session.provider.complete(request)).usage
        assert usage.cache_read_tokens > 40


def test_it_says_of_itself_that_it_is_one_and_free(session: Session) -> None:
    assert (session.provider.max_in_flight, session.provider.priced) == (1, False)


def test_the_same_seed_says_the_same_and_samples_differ(session: Session) -> None:
    params = Params(max_output_tokens=4, temperature=1.5, seed=3)

    def sample(index: int) -> str:
        request = Request((Message("user", "Once upon a time"),), MODEL, params, index)
        return session.run(session.provider.complete(request)).text

    assert sample(0) == sample(0)
    assert len({sample(index) for index in range(3)}) > 1


def test_a_schema_is_kept(session: Session) -> None:
    params = Params(max_output_tokens=12, temperature=0.0)
    request = replace(ask("Good.", params), schema={"enum": ["good", "bad"]})
    assert json.loads(session.run(session.provider.complete(request)).text) in ("good", "bad")


def test_a_list_whose_items_are_told_is_kept_item_by_item(session: Session) -> None:
    """The packaged model left lists empty, and named one id again and again."""
    items = list_schema(choice_schema("a", "b"), each=[choice_schema("b"), choice_schema("a"), choice_schema("a")])
    request = replace(ask("Good.", Params(max_output_tokens=60, temperature=0.0)), schema=items)
    assert json.loads(session.run(session.provider.complete(request)).text) == ["b", "a", "a"]


def test_many_at_once_wait_for_each_other(session: Session) -> None:
    async def work() -> list[Completion]:
        return list(await asyncio.gather(*(session.provider.complete(ask(f"Number {i}.")) for i in range(4))))

    completions = session.run(work())
    assert all(completion.text for completion in completions)


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
    with pytest.raises(Rejected, match="context size"):
        session.run(session.provider.complete(ask("word " * 5000)))


def test_text_that_is_not_unicode_is_mended(session: Session) -> None:
    session.run(session.provider.complete(ask("half \ud83d a pair\x00"))).text.encode()


def test_nothing_to_answer(session: Session) -> None:
    with pytest.raises(Rejected):
        session.run(session.provider.complete(Request((), MODEL, PARAMS)))


@pytest.mark.parametrize("params", [Params(reasoning_effort="low")])
def test_parameters_that_it_does_not_take(session: Session, params: Params) -> None:
    with pytest.raises(Misconfigured):
        session.provider.check(params)


def test_the_packaged_model_is_a_file_like_any_other(session: Session) -> None:
    async def work(path: Path) -> None:
        async with opened(path) as provider:
            assert (await provider.complete(ask("A lovely place, we were so happy."))).text.strip() == "positive"
            await provider.close()
            with pytest.raises(Transient, match="closed"):
                await provider.complete(ask("Too late."))

    session.run(work(next(session.cache_dir.glob("*.gguf"))))


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Provider]:
    factory = Factory(Keys(), path.parent, 1, lambda _: "")
    try:
        yield factory.provider(ModelRef("local", str(path)), PARAMS.model_copy(update={"chat_template": "passthrough"}))
    finally:
        await factory.close()
