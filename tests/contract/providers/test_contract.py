"""What holds for every provider, however it answers."""

import asyncio

from gate.calls.interface import Completion, Provider
from tests.contract.providers.subjects import Subject


def test_an_answer_has_all_its_parts(subject: Subject) -> None:
    completion = subject.use(lambda provider: provider.complete(subject.request()))
    assert completion.text == "blue"
    assert completion.model_id
    assert completion.usage.input_tokens > 0
    assert completion.usage.output_tokens > 0
    assert completion.latency_s is not None
    assert completion.latency_s > 0.0
    assert completion.stop_reason


def test_what_a_provider_says_of_itself(subject: Subject) -> None:
    async def work(provider: Provider) -> tuple[int | None, bool]:
        return provider.max_in_flight, provider.priced

    limit, priced = subject.use(work)
    assert limit is None or limit >= 1
    assert priced == (subject.model.provider in ("openai", "responses", "anthropic"))


def test_many_at_once_are_not_mixed_up(subject: Subject) -> None:
    async def work(provider: Provider) -> list[Completion]:
        users = [f"answer=blue number={number}" for number in range(40)]
        return list(await asyncio.gather(*(provider.complete(subject.request(user)) for user in users)))

    assert [completion.text for completion in subject.use(work)] == ["blue"] * 40


def test_a_cancelled_request_does_no_harm(subject: Subject) -> None:
    async def work(provider: Provider) -> Completion:
        task = asyncio.ensure_future(provider.complete(subject.request("answer=blue number=1")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await provider.complete(subject.request())

    assert subject.use(work).text == "blue"
