"""Replies without an end, and small ones that unpack to gigabytes: a failed sample, and little memory."""

import gzip
import itertools
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from gate.calls.batches.service import BatchResult, BatchService
from gate.calls.interface import RejectedRequest
from tests.contract.providers.subjects import MODELS, Subject
from tests.contract.providers.test_batches import use
from tests.support.model_server import Behaviour, ModelServer, Raw
from tests.support.raw_server import RawServer

MIB = 2**20
PART = b'{"choices": [' + b" " * 65_000
GOOD = json.dumps(
    {
        "choices": [{"message": {"content": "blue"}, "finish_reason": "stop"}],
        "content": [{"type": "text", "text": "blue"}],
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "blue"}]}],
    }
).encode()


@cache
def packed(wbits: int, mebibytes: int = 100) -> bytes:
    """Blanks, packed."""
    packing = zlib.compressobj(9, zlib.DEFLATED, wbits)
    return b"".join([*(packing.compress(b" " * MIB) for _ in range(mebibytes)), packing.flush()])


def chunked(parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        yield f"{len(part):x}\r\n".encode() + part + b"\r\n"


def small_parts(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), 50):
        yield data[start : start + 50]


BODIES: dict[str, tuple[dict[str, str], Callable[[], Iterator[bytes]]]] = {
    "no length": ({}, lambda: itertools.repeat(PART)),
    "a false length": ({"content-length": str(10**12)}, lambda: itertools.repeat(PART)),
    "chunks": ({"transfer-encoding": "chunked"}, lambda: chunked(itertools.repeat(PART))),
    "gzip": ({"content-encoding": "gzip"}, lambda: iter([packed(31)])),
    "zlib": ({"content-encoding": "deflate"}, lambda: iter([packed(15)])),
    "deflate": ({"content-encoding": "deflate"}, lambda: iter([packed(-15)])),
    "gzip in small parts": ({"content-encoding": "GZIP"}, lambda: small_parts(packed(31))),
    "gzip of gzip": ({"content-encoding": "gzip, gzip"}, lambda: iter([gzip.compress(packed(31))])),
    "another packing": ({"content-encoding": "br"}, lambda: itertools.repeat(PART)),
}


@pytest.mark.threat("endless-reply")
@pytest.mark.parametrize("status", [200, 400, 503])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("model", ["openai", "anthropic"])
def test_a_reply_is_read_to_a_limit(model: str, body: str, status: int) -> None:
    headers, parts = BODIES[body]
    with RawServer(status, headers, parts).running() as server:
        subject = Subject(MODELS[model], server.url)
        subject.use_factory(lambda factory: ready(factory.provider(subject.model, subject.params)))
        tracemalloc.start()
        try:
            with pytest.raises(RejectedRequest, match="more than 8 MiB|was not asked for") as caught:
                subject.use(lambda provider: provider.complete(subject.request()))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert caught.value.unheard
    assert server.requests == 1
    assert server.sent < 32 * MIB
    assert peak < 64 * MIB


@pytest.mark.parametrize("body", ["chunks", "no length", "gzip"])
def test_a_line_of_a_batchs_results_is_read_to_a_limit(body: str) -> None:
    headers, parts = BODIES[body]
    with RawServer(200, headers, parts).running() as server:

        async def work(service: BatchService) -> list[BatchResult]:
            return [result async for result in service.results("batch_1")]

        with pytest.raises(RejectedRequest, match="a line of the results has more than 8 MiB"):
            use(Subject(MODELS["anthropic"], server.url), work)
    assert server.sent < 32 * MIB


async def ready(provider: object) -> None:
    """Import the SDK before memory is measured."""


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "identity"])
def test_a_packed_reply_is_unpacked(server: ModelServer, remote: Subject, encoding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}[encoding]
    server.behaviour = Behaviour(raw=Raw(body=pack(GOOD), headers={"content-encoding": encoding}))
    assert remote.use(lambda provider: provider.complete(remote.request())).text == "blue"
    assert server.headers[-1]["Accept-Encoding"] == "gzip, deflate"


def test_deflate_without_a_header_is_unpacked(server: ModelServer, remote: Subject) -> None:
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packing.compress(GOOD) + packing.flush()
    server.behaviour = Behaviour(raw=Raw(body=body, headers={"content-encoding": "deflate"}))
    assert remote.use(lambda provider: provider.complete(remote.request())).text == "blue"
