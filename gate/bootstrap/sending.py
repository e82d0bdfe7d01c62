"""Sends a finished run to a Prompt Gate server; the same run is kept once, however often it is sent."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.bootstrap.contexts import context_here
from gate.bootstrap.deadline import in_time
from gate.domain.api_token import well_formed
from gate.domain.history import Context
from gate.errors import CannotEvaluate, GateError
from gate.inputs.problems import printable
from gate.settings.storage import TOKEN, push_token
from gate.store.load import load_run
from gate.store.remote_server import Reply, Server, Unreachable, Upload
from gate.store.run_parcel import RunParcel

RECORD, SAMPLES = "run.json", "samples.jsonl"
TRIES = 5
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0
MINUTES = 10.0
"""For one run, all tries together."""
_ABOUT, _RUNS = "/api/v1", "/api/v1/runs"
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Sent:
    """A run that is on a server.

    Args:
        page: where people look at it.
        new: it was not there before.
    """

    page: str
    new: bool


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run is sent.

    Args:
        wait: waits for so many seconds.
        shown: is told how many bytes of how many are on their way.
        insecure: send the token over a network that can read it.
        retried: is told why it is sent once more.
    """

    wait: Callable[[float], None]
    shown: Callable[[int, int], None] = lambda done, whole: None
    insecure: bool = False
    retried: Callable[[str], None] = lambda why: None


def send_here(path: Path, url: str, manner: Manner, directory: Path = Path()) -> Sent:
    """Send a run of this repository; see `send_run`.

    Args:
        path: a `run.json`, or the folder that holds one.
        url: of the server.
        manner: how.
        directory: somewhere in the repository, or anywhere.
    """
    return send_run(path, url, context_here(directory), manner)


def send_run(path: Path, url: str, context: Context, manner: Manner) -> Sent:
    """Send a run, with its samples and the token of the environment; in the main thread alone.

    Args:
        path: a `run.json`, or the folder that holds one; `samples.jsonl` beside it goes along.
        url: of the server.
        context: where the run comes from.
        manner: how.

    Raises:
        GateError: it is no whole run, the token is none or does not suffice, or there is no Prompt Gate.
        CannotEvaluate: the server does not answer, or cannot keep the run now.
    """
    told = f"sending the run took longer than {MINUTES:g} minutes", "see that the server runs, then repeat"
    return in_time(MINUTES, lambda: _sent(path, url, context, manner), lambda: told)


def _sent(path: Path, url: str, context: Context, manner: Manner) -> Sent:
    token = push_token()
    if token and not well_formed(token):
        raise GateError(f"{TOKEN} is no token of Prompt Gate: it is mistyped, or a part of it is missing")
    server = Server.at(url, token, insecure=manner.insecure)
    file = path / RECORD if path.is_dir() else path
    run = load_run(file)
    samples = file.parent / SAMPLES
    # Without an evaluation no sample counts, and those that are there are of a run that was broken off.
    beside = file.name == RECORD and run.evaluated and samples.is_file()
    errand = _Errand(server, manner)
    most = errand.greet()
    parcel = RunParcel.of(file, samples if beside else None, _origin(context), manner.shown)
    if parcel.size > most:
        raise GateError(
            f"the run is larger than the {most // 2**20} MiB that {server.url} takes", "push run.json alone"
        )
    return errand.deliver(parcel)


@dataclass(frozen=True, slots=True)
class _Errand:
    """The way to one server and back."""

    server: Server
    manner: Manner

    def greet(self) -> int:
        """Ask who is there, before anything is sent; how large a run may be."""
        reply = self._asked("GET", _ABOUT)
        if reply.status == 200 and reply.body.get("service") == "prompt-gate":
            most = reply.body.get("run_bytes")
            return most if isinstance(most, int) else 2**63
        raise self._told(reply)

    def deliver(self, parcel: RunParcel) -> Sent:
        """Send a run."""
        reply = self._asked("POST", _RUNS, Upload(parcel.kind, parcel.size, parcel))
        page, new = reply.body.get("page"), reply.body.get("new")
        if reply.status in (200, 201) and isinstance(page, str) and isinstance(new, bool):
            return Sent(printable(f"{self.server.url}{page}"), new)
        raise self._told(reply)

    def _asked(self, method: str, path: str, upload: Upload | None = None) -> Reply:
        """The answer; what may go better later is tried again."""
        for tried in range(1, TRIES + 1):
            try:
                reply = self.server.ask(method, path, upload)
            except Unreachable as away:
                why, asked = str(away), 0.0
            else:
                if reply.status not in _LATER:
                    return reply
                why, asked = self._said(reply) or f"it answered with status {reply.status}", _seconds(reply)
            if tried < TRIES:
                self.manner.retried(why)
                self.manner.wait(max(asked, _FIRST_WAIT_S * 2 ** (tried - 1)))
        hint = "see that it runs, then repeat: a run is kept once, however often it is sent"
        raise CannotEvaluate(f"{self.server.url} cannot keep the run: {why}", hint)

    def _said(self, reply: Reply) -> str:
        """The server's words, in which the token may stand."""
        return reply.said.replace(self.server.token, "[token]") if self.server.token else reply.said

    def _told(self, reply: Reply) -> GateError:
        where, status = self.server.url, reply.status
        if 300 <= status < 400:
            to = printable(reply.headers.get("location", "elsewhere"))[:200]
            return GateError(f"{where} sends on to {to}", "name that address with --to: no token follows a redirect")
        words = self._said(reply)
        said = f": {words}" if words else f" (status {status})"
        if status == 413:
            return GateError(f"the run is larger than {where} takes{said}")
        if status in (401, 403) and not words:
            return GateError(f"something in front of {where} lets nobody through{said}", "let programs pass to /api/v1")
        if not words:
            return GateError(f"there is no Prompt Gate server at {where}", "name the address of its first page")
        if status == 401:
            hint = f"set {TOKEN}" if not self.server.token else "make another one with gate tokens create"
            return GateError(f"{where} does not know the token{said}", hint)
        if status == 403:
            return GateError(f"{where} does not allow it{said}")
        return GateError(f"{where} refuses the run{said}")


def _origin(context: Context) -> str:
    """Where a run comes from; who sends it is known by the token."""
    named = {"repository": context.repository, "branch": context.branch, "event": context.event}
    number = {} if context.pull_request is None else {"pull_request": context.pull_request}
    return json.dumps({**named, **number})


def _seconds(reply: Reply) -> float:
    """That the server asks to wait."""
    asked = reply.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_WAIT_S) if asked.isascii() and asked.isdecimal() and len(asked) < 9 else 0.0
