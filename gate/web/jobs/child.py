"""One process that does one job: begun with an order, heard line by line, ended by closing its ear."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gate.domain.jsonvalue import JsonValue
from gate.inputs.jsontext import BadJson, parse_json
from gate.web.jobs.order import Order, written

PATIENCE_S = 15.0
"""Seconds that a job has to end by itself; then its process is killed, with all that it began."""
LINE_BYTES = 2**20
# -P: the repository that the server runs in is not where modules of the gate come from.
COMMAND = (sys.executable, "-P", "-m", "gate.web.jobs.worker")


class Child:
    """The process of a job.

    Args:
        order: what it is to do; nothing of it becomes an argument, a variable or a file name.
        directory: root of the repository.
        folder: of its own, for the record of a run.
        command: that begins the process; the folder is its last argument.
    """

    def __init__(self, order: Order, directory: Path, folder: Path, command: Sequence[str] = COMMAND) -> None:
        self._process = subprocess.Popen(  # noqa: S603 the command is ours alone
            [*command, str(folder)],
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._order = written(order) + b"\n"

    @property
    def pid(self) -> int:
        """Of the process, and of the group that all it begins is in."""
        return self._process.pid

    def events(self) -> Iterator[dict[str, JsonValue]]:
        """What it tells, until it ends; what is no event is passed over."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101
        with suppress(OSError, ValueError):
            self._process.stdin.write(self._order)
            self._process.stdin.flush()
        while line := self._process.stdout.readline(LINE_BYTES):
            with suppress(BadJson, UnicodeDecodeError):
                event = parse_json(line.decode())
                if isinstance(event, dict):
                    yield event

    def wait(self) -> int:
        """The exit code, once it has ended."""
        # Whatever it began and left behind has nothing to do any more. Until it is waited for, nobody else has its
        # number.
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._kill()
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return code

    def end(self) -> None:
        """Have it stop what is under way; it is killed when it does not."""
        if self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.close()
        killer = threading.Timer(PATIENCE_S, self._late)
        killer.daemon = True
        killer.start()

    def _late(self) -> None:
        if self._process.poll() is None:
            self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
