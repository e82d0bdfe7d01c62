"""A GitHub server on loopback that stores changes, serves real git objects, and validates itself.

    with GitHubServer() as server:
        server.state.add_repository("acme/support-bot", folder)
        Github(base_url=server.url, auth=Auth.Token(WORKFLOW_TOKEN))
        server.ledger, server.comments("acme/support-bot", 7), server.violations, server.unexpected

Every request and reply is validated against GitHub's own description of the API; see `tests.support.openapi`.
"""

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.support.github_call import DOCS, Call, Refused, Reply, Route, authorise, refuse
from tests.support.github_payloads import Renderer
from tests.support.github_routes import ROUTES
from tests.support.github_state import TOKENS, Comment, Identity, Pull, State
from tests.support.openapi import reply_fault, request_fault

UNICORN = "<!DOCTYPE html><html><head><title>Unicorn!</title></head><body>No server is available.</body></html>"

PRIMARY_LIMIT = "API rate limit exceeded for installation ID 4711."
SECONDARY_LIMIT = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


_SOUND: set[tuple[str, int, int]] = set()
"""Operation, status and hash of replies without a fault."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request that came in.

    Args:
        identity: the token's owner; None for an anonymous request or an unknown token.
        status: of the reply; 0 for a connection that was dropped.
        body: the JSON value that was sent.
        reply: the JSON value that was answered, or the text of a fault.
    """

    method: str
    path: str
    query: Mapping[str, str]
    identity: Identity | None
    status: int
    body: Any
    reply: Any


@dataclass(slots=True)
class Fault:
    """Trouble that is still to come; see `GitHubServer.fail`."""

    method: str
    path: re.Pattern[str]
    status: int
    times: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    after: bool = False


@dataclass(slots=True)
class Meeting:
    """Requests that wait for each other; see `GitHubServer.hold`."""

    method: str
    path: re.Pattern[str]
    barrier: threading.Barrier
    missing: int


