"""Adds a finished run to the store, or sends it to a server, together with its origin."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.config.documents import decode, printable
from gate.engine.signals import within_minutes
from gate.environment.action import Runner
from gate.environment.settings import TOKEN, Surroundings, database_url, push_token
from gate.errors import CannotEvaluate, GateError
from gate.git.places import git_user_name, root_of
from gate.git.repository import Repo
from gate.github.events import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
    parse_event,
)
from gate.record.history import Context
from gate.store.access import is_token
from gate.store.local_store import open_database
from gate.store.redaction import redactor
from gate.store.remote import Reply, RunUpload, Server, Unreachable
from gate.store.run_folder import SAMPLES_FILE, load_run

if TYPE_CHECKING:
    from gate.store.sql.runs import KeptSample

RUN_FILE = "run.json"
STORE_MINUTES = 10.0
"""Limit for one run, for a store that stops answering."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in the store.

    Args:
        store: address for users, without the password.
    """

    store: str
    id: int
    new: bool


def store_run(path: Path, root: Path, context: Context, minutes: float = STORE_MINUTES) -> StoredRun:
    """Add a run to the store; an existing run is not changed.

    Args:
        path: a `run.json`, or the folder that holds one; `samples.jsonl` beside it goes along.
        root: of the repository; its store is used unless the environment names another.
        minutes: time limit; call this only in the main thread.

    Raises:
        GateError: it is not a run, its samples belong to another run, or the store cannot be opened.
        CannotEvaluate: the store does not answer.
    """
    message = (
        f"the store took longer than {minutes:g} minutes",
        "check that the database runs, then run the command again",
    )
    return within_minutes(minutes, lambda: _keep(path, root, context), lambda: message)


def _keep(path: Path, root: Path, context: Context) -> StoredRun:
    file = path / RUN_FILE if path.is_dir() else path
    run, clean = load_run(file), redactor()
    with closing(open_database(root, database_url())) as database:
        from gate.store.sql.runs import Runs

        samples = file.parent / SAMPLES_FILE
        # Without an evaluation no sample counts, and those that are there are of a run that was broken off.
        beside = file.name == RUN_FILE and run.evaluated and samples.is_file()
        found = _samples(samples) if beside else iter(())
        added = Runs(database, clean).add(run, found, context, datetime.now(UTC))
        return StoredRun(database.label, added.id, added.new)


def store_run_here(path: Path) -> StoredRun:
    """Add a run of the current repository to its store; see `store_run`."""
    return store_run(path, root_of(Path()), context_here(Path()))


def _samples(path: Path) -> "Iterator[KeptSample]":
    """Samples with their lines, one in memory at a time."""
    from gate.store.sql.runs import kept_samples

    try:
        with path.open("rb") as file:
            yield from kept_samples(file, str(path))
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}") from None


TRIES = 5
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0
SEND_MINUTES = 10.0
"""Limit for one run, all tries together."""
_ABOUT, _RUNS = "/api/v1", "/api/v1/runs"
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class SentRun:
    """A run on a server: its web page, and whether it is new."""

    page: str
    new: bool


@dataclass(frozen=True, slots=True)
class SendOptions:
    """Options for sending a run.

    Args:
        shown: called with the number of bytes sent and the total.
        retried: called with the reason of a retry.
    """

    wait: Callable[[float], None]
    shown: Callable[[int, int], None] = lambda done, whole: None
    insecure: bool = False
    retried: Callable[[str], None] = lambda why: None


def send_run_here(path: Path, url: str, options: SendOptions) -> SentRun:
    """Send a run of the current repository; see `send_run`."""
    return send_run(path, url, context_here(Path()), options)


def send_run(path: Path, url: str, context: Context, options: SendOptions) -> SentRun:
    """Send a run with its samples and the token of the environment; call this only in the main thread.

    Args:
        path: a `run.json`, or the folder that holds one; `samples.jsonl` beside it goes along.

    Raises:
        GateError: the run is incomplete, the token is missing or insufficient, or the server is not a Prompt Gate.
        CannotEvaluate: the server does not answer, or cannot store the run now.
    """
    message = (
        f"sending the run took longer than {SEND_MINUTES:g} minutes",
        "check that the server runs, then run the command again",
    )
    return within_minutes(SEND_MINUTES, lambda: _sent(path, url, context, options), lambda: message)


def _sent(path: Path, url: str, context: Context, options: SendOptions) -> SentRun:
    token = push_token()
    if token and not is_token(token):
        raise GateError(f"{TOKEN} is not a complete token of Prompt Gate")
    server = Server.at(url, token, insecure=options.insecure)
    file = path / RUN_FILE if path.is_dir() else path
    run = load_run(file)
    samples = file.parent / SAMPLES_FILE
    # Without an evaluation no sample counts, and those that are there are of a run that was broken off.
    beside = file.name == RUN_FILE and run.evaluated and samples.is_file()
    server_upload = _ServerUpload(server, options)
    most = server_upload.greet()
    upload = RunUpload(file, samples if beside else None, _origin(context), options.shown)
    if upload.size > most:
        raise GateError(
            f"the run is larger than the {most // 2**20} MiB that {server.url} accepts", "push run.json alone"
        )
    return server_upload.deliver(upload)


@dataclass(frozen=True, slots=True)
class _ServerUpload:
    """A connection to one server."""

    server: Server
    options: SendOptions

    def greet(self) -> int:
        """Check the server before sending; returns the size limit of a run."""
        reply = self._request("GET", _ABOUT)
        if reply.status == 200 and reply.body.get("service") == "prompt-gate":
            most = reply.body.get("run_bytes")
            return most if isinstance(most, int) else 2**63
        raise self._error(reply)

    def deliver(self, upload: RunUpload) -> SentRun:
        reply = self._request("POST", _RUNS, upload)
        page, new = reply.body.get("page"), reply.body.get("new")
        if reply.status in (200, 201) and isinstance(page, str) and isinstance(new, bool):
            return SentRun(printable(f"{self.server.url}{page}"), new)
        raise self._error(reply)

    def _request(self, method: str, path: str, upload: RunUpload | None = None) -> Reply:
        """Send a request, with retries of temporary errors."""
        for tried in range(1, TRIES + 1):
            try:
                reply = self.server.ask(method, path, upload)
            except Unreachable as away:
                why, wait_s = str(away), 0.0
            else:
                if reply.status not in _LATER:
                    return reply
                why, wait_s = self._masked_message(reply) or f"it answered with status {reply.status}", _seconds(reply)
            if tried < TRIES:
                self.options.retried(why)
                self.options.wait(max(wait_s, _FIRST_WAIT_S * 2 ** (tried - 1)))
        hint = "check that it runs, then run the command again; a run is saved only once"
        raise CannotEvaluate(f"{self.server.url} could not save the run: {why}", hint)

    def _masked_message(self, reply: Reply) -> str:
        """The message of the server with the token masked."""
        return reply.message.replace(self.server.token, "[token]") if self.server.token else reply.message

    def _error(self, reply: Reply) -> GateError:
        where, status = self.server.url, reply.status
        if 300 <= status < 400:
            to = printable(reply.headers.get("location", "elsewhere"))[:200]
            return GateError(
                f"{where} redirects to {to}", "give that address with --to; the token is not sent to a redirect"
            )
        words = self._masked_message(reply)
        suffix = f": {words}" if words else f" (status {status})"
        if status == 413:
            return GateError(f"the run is larger than {where} accepts{suffix}")
        if status in (401, 403) and not words:
            return GateError(
                f"a proxy in front of {where} refuses the request{suffix}", "allow requests to /api/v1 in the proxy"
            )
        if not words:
            return GateError(f"there is no Prompt Gate server at {where}", "give the address of its start page")
        if status == 401:
            hint = f"set {TOKEN}" if not self.server.token else "create another one with gate tokens create"
            return GateError(f"{where} does not know the token{suffix}", hint)
        if status == 403:
            return GateError(f"{where} does not allow it{suffix}")
        return GateError(f"{where} refuses the run{suffix}")


def _origin(context: Context) -> str:
    """The origin of a run as JSON, without the sender, whom the token identifies."""
    named = {"repository": context.repository, "branch": context.branch, "event": context.event}
    number = {} if context.pull_request is None else {"pull_request": context.pull_request}
    return json.dumps({**named, **number})


def _seconds(reply: Reply) -> float:
    """The wait that the server requests."""
    asked = reply.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_WAIT_S) if asked.isascii() and asked.isdecimal() and len(asked) < 9 else 0.0


_LARGEST_EVENT = 64 * 2**20
_LONGEST = 200
_REMOTE = re.compile(r"[/:]([^/:]+/[^/:]+?)(?:\.git)?/?$")


def context_here(directory: Path, environ: Mapping[str, str] | None = None) -> Context:
    """The origin of a run of this process.

    Raises:
        GateError: a workflow's event cannot be read.
    """
    if not Surroundings.from_environ(environ).event:
        return _local(directory)
    runner = Runner.from_environ(environ)
    path = runner.event_path
    try:
        if path.stat().st_size > _LARGEST_EVENT:
            raise GateError(f"the event {path} is larger than {_LARGEST_EVENT // 2**20} MiB")
        text = decode(path.read_bytes(), str(path))
    except OSError as error:
        raise GateError(f"cannot read the event {path}: {error.strerror}") from None
    return context_of(runner, parse_event(runner.event_name, text, str(path)))


def context_of(runner: Runner, event: Event, pull_request: int | None = None) -> Context:
    """The origin of a run for an event.

    Args:
        pull_request: number, if the event does not have it.
    """
    branch, number = _branch(runner, event)
    return Context(
        runner.repository,
        _short(branch),
        runner.event_name,
        pull_request if number is None else number,
        _short(runner.actor),
    )


def _branch(runner: Runner, event: Event) -> tuple[str, int | None]:
    """The evaluated branch, and its pull request."""
    match event:
        case PullRequestEvent(pull=pull):
            return runner.head_ref, pull.number
        case MergeGroupEvent():
            return event.base_ref, event.number
        case PushEvent():
            return event.branch, None
        case DispatchEvent():
            return event.ref.removeprefix("refs/heads/").removeprefix("refs/tags/"), None
        case WorkflowRunEvent():
            return event.head_branch, None


def _local(directory: Path) -> Context:
    try:
        repo = Repo.open(directory)
    except GateError:
        return Context(_short(directory.resolve().name))
    remote = _REMOTE.search(_git_output(repo, "config", "--get", "remote.origin.url"))
    name = remote[1] if remote else repo.root.resolve().name
    branch = _git_output(repo, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Context(_short(name), _short(branch), pushed_by=_short(git_user_name(repo)))


def _git_output(repo: Repo, *arguments: str) -> str:
    """Output of git on one line; empty if it fails."""
    answer = repo.git.ask(*arguments)
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]
