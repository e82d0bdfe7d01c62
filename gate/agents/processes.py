"""Programs run under a supervisor, which ends everything that they start."""

import asyncio
import json
import os
import secrets
import signal
import socket
import subprocess  # noqa: S404
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gate.agents import supervisor

COMMAND = (sys.executable, "-I", "-S", "-B", supervisor.__file__)
"""Starts a keeper."""
MARK = "PROMPT_GATE_SERVER"
"""A variable that identifies the program's child processes if its keeper is lost."""
ENDING_S = 10.0
"""Seconds for the supervisor to end what is left, after the connection to it closed."""
FATE_S = 1.0
"""Seconds for the keeper to report how a program ended that has closed its output."""
LINE_BYTES = 2**16
LAST_WORDS = 8192
"""Bytes of standard error that are stored."""
SHOWN_LINES = 3
SWEEPS = 200
"""Rounds of looking for what a lost keeper left."""


@dataclass(frozen=True, slots=True)
class ProgramPlace:
    """Where programs run."""

    root: Path
    scratch: Path
    path: str

    def environment(self, named: Mapping[str, str]) -> dict[str, str]:
        """All variables of a program. Raises OSError: the folders cannot be made."""
        home, temporary = self.scratch / "home", self.scratch / "tmp"
        for one in (home, temporary):
            one.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": self.path,
            "HOME": os.fspath(home),
            "TMPDIR": os.fspath(temporary),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            **named,
        }


class _Control(asyncio.Protocol):
    """Receives the keeper's messages."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.fate = ""
        self.gone = asyncio.Event()
        self._heard = b""

    def data_received(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data[-LAST_WORDS:]).split(b"\n")
        for line in lines:
            match json.loads(line):
                case ["failed", str(reason)]:
                    self.fate = f"cannot be started: {self.program}: {reason}"
                case ["ended", int(code)]:
                    self.fate = f"ended (signal {-code})" if code < 0 else f"ended (exit code {code})"

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()


class _Tail(asyncio.Protocol):
    """Stores the end of the output."""

    def __init__(self) -> None:
        self.kept = b""
        self.cut = False
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        whole = self.kept + data
        self.cut = self.cut or len(whole) > LAST_WORDS
        self.kept = whole[-LAST_WORDS:]

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


@dataclass(slots=True)
class SupervisedProgram:
    """A program, running or ended. It belongs to the event loop that it was started in."""

    keeper: "subprocess.Popen[bytes]"
    mark: str
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    _control: _Control
    _tail: _Tail
    _line: asyncio.WriteTransport
    _open: tuple[asyncio.BaseTransport, ...]
    _ended: bool = field(default=False, init=False)

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        place: ProgramPlace,
        named: Mapping[str, str],
        line_bytes: int = LINE_BYTES,
        *,
        owned: bool = False,
    ) -> "SupervisedProgram":
        """Start a program; `fate` reports a missing one.

        Args:
            named: variables besides those that each program has.
            line_bytes: the longest line of its output that can be read as one.
            owned: its scratch folder is removed if it is ended by the end of this process.

        Raises:
            OSError: no process can be started at all.
        """
        # Its environment and memory are closed to others of its user, by /proc and by ptrace; to root they stay open.
        supervisor.prctl(supervisor.DUMPABLE, 0)
        mark = secrets.token_hex(16)
        environment = {**place.environment(named), MARK: mark}
        ours, theirs = socket.socketpair()
        try:
            folder = os.fspath(place.scratch) if owned else ""
            popen = _keeper((str(theirs.fileno()), folder, *command), place.root, environment, theirs)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        assert popen.stdin and popen.stdout and popen.stderr  # noqa: S101 all are pipes
        loop = asyncio.get_running_loop()
        try:
            line, heard = await loop.create_connection(lambda: _Control(command[0]), sock=ours)
            errors, tail = await loop.connect_read_pipe(_Tail, popen.stderr)
            reader = asyncio.StreamReader(limit=line_bytes)
            output, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), popen.stdout)
            flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
            writing, _ = await loop.connect_write_pipe(lambda: flow, popen.stdin)
        except BaseException:
            # The supervisor ends what it has started.
            ours.close()
            raise
        writer = asyncio.StreamWriter(writing, flow, None, loop)
        return cls(popen, mark, writer, reader, heard, tail, line, (writing, output, errors))

    async def fate(self) -> str:
        """How the program ended, once it has closed its output."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FATE_S):
                await self._control.gone.wait()
                await self._tail.closed.wait()
        if self._control.fate:
            return self._control.fate
        return (
            "ended (the process that supervises it was killed)"
            if self._control.gone.is_set()
            else "closed its standard output"
        )

    def last_words(self) -> str:
        """The last lines of its standard error, on one line; empty where there are none."""
        text = self._tail.kept.decode(errors="replace")
        if self._tail.cut:
            # Half of the first line is missing, and half of a secret would not be recognised.
            text = text.partition("\n")[2]
        return " / ".join([line.strip() for line in text.splitlines() if line.strip()][-SHOWN_LINES:])

    async def end(self, *, at_once: bool = False) -> None:
        """End the program and its child processes; a second call does nothing."""
        if self._ended:
            return
        self._ended = True
        if at_once:
            self._line.write(b"!")
        # This is enough, even if nothing waits for the end: both supervisor and program notice it.
        self._line.write_eof()
        self.stdin.close()
        try:
            async with asyncio.timeout(ENDING_S):
                await self._control.gone.wait()
        except TimeoutError:
            with suppress(OSError):
                os.killpg(self.keeper.pid, signal.SIGKILL)
        for one in (self._line, *self._open):
            one.close()
        if await asyncio.to_thread(self.keeper.wait) != 0:
            await asyncio.to_thread(_sweep, self.mark)


def _keeper(
    arguments: Sequence[str], root: Path, environment: Mapping[str, str], control: socket.socket
) -> "subprocess.Popen[bytes]":
    """A supervisor's process; asyncio kills its own when it is dropped, but a supervisor must end without that."""
    return subprocess.Popen(  # noqa: S603 its own interpreter and its own file
        (*COMMAND, *arguments),
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(control.fileno(),),
        start_new_session=True,
    )


def _sweep(mark: str) -> None:
    """End what a lost keeper left, as where the program has killed it (Linux)."""
    wanted = f"{MARK}={mark}".encode()
    for _ in range(SWEEPS):
        left = [pid for pid in _mine() if wanted in _environment(pid).split(b"\0")]
        if not left:
            return
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _mine() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.isdir("/proc") else []


def _environment(pid: int) -> bytes:
    """The variables of a process; empty for one that is gone, or is another user's."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""
