"""What holds for both batch interfaces, through the real SDKs; the services themselves were never asked."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest

from gate.calls.batches.jobs import batch_service
from gate.calls.batches.service import BatchGone, BatchResult, BatchService, SubmissionMark
from gate.calls.interface import Completion, Misconfigured, Transient
from gate.record.transcript import Failed
from tests.contract.providers.subjects import MODELS, Subject
from tests.support.batch_server import BatchServer

T = TypeVar("T")
MARK = SubmissionMark("digest", "submission", 0.0, 3)


@pytest.fixture(scope="module")
def running_batches() -> Iterator[BatchServer]:
    with BatchServer() as server:
        yield server


@pytest.fixture
def server(running_batches: BatchServer) -> BatchServer:
    running_batches.forget()
    return running_batches


@pytest.fixture(params=["openai", "anthropic"])
def remote(request: pytest.FixtureRequest, server: BatchServer) -> Subject:
    return Subject(MODELS[request.param], server.url)


def use(subject: Subject, work: Callable[[BatchService], Awaitable[T]]) -> T:
    async def main() -> T:
        factory = subject.factory()
        try:
            return await work(batch_service(factory, subject.model, subject.params))
        finally:
            await factory.close()

    return asyncio.run(main())


def lines(service: BatchService, subject: Subject, count: int = 3) -> list[bytes]:
    return [service.encode(f"id_{n}", subject.request(f"answer=blue number={n}", n)) for n in range(count)]


def submit(subject: Subject, mark: SubmissionMark = MARK) -> str:
    return use(subject, lambda service: service.submit(lines(service, subject), mark))


def results(subject: Subject, batch_id: str) -> list[BatchResult]:
    async def work(service: BatchService) -> list[BatchResult]:
        return [result async for result in service.results(batch_id)]

    return use(subject, work)


def test_submitted_and_collected(server: BatchServer, remote: Subject) -> None:
    batch_id = submit(remote)
    state = use(remote, lambda service: service.status(batch_id))
    assert (state.phase, state.over, state.total) == ("running", False, 3)
    server.finish()
    state = use(remote, lambda service: service.status(batch_id))
    assert (state.phase, state.done, state.failed) == ("ended", 3, 0)
    assert state.ended_at is not None
    got = {result.custom_id: result.outcome for result in results(remote, batch_id)}
    assert sorted(got) == ["id_0", "id_1", "id_2"]
    for outcome in got.values():
        assert isinstance(outcome, Completion)
        assert (outcome.text, outcome.latency_s) == ("blue", None)
        assert outcome.usage.output_tokens > 0


def test_a_line_of_a_batch_is_what_the_live_provider_sends(server: BatchServer, remote: Subject) -> None:
    batch_id = submit(remote)
    remote.use(lambda provider: provider.complete(remote.request("answer=blue number=0", 0)))
    assert server.batches[batch_id].bodies["id_0"] == server.bodies[-1]


def test_failures_have_a_reason_each(server: BatchServer, remote: Subject) -> None:
    server.failing = {1}
    batch_id = submit(remote)
    server.finish()
    got = {result.custom_id: result.outcome for result in results(remote, batch_id)}
    failed = got.pop("id_1")
    assert isinstance(failed, Failed)
    assert "content filter" in failed.reason
    assert all(isinstance(outcome, Completion) for outcome in got.values())


@pytest.mark.parametrize("phase", ["expired", "cancelled"])
def test_what_was_answered_before_an_early_end_counts(server: BatchServer, remote: Subject, phase: str) -> None:
    batch_id = submit(remote)
    server.finish(phase, answered=1)
    assert use(remote, lambda service: service.status(batch_id)).over
    outcomes = [result.outcome for result in results(remote, batch_id)]
    assert len(outcomes) == 3
    assert sum(isinstance(outcome, Completion) for outcome in outcomes) == 1


def test_a_batch_that_openai_refuses_says_why(server: BatchServer) -> None:
    subject = Subject(MODELS["openai"], server.url)
    batch_id = submit(subject)
    server.finish("failed")
    state = use(subject, lambda service: service.status(batch_id))
    assert (state.phase, state.reason) == ("failed", "too many tokens are waiting")
    assert results(subject, batch_id) == []


def test_a_batch_that_is_not_there(server: BatchServer, remote: Subject) -> None:
    with pytest.raises(BatchGone):
        use(remote, lambda service: service.status("no_such_batch"))


def test_no_id_leads_to_another_path(server: BatchServer, remote: Subject) -> None:
    async def work(service: BatchService) -> None:
        for name in ("../files", "a/b", "", "x" * 200, "a b", "a?b"):
            with pytest.raises(ValueError, match="id"):
                await service.status(name)

    use(remote, work)
    assert server.gets == []


def test_a_lost_submission_is_found(server: BatchServer, remote: Subject) -> None:
    server.lose_replies = 1
    with pytest.raises(Transient):
        submit(remote)
    found = use(remote, lambda service: service.find(MARK))
    assert found.ids == tuple(server.batches)
    assert found.sure == (remote.model.provider == "openai")


def test_a_lost_submission_is_found_on_a_later_page(server: BatchServer, remote: Subject) -> None:
    batch_id = submit(remote)
    batch = server.batches[batch_id]
    for number in range(150):
        other = f"{batch.kind}_other_{number}"
        bodies = {"a": {}, "b": {}}
        server.batches[other] = type(batch)(other, batch.kind, bodies, {}, batch.created)
    assert use(remote, lambda service: service.find(MARK)).ids == (batch_id,)


HOSTILE = [
    b"",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 50_000,
    b'{"custom_id": ["id_0"], "result": {"type": "succeeded"}, "response": {}}',
    b'{"custom_id": "../../etc", "result": 7, "response": 7}',
    b'{"custom_id": "id_0", "response": {"status_code": 200, "body": {"choices": []}}}',
    b'{"custom_id": "id_0", "result": {"type": "succeeded", "message": {"content": [{"type": "text"}]}}}',
    b'{"custom_id": "id_0", "result": {"type": {"a": 1}}, "error": "no", "response": {"status_code": "200"}}',
    b'{"custom_id": "id_0", "response": {"status_code": 200, "body": null}, "result": {"message": null}}',
]


def test_a_hostile_line_spoils_only_itself(server: BatchServer, remote: Subject) -> None:
    batch_id = submit(remote)
    server.rewrite = lambda good: [*HOSTILE, *good]
    server.finish()
    got = results(remote, batch_id)
    good = [result for result in got if isinstance(result.outcome, Completion)]
    assert len(good) == 3
    for result in got:
        assert result.custom_id in ("", "id_0", "id_1", "id_2")
        assert isinstance(result.outcome, Completion) or result.outcome.reason.isprintable()
    assert len(got) == 3 + sum(bool(line.strip()) for line in HOSTILE)


def test_a_line_without_end_is_passed_over(server: BatchServer) -> None:
    remote = Subject(MODELS["openai"], server.url)
    batch_id = submit(remote)
    server.rewrite = lambda good: [good[0], b'{"custom_id": "id_1' + b"x" * 2**20, *good[1:]]
    server.finish()
    got = results(remote, batch_id)
    assert [isinstance(result.outcome, Completion) for result in got] == [True, False, True, True]
    assert got[1].custom_id == ""


def test_the_address_of_the_results_is_not_the_servers_choice(server: BatchServer) -> None:
    subject = Subject(MODELS["anthropic"], server.url)
    batch_id = submit(subject)
    server.results_url = "http://127.0.0.1:9/elsewhere"
    server.finish()
    assert len(results(subject, batch_id)) == 3


def test_a_server_without_the_interface(remote: Subject) -> None:
    from tests.support.model_server import ModelServer

    with ModelServer() as plain:
        subject = Subject(remote.model, plain.url)
        with pytest.raises(Misconfigured, match="has no batch interface"):
            submit(subject)
