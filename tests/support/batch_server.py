"""The loopback server with both batch interfaces: files and batches of OpenAI, message batches of Anthropic.

It checks what is sent as strictly as the services say they do. A batch waits until `finish` is called, or, with
`finish_after`, until its status was asked for so often.

    with BatchServer() as server: ... server.finish() ... server.batches
    python -m tests.support.batch_server --finish-after 2
"""

import argparse
import asyncio
import json
import re
import signal
import time
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.support.batch_wire import Batch, anthropic_batch, anthropic_line, openai_batch, openai_line
from tests.support.model_server import Behaviour, ModelServer
from tests.support.model_wire import anthropic_reply, openai_reply, read_anthropic, read_openai

_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class BatchServer(ModelServer):
    """A model server that takes batches, too.

    Attributes:
        batches: by id, in the order of submission.
        failing: custom ids (or their indices) that get an error instead of an answer.
        rewrite: changes the lines of results before they are kept, for hostile ones.
        finish_after: end a batch at this many questions about its state; None waits for `finish`.
        lose_replies: so many submissions are accepted without a word of it: the connection drops.
        refuse, reject: so many submissions are answered with 503, or 400, and not accepted.
        hold_replies: `sent` or `not sent`: a submission is taken, or not, and never answered; `held` counts them.
        break_results: so many files of results break off in the middle.
        gets: paths that were read.
    """

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0) -> None:
        super().__init__(behaviour, port)
        self.start_anew()

    def start_anew(self) -> None:
        self.batches: dict[str, Batch] = {}
        self.files: dict[str, bytes] = {}
        self.failing: set[int] = set()
        self.rewrite: Callable[[list[bytes]], list[bytes]] = list
        self.finish_after: int | None = None
        self.lose_replies = self.refuse = self.reject = self.held = self.break_results = 0
        self.hold_replies = ""
        self.gets: list[str] = []
        self.results_url = ""

    def forget(self) -> None:
        super().forget()
        self.start_anew()

    def finish(self, phase: str = "completed", answered: int | None = None) -> None:
        """End every batch that runs.

        Args:
            phase: `completed`, `failed`, `expired` or `cancelled`.
            answered: requests that get an answer before that; None is all.
        """
        for batch in self.batches.values():
            if batch.phase == "running":
                self._end(batch, phase, answered)

    def _end(self, batch: Batch, phase: str, answered: int | None) -> None:
        line_of = openai_line if batch.kind == "openai" else anthropic_line
        bodies = {} if phase == "failed" else batch.bodies
        for index, (custom_id, body) in enumerate(bodies.items()):
            late = answered is not None and index >= answered
            wrong = "expired" if late and phase != "cancelled" else "cancelled" if late else ""
            wrong = wrong or ("errored" if index in self.failing else "")
            reply = {} if wrong else self.answered(batch.kind, body)
            line = json.dumps(line_of(custom_id, wrong, reply)).encode()
            (batch.errors if wrong and batch.kind == "openai" else batch.lines).append(line)
        batch.lines = self.rewrite(batch.lines)
        batch.phase = phase

    def answered(self, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        """The reply that the live interface would give."""
        if kind == "openai":
            return openai_reply(self._answer(read_openai(body)))
        return anthropic_reply(self._answer(read_anthropic(body)))

    def _app(self) -> web.Application:
        app = super()._app()
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        for path, create, show in (
            ("/v1/batches", self._create_openai, openai_batch),
            ("/v1/messages/batches", self._create_anthropic, self._anthropic_batch),
        ):
            app.router.add_post(path, create)
            app.router.add_get(path, self._lister(path, show))
            app.router.add_get(path + "/{id}", self._shower(show))
            app.router.add_post(path + "/{id}/cancel", self._canceller(show))
        app.router.add_get("/v1/messages/batches/{id}/results", self._results)
        return app

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        file = form.get("file")
        if form.get("purpose") != "batch" or not isinstance(file, web.FileField):
            return _refused("a form with `purpose` and `file` is wanted")
        name = f"file-{len(self.files) + 1}"
        self.files[name] = file.file.read()
        return web.json_response({"id": name, "object": "file", "purpose": "batch", "bytes": len(self.files[name])})

    async def _create_openai(self, request: web.Request) -> web.StreamResponse:
        data = await request.json()
        rows = [json.loads(line) for line in self.files[data["input_file_id"]].splitlines()]
        wrong = [row for row in rows if row["method"] != "POST" or row["url"] != data["endpoint"]]
        models = {row["body"]["model"] for row in rows}
        if wrong or len(models) != 1 or data["endpoint"] != "/v1/chat/completions":
            return _refused("one endpoint and one model for all lines")
        if data["completion_window"] != "24h" or any(len(text) > 512 for text in data["metadata"].values()):
            return _refused("completion_window or metadata")
        bodies = {row["custom_id"]: row["body"] for row in rows}
        return await self._accept(request, Batch("", "openai", bodies, data["metadata"]), len(rows), openai_batch)

    async def _create_anthropic(self, request: web.Request) -> web.StreamResponse:
        rows = (await request.json())["requests"]
        if "anthropic-version" not in request.headers or any(set(row) != {"custom_id", "params"} for row in rows):
            return _refused("anthropic-version, custom_id and params are wanted")
        if not all(_CUSTOM_ID.fullmatch(row["custom_id"]) for row in rows):
            return _refused("custom_id: 1 to 64 letters, digits, _ and -")
        bodies = {row["custom_id"]: row["params"] for row in rows}
        return await self._accept(request, Batch("", "anthropic", bodies), len(rows), self._anthropic_batch)

    async def _accept(
        self, request: web.Request, batch: Batch, rows: int, show: Callable[[Batch], dict[str, Any]]
    ) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        if len(batch.bodies) != rows or not rows:
            return _refused("custom ids must differ")
        if self.refuse:
            self.refuse -= 1
            return web.json_response({"error": {"message": "made up"}}, status=503)
        if self.reject:
            self.reject -= 1
            return _refused("made up")
        if self.hold_replies == "not sent":
            await self._hold()
        batch.id, batch.created = f"{batch.kind}_batch_{len(self.batches) + 1}", time.time()
        self.batches[batch.id] = batch
        if self.hold_replies == "sent":
            await self._hold()
        if self.lose_replies:
            self.lose_replies -= 1
            if request.transport is not None:
                request.transport.abort()
        return web.json_response(show(batch))

    async def _hold(self) -> None:
        self.held += 1
        await asyncio.sleep(3600)

    def _shower(self, show: Callable[[Batch], dict[str, Any]]) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            self.gets.append(request.path)
            batch = self.batches.get(request.match_info["id"])
            if batch is None:
                return web.json_response({"error": {"message": "no such batch"}}, status=404)
            batch.polls += 1
            if batch.phase == "running" and self.finish_after is not None and batch.polls >= self.finish_after:
                self._end(batch, "completed", None)
            return web.json_response(show(batch))

        return handle

    def _lister(self, path: str, show: Callable[[Batch], dict[str, Any]]) -> Callable[[web.Request], Any]:
        kind = "openai" if path == "/v1/batches" else "anthropic"
        cursor = "after" if kind == "openai" else "after_id"

        async def handle(request: web.Request) -> web.StreamResponse:
            self.gets.append(request.path_qs)
            mine = [batch for batch in reversed(self.batches.values()) if batch.kind == kind]
            names = [batch.id for batch in mine]
            start = names.index(request.query[cursor]) + 1 if cursor in request.query else 0
            page = mine[start : start + int(request.query["limit"])]
            more = start + len(page) < len(mine)
            ends = {"first_id": page[0].id, "last_id": page[-1].id} if page else {"first_id": None, "last_id": None}
            return web.json_response({"data": [show(batch) for batch in page], "has_more": more, **ends})

        return handle

    def _canceller(self, show: Callable[[Batch], dict[str, Any]]) -> Callable[[web.Request], Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            batch = self.batches[request.match_info["id"]]
            self._end(batch, "cancelled", 0)
            return web.json_response(show(batch))

        return handle

    async def _content(self, request: web.Request) -> web.StreamResponse:
        self.gets.append(request.path)
        name, _, kind = request.match_info["id"].rpartition("-")
        batch = self.batches.get(name)
        if batch is None:
            return web.json_response({"error": {"message": "no such file"}}, status=404)
        return await self._sent(request, batch.lines if kind == "output" else batch.errors)

    async def _results(self, request: web.Request) -> web.StreamResponse:
        self.gets.append(request.path)
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        return await self._sent(request, batch.lines)

    async def _sent(self, request: web.Request, lines: list[bytes]) -> web.StreamResponse:
        body = b"".join(line + b"\n" for line in lines)
        if not self.break_results:
            return web.Response(body=body, content_type="application/x-jsonl")
        self.break_results -= 1
        response = web.StreamResponse(headers={"content-length": str(len(body))})
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        if request.transport is not None:
            request.transport.close()
        return response

    def _anthropic_batch(self, batch: Batch) -> dict[str, Any]:
        kinds = [json.loads(line)["result"]["type"] for line in batch.lines] if self.rewrite is list else []
        url = self.results_url or f"{self.url}/v1/messages/batches/{batch.id}/results"
        return anthropic_batch(batch, kinds, url)


def _refused(message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "invalid_request_error"}}, status=400)


def main() -> None:
    """Serve until interrupted; the first line printed is the address."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--finish-after", type=int, default=None)
    options = parser.parse_args()
    server = BatchServer(port=options.port)
    server.finish_after = options.finish_after
    with server:
        print(server.url, flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