class GitHubServer:
    """The server on a thread of its own; a context manager.

    Args:
        tokens: who each token speaks for.

    Attributes:
        state: what it remembers; tests may read and change it.
        ledger: every request, in order.
        unexpected: method and path of requests that no route answers.
        violations: what did not agree with GitHub's description.
        tree_limit: entries after which a tree is truncated; GitHub's own limit is 100,000.
    """

    def __init__(self, tokens: Mapping[str, Identity] = TOKENS) -> None:
        self.state = State()
        self.tokens = dict(tokens)
        self.ledger: list[Entry] = []
        self.unexpected: list[str] = []
        self.violations: list[str] = []
        self.tree_limit = 100_000
        self._faults: list[Fault] = []
        self._meeting: Meeting | None = None
        self._lock = threading.RLock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="github-server", daemon=True
        )

    @property
    def url(self) -> str:
        """What GITHUB_API_URL is to be."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def render(self) -> Renderer:
        return Renderer(self.url, self.state.repositories)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def fail(
        self,
        method: str,
        path: str,
        status: int,
        times: int = 1,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        after: bool = False,
    ) -> None:
        """Answer the next matching requests with a fault.

        Args:
            path: regular expression searched for in the path.
            status: of the answer; 0 drops the connection without one.
            times: how many requests meet it.
            body: JSON value, or a text sent as HTML; None: an error as GitHub words that status.
            after: the request takes effect first, and only its answer is lost.
        """
        self._faults.append(Fault(method, re.compile(path), status, times, headers or {}, body, after))

    def hold(self, method: str, path: str, count: int) -> None:
        """Answer no matching request until `count` of them are there; later ones are answered at once.

        Args:
            path: regular expression searched for in the path.
            count: how many wait for each other.
        """
        self._meeting = Meeting(method, re.compile(path), threading.Barrier(count), count)

    def heal(self) -> None:
        """Forget all faults that no request has met."""
        self._faults.clear()

    def limit(self, method: str, path: str, message: str, headers: Mapping[str, str], times: int = 1) -> None:
        """Meet the next matching requests with a rate limit.

        Args:
            message: `SECONDARY_LIMIT`, whose header is Retry-After or none, or `PRIMARY_LIMIT`, whose headers are
                X-RateLimit-Remaining and X-RateLimit-Reset.
        """
        url = "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api"
        self.fail(method, path, 403, times, headers, {"documentation_url": url, "message": message})

    def pull(self, repo: str, number: int) -> Pull:
        """A pull request's state."""
        return self.state.repositories[repo].pulls[number]

    def comments(self, repo: str, number: int) -> list[Comment]:
        """The comments of a pull request, oldest first."""
        return list(self.pull(repo, number).comments)

    def requests(self, method: str, path: str = "") -> list[Entry]:
        """The ledger's entries of a method whose path matches a regular expression."""
        return [entry for entry in self.ledger if entry.method == method and re.search(path, entry.path)]

    def assert_clean(self) -> None:
        """Nothing was asked that it does not know, and nothing said that GitHub would not say."""
        assert not self.unexpected, self.unexpected
        assert not self.violations, self.violations

    def answer(self, method: str, target: str, headers: Mapping[str, str], data: bytes) -> Reply:
        """The reply to one request; every answer goes through here, one at a time."""
        url = urlsplit(target)
        self._meet(method, url.path)
        with self._lock:
            query = dict(parse_qsl(url.query, keep_blank_values=True))
            words = headers.get("Authorization", "").split()
            identity = self.tokens.get(words[-1]) if words else None
            fault = self._fault(method, url.path)
            body: Any = None
            try:
                body = json.loads(data) if data else None
            except ValueError:
                reply = _error(400, "Problems parsing JSON")
            else:
                if fault and not fault.after:
                    reply = _faulty(fault)
                elif words and identity is None:
                    reply = _error(401, "Bad credentials")
                elif not headers.get("User-Agent"):
                    reply = _error(403, "Request forbidden by administrative rules.")
                else:
                    reply = self._routed(method, url.path, query, identity, body)
                    reply = _faulty(fault) if fault else reply
            self.ledger.append(Entry(method, url.path, query, identity, reply.status, body, reply.body))
            return reply

    def _routed(self, method: str, asked: str, query: Mapping[str, str], identity: Identity | None, body: Any) -> Reply:
        if moved := self._moved(method, asked):
            return moved
        if (method, asked) == ("POST", "/graphql"):
            # Its only query: whose token is this?
            if identity is None or "viewer" not in str(body):
                return _error(401, "This endpoint requires you to be authenticated.")
            return Reply(200, {"data": {"viewer": {"login": identity.login}}})
        path = self._by_name(asked)
        for route in ROUTES:
            params = route.match(path) if route.method == method else None
            if params is None:
                continue
            quoted = {key: unquote(value) for key, value in params.items()}
            call = Call(self.state, self.render, identity, quoted, query, body, self.tree_limit, path)
            return self._checked(route, call)
        self.unexpected.append(f"{method} {asked}")
        return _error(404, "Not Found")

    def _checked(self, route: Route, call: Call) -> Reply:
        wrong = request_fault(route.method, route.template, call.body)
        try:
            authorise(call, route)
            reply = route.handler(call)
        except Refused as refused:
            reply = refused.reply
        operation = f"{route.method} {route.template}"
        if wrong:
            self.violations.append(f"{operation}: request: {wrong}")
        # Equal replies, but for the port, are checked once: many tests begin with the same repository.
        checked = (operation, reply.status, hash(json.dumps(reply.body).replace(self.url, "")))
        wrong = None if checked in _SOUND else reply_fault(route.method, route.template, reply.status, reply.body)
        if not wrong:
            _SOUND.add(checked)
        else:
            self.violations.append(f"{operation}: reply {reply.status}: {wrong}")
        return reply

    def _moved(self, method: str, path: str) -> Reply | None:
        """The redirect from an old name, as GitHub sends it: by number, without the query."""
        old = next((name for name in self.state.old_names if path.startswith(f"/repos/{name}/")), None)
        if old is None:
            return None
        repo = self.state.repositories[self.state.old_names[old]]
        url = f"{self.url}/repositories/{repo.id}{path.removeprefix(f'/repos/{old}')}"
        body = {"message": "Moved Permanently", "url": url, "documentation_url": DOCS}
        return Reply(301 if method == "GET" else 307, body, {"Location": url})

    def _by_name(self, path: str) -> str:
        """The links to further pages name a repository by its number."""
        numbered = re.match(r"/repositories/(\d+)", path)
        for repo in self.state.repositories.values():
            if numbered and repo.id == int(numbered[1]):
                return f"/repos/{repo.full_name}{path[numbered.end() :]}"
        return path

    def _meet(self, method: str, path: str) -> None:
        meeting = self._meeting
        if meeting is None or meeting.method != method or not meeting.path.search(path):
            return
        with self._lock:
            meeting.missing -= 1
            late = meeting.missing < 0
        if not late:
            try:
                meeting.barrier.wait(60.0)
            except threading.BrokenBarrierError:
                self.violations.append(f"{method} {path}: nobody else came")

    def _fault(self, method: str, path: str) -> Fault | None:
        for fault in self._faults:
            if fault.times > 0 and fault.method == method and fault.path.search(path):
                fault.times -= 1
                return fault
        return None


def _error(status: int, message: str) -> Reply:
    try:
        refuse(status, message)
    except Refused as refused:
        return refused.reply


def _faulty(fault: Fault) -> Reply:
    if fault.body is not None or fault.status == 0:
        return Reply(fault.status, fault.body, fault.headers)
    if fault.status >= 500:
        return Reply(fault.status, UNICORN, fault.headers)
    body = {"message": "Something went wrong.", "documentation_url": DOCS, "status": str(fault.status)}
    return Reply(fault.status, body, fault.headers)


def _handler(server: GitHubServer) -> type[BaseHTTPRequestHandler]:
    """The class that speaks HTTP for a server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            reply = server.answer(self.command, self.path, dict(self.headers), data)
            if reply.status == 0:
                self.close_connection = True
                return
            text = isinstance(reply.body, str)
            sent = b"" if reply.body is None else (reply.body if text else json.dumps(reply.body)).encode()
            self.send_response_only(reply.status)
            if reply.body is not None:
                self.send_header("Content-Type", f"{'text/html' if text else 'application/json'}; charset=utf-8")
            if reply.status != 204:
                self.send_header("Content-Length", str(len(sent)))
            standard = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999", "X-RateLimit-Reset": "1900000000"}
            for name, value in {**standard, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = handle_any  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
