"""`gate push --to`: whatever happens on the way, a run is there once and whole, and the token is nowhere else."""

import multiprocessing
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from gate.cases.stored import Page
from gate.errors import CannotEvaluate, GateError
from gate.record.history import Context, RunFilter, RunRow
from gate.store.access import Scope, new_secret
from gate.store.push import TRIES, SendOptions, SentRun, send_run
from gate.store.run_folder import dump_run
from gate.store.sql.access import TokenRequest, Tokens
from gate.store.sql.database import Database
from gate.store.sql.runs import Runs
from tests.e2e.web.test_api import RUN, SAMPLES
from tests.support import browsing, stores, team_login
from tests.support.command import gate

CI = Context("acme/shop", "topic", "pull_request", 7, "octocat")
PADDING = 2**19
"""Spaces after each sample: together more than what lies in the buffers between two programs."""


class Odd:
    """A server that first does what the beginning of the path says, once for each time it is written there."""

    def __init__(self, inner: Any, seen: Path) -> None:
        self._inner, self._seen, self._done = inner, seen, dict[str, int]()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        prefix, api, rest = scope.get("path", "").partition("/api/")
        if scope["type"] != "http" or not api:
            await self._inner(scope, receive, send)
            return
        if scope["path"].startswith("/stolen"):
            self._seen.touch()
        place = f"{scope['method']} {prefix}"
        plan = [one for one in prefix.split("/")[1:] if scope["method"] == "POST" or not one.startswith("post-")]
        number = self._done[place] = self._done.get(place, 0) + 1
        inside = {**scope, "path": api + rest, "raw_path": None}
        if number > len(plan):
            await self._inner(inside, receive, send)
            return
        what = plan[number - 1].removeprefix("post-")
        if what == "lost":

            async def nothing(message: Any) -> None:
                pass

            await self._inner(inside, receive, nothing)
            what = "500"
        await self._say(what, send)

    async def _say(self, what: str, send: Any) -> None:
        body, headers = b"<html>", [(b"retry-after", b"7")]
        if what == "302":
            headers = [(b"location", b"/stolen")]
        if what == "200":
            body = b'{"service": "something else"}'
        await send({"type": "http.response.start", "status": int(what), "headers": headers})
        await send({"type": "http.response.body", "body": body})


def serve(door: socket.socket, app: Odd) -> None:
    config = uvicorn.Config(app, log_level="critical", lifespan="off")
    uvicorn.Server(config).run(sockets=[door])


