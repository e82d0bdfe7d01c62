"""Runs of the command, or of pytest, that do not load the package anew: a process that has loaded it forks for each.

Most of what a short run costs is its imports, and to take apart at the end what they made. A fork is a process like
any other: arguments, environment, folder, output, signals and exit code are its own. What a fork cannot show is how
Python starts, so an environment that says something about that gets a process that starts from nothing. Nor does it
clear its modules at the end: see `leave`.

    done = run(["diff", "--help"], cwd=tmp_path, env=environment(tmp_path), timeout_s=60)
"""

import atexit
import contextlib
import functools
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tests.support.warm import LOADS, ROOT

HEADER = 8
"""Bytes that say how long a request is."""


def run(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], timeout_s: float, module: str = "gate"
) -> "subprocess.CompletedProcess[str]":
    """Run `python -m gate`, or another module of `warm.LOADS`, to its end.

    Raises:
        subprocess.TimeoutExpired: it took longer; it has been killed.
    """
    command = [sys.executable, "-m", module, *arguments]
    if any(name.startswith(("PYTHON", "LC_")) for name in env if (name, env[name]) != ("PYTHONPATH", str(ROOT))):
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout_s, check=False)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = _forked(
            {"module": module, "arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}, (out, err), timeout_s
        )
        return subprocess.CompletedProcess(command, code, _text(out), _text(err))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def _forked(request: Mapping[str, Any], files: Sequence[IO[bytes]], timeout_s: float) -> int:
    """The exit code; negative for a signal, as `subprocess` has it."""
    body = json.dumps(request).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(_server(request["module"])))
        socket.send_fds(line, [len(body).to_bytes(HEADER, "big")], [file.fileno() for file in files])
        line.sendall(body)
        replies = line.makefile("r")
        pid = int(replies.readline())
        line.settimeout(timeout_s)
        try:
            return os.waitstatus_to_exitcode(int(replies.readline()))
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(request["arguments"], timeout_s) from None


@functools.cache
def _server(module: str) -> Path:
    """Start it, once a process of pytest and module; it ends with its standard input.

    Returns:
        The socket on which it listens.
    """
    folder = tempfile.TemporaryDirectory(prefix="gate-forks-")
    path = Path(folder.name) / "socket"
    env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forkserver", module, str(path)],
        cwd=ROOT,
        env=env | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def close() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(close)
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError("the fork server does not start; its reason stands above")
    return path


def main(module: str, path: str) -> None:
    """Listen until standard input ends, and fork for each request."""
    LOADS[module]()
    # What is loaded stays: a collection in a fork would only copy its pages.
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("ready", flush=True)
        while True:
            readable, _, _ = select.select([listener.fileno(), 0], [], [])
            if 0 in readable:
                return
            line, _ = listener.accept()
            with line:
                if os.fork() == 0:
                    request = _handle(line)
                    break
    _become(request)


def _handle(line: socket.socket) -> dict[str, Any]:
    """Read a request, fork the process that runs it, and tell how it ended; only that process comes back."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    header, files, _, _ = socket.recv_fds(line, HEADER, 2)
    size, body = int.from_bytes(header, "big"), b""
    while len(body) < size:
        body += line.recv(size - len(body))
    pid = os.fork()
    if pid == 0:
        for target, file in enumerate(files, start=1):
            os.dup2(file, target)
        request: dict[str, Any] = json.loads(body)
        return request
    # Whoever asked may have gone away.
    with contextlib.suppress(BrokenPipeError):
        line.sendall(f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        line.sendall(f"{status}\n".encode())
    os._exit(0)


def _become(request: dict[str, Any]) -> None:
    """Run the command in this process as Python would."""
    os.closerange(3, 1024)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        stream = open(number, mode, encoding="utf-8", closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.path[0] = request["cwd"]
    sys.argv = ["", *request["arguments"]]
    try:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        # Whatever else ends it, or what it says beside a number, is Python's to tell.
        if not isinstance(end.code, int | None):
            raise
        leave(end.code or 0)


def leave(code: int) -> None:
    """End this process as Python would, but for its modules, whose copied pages cost more than most runs.

    Threads are waited for, functions registered for the end are called, garbage is finalized, and output is written.
    `multiprocessing` ends its forks in the same way.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
