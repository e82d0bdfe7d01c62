"""Calls a repository's own function in a process of its own."""

import json
import os
import selectors
import signal
import subprocess  # noqa: S404
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from gate.agents.python import system, worker
from gate.config.documents import printable, text_complaint
from gate.config.naming import FunctionName
from gate.errors import CannotEvaluate
from gate.limits import PROMPT_CHARS
from gate.prompts.functions import CannotLoad
from gate.record.transcript import Failed
from gate.values import JsonValue

COMMAND = (sys.executable, "-P", "-s", "-B", worker.__file__)
"""Starts a keeper."""
REASON_CHARS = 200
GRACE_S = 15.0
"""Seconds beyond the keeper's own limit after which it counts as lost."""
ENDING_S = 10.0
"""Seconds for the keeper to end what is left, once nobody listens."""


@dataclass(frozen=True, slots=True)
class FunctionLimits:
    """Limits for the function of one side.

    Args:
        import_s: seconds for each import of the module.
        call_s: seconds for one session.
        all_s: seconds for all sessions.
        losses: lost processes before no other is started.
        memory: bytes of address space.
        chars: of one text.
        all_chars: of all texts.
    """

    import_s: float = 30.0
    call_s: float = 10.0
    all_s: float = 120.0
    losses: int = 1_000_000
    memory: int = 4 * 2**30
    chars: int = PROMPT_CHARS
    all_chars: int = 128 * 2**20


@dataclass(frozen=True, slots=True)
class FunctionWorktree:
    """The code of one side.

    Args:
        root: where modules are looked for.
        checkout: code that must not be imported instead; may be the root itself.
        scratch: folder for the processes' own files; the keeper removes it if the gate is killed.
        path: the environment's PATH.
    """

    root: Path
    checkout: Path
    scratch: Path
    path: str

    def told(self) -> dict[str, JsonValue]:
        """The folders for the keeper, and what an exception's text must not reveal."""
        folders = {key: os.fspath(getattr(self, key)) for key in ("root", "checkout", "scratch")}
        return {**folders, "hidden": self._hidden()}

    def _hidden(self) -> list[JsonValue]:
        """Paths and their replacements, the longest first: variables, and temporary folders."""
        variables = environment(self.scratch, self.path).items()
        found = {value: f"${name}" for name, value in variables if os.sep in value}
        for folder, instead in ((self.scratch, f"…{os.sep}"), (self.root, "")):
            found |= {os.path.join(one, ""): instead for one in (folder, folder.resolve())}
        return [[value, found[value]] for value in sorted(found, key=len, reverse=True)]


def call_function(
    entry: FunctionName, sessions: Sequence[dict[str, JsonValue]], worktree: FunctionWorktree, limits: FunctionLimits
) -> tuple[str | Failed, ...]:
    """The text for each session, or why there is none.

    Args:
        sessions: arguments of the calls, one after the other, each a copy.

    Raises:
        CannotLoad: the module cannot be imported, or has no such function.
        CannotEvaluate: no process can be started, or it is lost.
    """
    found: dict[int, str | Failed] = {}
    left = limits.all_chars
    lost = CannotEvaluate(f"the process that calls {entry} was lost", "signal 9 often means too little memory")
    with sweeping(), _keeper(worktree) as keeper:
        end = time.monotonic() + limits.all_s + GRACE_S
        for line in _lines(keeper, _asked(entry, sessions, worktree, limits), end):
            match _said(line):
                case ["ready"]:
                    pass
                case ["lost", str(reason)]:
                    raise CannotLoad(f"{entry} cannot be used: {one_line(reason)}")
                case ["answer" | "failed" as kind, int(place), str(text)] if place not in found:
                    found[place] = answer = _text(text, left) if kind == "answer" else _failed(one_line(text))
                    left -= len(answer) if isinstance(answer, str) else 0
                case _:
                    # The keeper answers once; a second answer is from another process.
                    raise lost
        # If the keeper was killed, nobody knows who wrote the lines.
        if _ended(keeper) != 0 or found.keys() != set(range(len(sessions))):
            raise lost
    return tuple(found[place] for place in range(len(sessions)))