@dataclass
class Place:
    """A server in a process of its own, and its store."""

    folder: Path
    database: Database
    port: int = 0
    process: Any = None
    waited: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        door = socket.create_server(("127.0.0.1", self.port), backlog=16)
        self.port = door.getsockname()[1]
        site = replace(browsing.site(Database(f"sqlite:///{self.database.file}")), login=team_login.oidc())
        app = Odd(browsing.served(site), self.folder / "seen")
        self.process = multiprocessing.get_context("fork").Process(target=serve, args=(door, app), daemon=True)
        with warnings.catch_warnings():
            # Newer versions of Python warn of threads, which the runner of the tests has; the child needs none of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        door.close()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    @property
    def rows(self) -> tuple[RunRow, ...]:
        return Runs(self.database).rows(RunFilter(), Page())

    def token(self, *scopes: Scope) -> str:
        wish = TokenRequest(f"t{len(Tokens(self.database).all())}", "Ann", frozenset(scopes))
        return Tokens(self.database).create(wish, browsing.NOW).secret

    def send(self, path: Path, prefix: str = "", wait: Callable[[float], None] | None = None, **how: Any) -> SentRun:
        manner = SendOptions(wait or self.waited.append, retried=self.told.append, **how)
        return send_run(path, self.url + prefix, CI, manner)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with stores.with_tables(tmp_path / "store") as database:
        found = Place(tmp_path, database)
        found.start()
        monkeypatch.setenv("GATE_TOKEN", found.token(Scope.RUNS_WRITE))
        yield found
        found.kill()


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server that takes no run."""
    folder = tmp_path_factory.mktemp("unharmed")
    with stores.with_tables(folder / "store") as database:
        found = Place(folder, database)
        found.start()
        yield found
        assert (found.rows, found.waited) == ((), [])
        found.kill()


@pytest.fixture
def refusing(unharmed: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GATE_TOKEN", unharmed.token(Scope.RUNS_WRITE))
    return unharmed


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text(dump_run(RUN), encoding="utf-8")
    (folder / "samples.jsonl").write_bytes(SAMPLES)
    return folder


def test_a_run_goes_to_a_server_once(place: Place, run: Path) -> None:
    assert place.send(run) == SentRun(f"{place.url}/runs/1", True)
    assert place.send(run / "run.json") == SentRun(f"{place.url}/runs/1", False)
    (row,) = place.rows
    assert (row.samples, row.context) == (12, Context("acme/shop", "topic", "pull_request", 7, "Ann (token t0)"))
    (run / "samples.jsonl").unlink()
    assert place.send(run).new is False
    assert len(place.rows) == 1


@pytest.mark.parametrize(
    ("prefix", "waits"),
    [
        ("/500/503", [7.0, 7.0, 7.0, 7.0]),
        ("/post-lost", [7.0]),
    ],
)
def test_what_may_go_better_later_is_tried_again(place: Place, run: Path, prefix: str, waits: list[float]) -> None:
    assert place.send(run, prefix).new is ("lost" not in prefix)
    assert place.waited == waits
    assert (len(place.rows), place.rows[0].samples) == (1, 12)


def test_a_server_that_is_killed_while_a_run_comes_in_gets_it_whole_when_it_is_back(place: Place, run: Path) -> None:
    padded = b"".join(line.rstrip() + b" " * PADDING + b"\n" for line in SAMPLES.splitlines())
    (run / "samples.jsonl").write_bytes(padded)
    steps: list[str] = []

    def shown(done: int, whole: int) -> None:
        if done > whole / 2 and not steps:
            steps.append(f"killed at {done // PADDING} of {whole // PADDING}, with {len(place.rows)} runs")
            place.kill()

    def wait(seconds: float) -> None:
        steps.append(f"waited {seconds:g} s, with {len(place.rows)} runs")
        place.start()

    sent = place.send(run, wait=wait, shown=shown)
    assert steps == ["killed at 6 of 12, with 0 runs", "waited 1 s, with 0 runs"]
    assert (sent.new, len(place.rows), place.rows[0].samples) == (True, 1, 12)
    assert place.told


def test_a_server_that_never_comes_is_told_and_ends(place: Place, run: Path) -> None:
    place.kill()
    with pytest.raises(CannotEvaluate, match="could not save the run: Connection refused"):
        place.send(run)
    assert place.waited == [1.0, 2.0, 4.0, 8.0]
    assert len(place.told) == TRIES - 1


OTHERS = (
    ("/404", "there is no Prompt Gate server at http://127.0.0.1:[0-9]+/404"),
    ("/post-302", "redirects to /stolen"),
    ("/403", "a proxy in front of http://127.0.0.1:[0-9]+/403 refuses the request"),
    ("/post-413", "the run is larger than"),
)


@pytest.mark.threat("push-token")
def test_what_is_no_prompt_gate_gets_no_run_and_no_redirect_is_followed(refusing: Place, run: Path) -> None:
    for prefix, said in OTHERS:
        with pytest.raises(GateError, match=said):
            refusing.send(run, prefix)
        assert (refusing.rows, refusing.waited, (refusing.folder / "seen").exists()) == ((), [], False)


def test_tokens_that_will_not_do_are_told_apart(refusing: Place, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = refusing.token(Scope.RUNS_WRITE)
    for token, said in (
        ("", "does not know the token"),
        (new_secret(), "does not know the token"),
        (good[:-1], "is not a complete token"),
        (refusing.token(Scope.RUNS_READ), "needs the scope runs:write"),
    ):
        monkeypatch.setenv("GATE_TOKEN", token)
        with pytest.raises(GateError, match=said) as told:
            refusing.send(run)
        assert not token or token not in f"{told.value.message} {told.value.hint}"
    assert refusing.rows == ()


def test_a_file_that_grows_while_it_is_sent_is_told(refusing: Place, run: Path) -> None:
    def shown(done: int, whole: int) -> None:
        with (run / "samples.jsonl").open("ab") as file:
            file.write(b"\n")

    with pytest.raises(GateError, match="changed while it was sent"):
        refusing.send(run, shown=shown)
    assert refusing.rows == ()


@pytest.mark.threat("push-token")
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://gate.example.org", "is not encrypted"),
        ("http://127.0.0.1.example.org/", "is not encrypted"),
        ("https://ann:secret@gate.example.org", "a user name or password"),
        ("gate.example.org", "is not the address of a server"),
        ("https://gate.example.org/?a=b", "is not the address of a server"),
        ("https://gate.example.org/\r\nx: y", "is not the address of a server"),
        ("https://[::1", "is not the address of a server"),
    ],
)
def test_a_token_goes_over_no_open_network_and_to_no_odd_address(
    run: Path, monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    monkeypatch.setenv("GATE_TOKEN", new_secret())
    with pytest.raises(GateError, match=said) as told:
        send_run(run, url, CI, SendOptions(time.sleep))
    assert "secret" not in told.value.message


def test_a_proxy_is_asked_for_a_tunnel_and_sees_no_token(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    door = socket.create_server(("127.0.0.1", 0))

    def proxy() -> None:
        for _ in range(TRIES):
            line, _address = door.accept()
            with line:
                seen.append(line.recv(2**16))
                line.sendall(b"HTTP/1.1 503 Busy\r\n\r\n")

    thread = threading.Thread(target=proxy)
    thread.start()
    monkeypatch.setenv("GATE_TOKEN", secret := new_secret())
    monkeypatch.setenv("https_proxy", f"http://ann:p%40ss@127.0.0.1:{door.getsockname()[1]}")
    monkeypatch.setenv("no_proxy", "inner.example.org")
    with pytest.raises(CannotEvaluate, match="could not save the run: the proxy reported 503 Busy"):
        send_run(run, "https://gate.example.org/team", CI, SendOptions(lambda seconds: None))
    thread.join()
    door.close()
    assert {one.split(b" HTTP/")[0] for one in seen} == {b"CONNECT gate.example.org:443"}
    assert b"Basic YW5uOnBAc3M=" in seen[0]
    assert secret.encode() not in b"".join(seen)


def test_a_server_without_tls_is_told(refusing: Place, run: Path) -> None:
    with pytest.raises(GateError, match="does not speak TLS"):
        send_run(run, f"https://127.0.0.1:{refusing.port}", CI, SendOptions(refusing.waited.append))
    assert refusing.rows == ()


def test_the_command(place: Place, run: Path) -> None:
    made = gate("tokens", "create", "here", "--scope", "runs:write", "--owner", "Bob", cwd=place.folder / "run", env={})
    assert (made.code, "Token 1 (here, owner Bob)" in made.err) == (0, True), made.err
    env = {"GATE_TOKEN": place.token(Scope.RUNS_WRITE)}
    done = gate("push", str(run), "--to", place.url, cwd=place.folder, env=env)
    assert (done.code, done.out) == (0, f"Saved: {place.url}/runs/1\n"), done.err
    again = gate("push", str(run), "--to", place.url, cwd=place.folder, env={"GATE_TOKEN": made.out.strip()})
    assert (again.code, "does not know the token" in again.err, made.out.strip() in again.err) == (2, True, False)
