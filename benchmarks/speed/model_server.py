"""A fast model server for benchmarks: one local process with the interfaces of OpenAI and Anthropic.

    python -m benchmarks.speed.model_server --latency-ms 100

The first printed line is the address. `GET /ledger` returns the counts of requests and answers.
`benchmarks.speed.model_answers` defines the answers and their quality. The server shares its cores with the measured
process, so it parses HTTP itself and understands only the clients of this benchmark (no chunks, no pipelining).
"""

import argparse
import asyncio
import gc
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.speed.model_answers import ANTHROPIC, OPENAI, Answer, Asked, Oracle

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(slots=True)
class Desk:
    """The state that all connections share.

    Args:
        latency_s: seconds before each answer.
    """

    latency_s: float = 0.0
    oracle: Oracle = field(default_factory=Oracle)


class Connection(asyncio.Protocol):
    """One keep-alive connection: a request, its answer, the next request."""

    __slots__ = ("_buffer", "_desk", "_later", "_transport")

    def __init__(self, desk: Desk, later: Callable[..., object]) -> None:
        self._desk = desk
        self._later = later
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer = self._buffer + data if self._buffer else data
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        found = _LENGTH.search(buffer, 0, end)
        whole = end + 4 + (int(found[1]) if found else 0)
        if len(buffer) >= whole:
            self._buffer = buffer[whole:]
            method, path, _ = buffer[: buffer.find(b"\r\n")].split(b" ", 2)
            self._asked(method, path.decode("latin-1"), buffer[end + 4 : whole])

    def _asked(self, method: bytes, path: str, body: bytes) -> None:
        reader = _READERS.get(path)
        if reader is None or method != b"POST":
            self._write(*_housekeeping(self._desk, method, path))
            return
        desk = self._desk
        desk.oracle.ledger.ask()
        asked = reader(json.loads(body))
        answer = desk.oracle.answer(asked)
        reply = json.dumps(_REPLIES[path](asked, answer)).encode()
        self._later(desk.latency_s, self._answer, asked, answer, reply)

    def _answer(self, asked: Asked, answer: Answer, reply: bytes) -> None:
        if self._transport is not None:
            self._desk.oracle.sent(asked, answer)
            self._write(200, reply)

    def _write(self, status: int, body: bytes, headers: str = "content-type: application/json\r\n") -> None:
        if self._transport is not None:
            head = f"HTTP/1.1 {status} X\r\n{headers}content-length: {len(body)}\r\n\r\n"
            self._transport.write(head.encode() + body)


def _housekeeping(desk: Desk, method: bytes, path: str) -> tuple[int, bytes]:
    if path == "/ledger":
        spent = time.process_time()
        return 200, json.dumps(desk.oracle.ledger.told() | {"cpu_s": spent}).encode()
    return 404, b'{"error": {"message": "no such path"}}'


def _read_openai(data: dict[str, Any]) -> Asked:
    turns = data["messages"]
    system = "\n".join([turn["content"] for turn in turns if turn["role"] in ("system", "developer")])
    users = [turn["content"] for turn in turns if turn["role"] == "user"]
    return Asked(OPENAI, data["model"], system, users[-1], data.get("seed"), cached=True)


def _read_anthropic(data: dict[str, Any]) -> Asked:
    blocks = data.get("system", [])
    system = "\n".join([block["text"] for block in blocks])
    users = [turn["content"] for turn in data["messages"] if turn["role"] == "user"]
    marked = any("cache_control" in block for block in blocks)
    return Asked(ANTHROPIC, data["model"], system, users[-1], None, cached=marked)


def _openai_reply(asked: Asked, answer: Answer) -> dict[str, Any]:
    prompt = answer.fresh + answer.read + answer.write
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": answer.output,
            "total_tokens": prompt + answer.output,
            "prompt_tokens_details": {"cached_tokens": answer.read, "audio_tokens": 0},
        },
    }


def _anthropic_reply(asked: Asked, answer: Answer) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.fresh,
            "cache_read_input_tokens": answer.read,
            "cache_creation_input_tokens": answer.write,
            "output_tokens": answer.output,
        },
    }


_READERS: dict[str, Callable[[dict[str, Any]], Asked]] = {OPENAI: _read_openai, ANTHROPIC: _read_anthropic}
_REPLIES: dict[str, Callable[[Asked, Answer], dict[str, Any]]] = {OPENAI: _openai_reply, ANTHROPIC: _anthropic_reply}


async def serve(desk: Desk, port: int) -> None:
    """Serve until cancelled; print the address once the server listens."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(desk, loop.call_later), "127.0.0.1", port, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    options = parser.parse_args()
    desk = Desk(options.latency_ms / 1000.0)
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        asyncio.run(serve(desk, options.port))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
