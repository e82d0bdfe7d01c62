"""A change whose hard cases fail with an error, instead of getting a wrong answer, does not pass."""

import json
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from gate.record.comparison import Verdict
from tests.support.command import gate, write_jsonl

HARD = 6
CASES = [
    {"id": f"c{i}", "input": f"{i}", "expected": "word", "slices": {"tier": "gold" if i < 9 else "free"}}
    for i in range(18)
]


class Filtered(BaseHTTPRequestHandler):
    """Gives right answers, except for the candidate's hard cases, which a content filter blocks."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system, user = (message["content"] for message in asked["messages"])
        held = "well" in system and int(user) < HARD
        said = {"error": {"code": "content_filter", "message": "held back"}} if held else self.answer()
        body = json.dumps(said).encode()
        self.send_response(400 if held else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self) -> dict[str, object]:
        choice = {"message": {"content": "word"}, "finish_reason": "stop"}
        return {"model": "m", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}

    def log_message(self, format: str, *args: object) -> None:
        return


class Server(ThreadingHTTPServer):
    daemon_threads, block_on_close = True, False
    # A connection that does not fit into the queue is retried after a second.
    request_queue_size = 128


@pytest.fixture
def url() -> Iterator[str]:
    with Server(("127.0.0.1", 0), Filtered) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_all_samples_are_taken_and_missing_ones_decide(tmp_path: Path, url: str) -> None:
    (tmp_path / "a.md").write_text("Answer.")
    (tmp_path / "b.md").write_text("Answer well.")
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "openai:m", "--samples", "2")
    env = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    for _ in range(2):  # the second run uses the answers of the first
        outcome = gate("diff", *named, "--json", "--out", "out", cwd=tmp_path, env=env)
        record = outcome.record
        assert (outcome.code, record.verdict) == (3, Verdict.INCONCLUSIVE)
        assert (record.missing.samples, record.method.samples_taken, record.method.spared) == (2 * HARD, 2, 0)
        rows = [json.loads(line) for line in (tmp_path / "out/samples.jsonl").read_text().splitlines()]
        counted = Counter((row["case"], row["arm"], row["index"]) for row in rows)
        assert len(counted) == len(rows) == 2 * 2 * len(CASES)
