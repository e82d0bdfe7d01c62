"""A process that loads the package and pytest once, and forks for each run of the command, of pytest, or of a script.

A short run spends most of its time on imports and on their cleanup at the end. A fork has its own arguments,
environment, working directory, streams, signals and exit code, like any process. It cannot test Python's start, and it
does not clear its modules at the end: see `leave`. `tests.support.forked` is the client.

A client sends a request and the descriptors of the three streams. It receives the process id, and at the end the
status. If the client disconnects earlier, the fork is killed.
"""

import atexit
import contextlib
import gc
import json
import os
import resource
import runpy
import select
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from tests.support.warm import load

HEADER = 8
"""Bytes that say how long a request is."""


def main(path: str) -> None:
    """Listen until standard input ends, and fork for each request; load what forks need when the first one asks."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("ready", flush=True)
        if 0 in select.select([listener.fileno(), 0], [], [])[0]:
            return
        load()
        # What is loaded stays: a collection in a fork would only copy its pages.
        gc.collect()
        gc.freeze()
        request = _serve(listener)
    if request is not None:
        _become(request)


def _serve(listener: socket.socket) -> dict[str, Any] | None:
    """Fork for each request.

    Returns:
        In a fork its request, in the server nothing, once standard input ends.
    """
    wake, woken = socket.socketpair()
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    lines: dict[int, socket.socket] = {}
    """By process."""
    while True:
        watched: list[Any] = [0, wake, listener, *lines.values()]
        readable = select.select(watched, [], [])[0]
        if 0 in readable:
            return None
        if wake in readable:
            wake.recv(4096)
            _tell(lines)
        for pid, line in lines.items():
            # Nothing is said to this process: that there is something to read means that nobody is there.
            if line in readable:
                os.kill(pid, signal.SIGKILL)
        if listener in readable and (request := _answer(listener.accept()[0], lines)) is not None:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return request


def _tell(lines: dict[int, socket.socket]) -> None:
    """Tell of each fork that has ended how it did."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            # Whoever asked may have gone away.
            with lines.pop(pid) as line, contextlib.suppress(OSError):
                line.sendall(f"{status}\n".encode())


def _answer(line: socket.socket, lines: dict[int, socket.socket]) -> dict[str, Any] | None:
    """Fork for one request; only the fork gets it back."""
    header, files, _, _ = socket.recv_fds(line, HEADER, 3)
    with line.makefile("rb") as sent:
        request: dict[str, Any] = json.loads(sent.read(int.from_bytes(header, "big")))
    pid = os.fork()
    if pid == 0:
        for target, file in enumerate(files):
            os.dup2(file, target)
        return request
    for file in files:
        os.close(file)
    lines[pid] = line
    with contextlib.suppress(OSError):
        line.sendall(f"{pid}\n".encode())
    return None


def _become(request: dict[str, Any]) -> None:
    """Run the command, or the script, in this process as Python would."""
    os.closerange(3, 1024)
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        stream = open(number, mode, encoding="utf-8", closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(request["env"])
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    os.chdir(request["cwd"])
    if request["file_bytes"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_bytes"], request["file_bytes"]))
    # Who runs the tests in the background ignores Ctrl-C, and processes inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if request["module"] is None:
            sys.argv = request["arguments"]
            sys.path[0] = str(Path(sys.argv[0]).parent.absolute())
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            sys.argv = ["", *request["arguments"]]
            sys.path[0] = request["cwd"]
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
    threading._shutdown()  # pyrefly: ignore[missing-attribute]
    atexit._run_exitfuncs()
    gc.collect()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