def _said(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _text(text: str, left: int) -> str | Failed:
    if len(text) > left:
        return _failed("the texts of all cases are too long together")
    if not text.strip():
        return _failed("it returned an empty text")
    return _failed(f"its text {reason}") if (reason := text_complaint(text)) else text


def _failed(reason: str) -> Failed:
    return Failed(f"the prompt could not be built: {reason}", attempts=0)


def one_line(reason: str) -> str:
    """A reason on one line."""
    text = printable(reason)
    return text if len(text) <= REASON_CHARS else text[:REASON_CHARS] + "…"


def _asked(
    entry: FunctionName, sessions: Sequence[dict[str, JsonValue]], worktree: FunctionWorktree, limits: FunctionLimits
) -> bytes:
    told = {
        **asdict(entry),
        **asdict(limits),
        **worktree.told(),
        "job": "prompt",
        # Parsed again for each call, so that no call sees what another did to its session.
        "sessions": [json.dumps(session) for session in sessions],
    }
    return json.dumps(told).encode("ascii") + b"\n"


def _lines(keeper: "subprocess.Popen[bytes]", asked: bytes, end: float) -> Iterator[bytes]:
    """The keeper's output, line by line, until it ends."""
    assert keeper.stdin and keeper.stdout  # noqa: S101 both are pipes
    with suppress(BrokenPipeError):
        keeper.stdin.write(asked)
        keeper.stdin.flush()
    heard = b""
    with selectors.DefaultSelector() as selector:
        selector.register(keeper.stdout, selectors.EVENT_READ)
        while (now := time.monotonic()) < end:
            # Another process may hold its output open.
            over = keeper.poll() is not None
            ready = selector.select(0 if over else min(end - now, worker.IDLE_S))
            if over and not ready:
                return
            if ready:
                data = os.read(keeper.stdout.fileno(), 1 << 20)
                *lines, heard = (heard + data).split(b"\n")
                yield from lines
                if not data:
                    return


def environment(folder: Path, path: str) -> dict[str, str]:
    """All variables of the processes, without any key or token.

    Args:
        folder: for `HOME` and `TMPDIR`.
    """
    home, temporary = folder / "home", folder / "tmp"
    for one in (home, temporary):
        one.mkdir(exist_ok=True)
    return {
        "PATH": path,
        "HOME": os.fspath(home),
        "TMPDIR": os.fspath(temporary),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@contextmanager
def _keeper(worktree: FunctionWorktree) -> Iterator["subprocess.Popen[bytes]"]:
    """The keeper's process; afterwards it and everything that it started are ended."""
    system.conceal()
    try:
        keeper = subprocess.Popen(  # noqa: S603 its own interpreter and its own file
            COMMAND,
            cwd=worktree.scratch,
            env=environment(worktree.scratch, worktree.path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise CannotEvaluate(f"no process for a Python prompt can be started: {error.strerror}") from None
    try:
        yield keeper
    finally:
        _end(keeper)


def _ended(keeper: "subprocess.Popen[bytes]") -> int | None:
    """The exit code of a keeper that has closed its output; None where it keeps running."""
    with suppress(subprocess.TimeoutExpired):
        return keeper.wait(ENDING_S)
    return None


@contextmanager
def sweeping() -> Iterator[None]:
    """Ends what a keeper has left, as where it was killed by a process that it watched.

    Meanwhile orphans below this process come to it (Linux), and every child that it did not have before is ended:
    nothing else may be started in it at the same time.
    """
    before = set(system.children())
    mine = system.subreaper()
    system.prctl(system.SUBREAPER, 1)
    try:
        yield
    finally:
        try:
            _sweep(before)
        finally:
            system.prctl(system.SUBREAPER, int(mine))


def _sweep(before: set[int]) -> None:
    for _ in range(system.ROUNDS):
        left = set(system.children()) - before
        if not left:
            return
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with suppress(OSError):
                # The processes of a lost keeper become children of this one once it is gone.
                os.waitpid(pid, 0)


def _end(keeper: "subprocess.Popen[bytes]") -> None:
    """Close the keeper's input, which ends it and everything that it started; kill it where it does not end."""
    assert keeper.stdin and keeper.stdout  # noqa: S101 both are pipes
    with suppress(OSError):
        keeper.stdin.close()
    keeper.stdout.close()
    try:
        keeper.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            os.killpg(keeper.pid, signal.SIGKILL)
        keeper.wait()
