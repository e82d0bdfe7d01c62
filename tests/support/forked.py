"""Runs the command, pytest or a script without loading the package again: see `tests.support.forkserver`.

done = run(["diff", "--help"], cwd=tmp_path, env=environment(tmp_path), timeout_s=60)

with start(["diff"], cwd=tmp_path, env=environment(tmp_path)) as fork:
    fork.send_signal(signal.SIGKILL)
    assert fork.wait(60) == -signal.SIGKILL
"""

import atexit
import functools
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.support.forkserver import HEADER
from tests.support.warm import ROOT

FORK_CLIENT = Path(__file__).with_name("fork_client.py")
SERVER = "GATE_TEST_FORKS"
"""The variable that tells the workers of one run where the socket of its server is."""


def run(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], timeout_s: float, module: str | None = "gate"
) -> "subprocess.CompletedProcess[str]":
    """Run `python -m gate`, or `python -m pytest`, or without a module a script, to its end.

    If the environment has settings for Python's start, a new process is started.

    Raises:
        subprocess.TimeoutExpired: it took longer; it has been killed.
    """
    command = [sys.executable, *(() if module is None else ("-m", module)), *arguments]
    if any(name.startswith(("PYTHON", "LC_")) for name in env if (name, env[name]) != ("PYTHONPATH", str(ROOT))):
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout_s, check=False)
    with start(arguments, cwd, env, module) as fork:
        try:
            out, err = fork.communicate(timeout_s)
        except subprocess.TimeoutExpired:
            fork.kill()
            raise
        return subprocess.CompletedProcess(command, fork.wait(timeout_s), out, err)


@dataclass(slots=True)
class Fork:
    """A run that is going on; what it has of `subprocess.Popen` does the same.

    Args:
        pid: of its process.
        out, err: the files into which it writes.
    """

    pid: int
    out: IO[bytes]
    err: IO[bytes]
    _line: socket.socket = field(repr=False)
    _code: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; negative for a signal.

        Raises:
            subprocess.TimeoutExpired: after `timeout` seconds.
        """
        if self._code is None:
            self._line.settimeout(timeout)
            try:
                with self._line.makefile("r") as replies:
                    self._code = os.waitstatus_to_exitcode(int(replies.readline()))
            except TimeoutError:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0) from None
        return self._code

    @property
    def returncode(self) -> int | None:
        """The exit code of one that was waited for."""
        return self._code

    @property
    def running(self) -> bool:
        """Does it still go on?"""
        try:
            self.wait(0.001)
        except subprocess.TimeoutExpired:
            return True
        return False

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and read what it has written.

        Raises:
            subprocess.TimeoutExpired: after `timeout` seconds.
        """
        self.wait(timeout)
        return _text(self.out), _text(self.err)

    def send_signal(self, number: int) -> None:
        if self._code is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "Fork":
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        for one in (self._line, self.out, self.err):
            one.close()


def start(
    arguments: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    module: str | None = "gate",
    file_bytes: int | None = None,
) -> Fork:
    """Start it, and do not wait; it dies with this process.

    Args:
        file_bytes: how long the longest file may become that it writes, as on a disk that is nearly full.
    """
    request = {"module": module, "arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}
    body = json.dumps({**request, "file_bytes": file_bytes}).encode()
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(server()))
    with open(os.devnull) as nothing:
        files = [file.fileno() for file in (nothing, out, err)]
        socket.send_fds(line, [len(body).to_bytes(HEADER, "big")], files)
        line.sendall(body)
        pid = _line_of(line)
    return Fork(pid, out, err, line)


def _line_of(line: socket.socket) -> int:
    """The number on one line, and nothing of the next."""
    said = b""
    while not said.endswith(b"\n"):
        if not (more := line.recv(1)):
            raise RuntimeError("the fork server has ended; its reason stands above")
        said += more
    return int(said)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def python(folder: Path) -> Path:
    """Put a `python` into a folder that runs scripts as forks; for a `PATH`, where how Python starts proves nothing."""
    file = folder / "python"
    words = (sys.executable, "-IS", FORK_CLIENT, server())
    file.write_text(f'#!/bin/sh\nexec {" ".join(shlex.quote(str(word)) for word in words)} "$@"\n')
    file.chmod(0o755)
    return file


@functools.cache
def server() -> Path:
    """The socket of the server: that of all workers, or else of one that is started here and ends with this process."""
    if SERVER in os.environ:
        return Path(os.environ[SERVER])
    folder = tempfile.TemporaryDirectory(prefix="gate-forks-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "socket"
    env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forkserver", str(path)],
        cwd=ROOT,
        env=env | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    # Its standard input ends.
    atexit.register(process.communicate)
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError("the fork server does not start; its reason stands above")
    return path


def share() -> None:
    """Let processes that this one starts share its server, which loads nothing before it is asked."""
    os.environ[SERVER] = str(server())
