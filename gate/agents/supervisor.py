"""Starts one program and ends it with everything that it started; run by its path, needs no package.

The program gets this process's standard input, output and error, which this one closes. A socket, whose descriptor
is the first argument, reports the outcome, one JSON list per line: `["failed", reason]` if it cannot be started,
`["ended", exit code]`. When the other end of the socket is closed, or its process has ended, the program is ended: it
has a moment to exit after its standard input closes, and another one after SIGTERM; neither if a byte came through
the socket. Without that byte, the folder of the second argument, if any, is removed.

Nothing that it has started outlives it, in any session: orphans become children of this process (Linux), and are
killed. None of them can access this process by /proc or ptrace.
"""

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

LEAVING_S, TERMINATED_S = 1.0, 1.0
"""Seconds to exit after the connection closed, and after SIGTERM."""
ROUNDS = 1000
"""Rounds of looking for what is left; each ends all that it finds."""
LOOK_S = 0.05
_DEATH_SIGNAL = 1
DUMPABLE, SUBREAPER = 4, 36


def prctl(option: int, value: int) -> None:
    """Linux has it; elsewhere a process that leaves its session can outlive its program."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def become_program() -> None:
    """In the new process, before the program: it dies with the keeper, and dumps no core."""
    prctl(_DEATH_SIGNAL, signal.SIGKILL)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def say(control: socket.socket, *what: object) -> None:
    with suppress(OSError):
        control.sendall(json.dumps(what).encode("ascii") + b"\n")


def ended(pid: int, codes: dict[int, int]) -> bool:
    """Is a child gone? Waits for every child that is."""
    with suppress(ChildProcessError):
        while True:
            found, status = os.waitpid(-1, os.WNOHANG)
            if not found:
                break
            if found == pid:
                codes[pid] = os.waitstatus_to_exitcode(status)
    return pid in codes


def watch(control: socket.socket, pid: int, codes: dict[int, int]) -> bool:
    """Wait until the program has ended, or the connection closed; False if it must be ended at once."""
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while not ended(pid, codes):
        readable = select.select([control.fileno(), wake], [], [])[0]
        if wake in readable:
            os.read(wake, 4096)
        if control.fileno() in readable:
            with suppress(OSError):
                return not control.recv(1)
            return True
    return True


def leave(pid: int, codes: dict[int, int]) -> None:
    """Give the program time to exit."""
    for seconds, number in ((LEAVING_S, signal.SIGTERM), (TERMINATED_S, signal.SIGKILL)):
        end = time.monotonic() + seconds
        while not ended(pid, codes) and time.monotonic() < end:
            time.sleep(LOOK_S)
        if not ended(pid, codes):
            with suppress(OSError):
                os.killpg(pid, number)


def end_all(pid: int) -> None:
    """Kill the session of the program, and every other process that has become a child of this one."""
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    for _ in range(ROUNDS):
        for child in children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def children() -> list[int]:
    """The processes whose parent this one is, as the system lists them."""
    mine, found = os.getpid(), []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError, ValueError, IndexError):
            if name.isdigit():
                with open(f"/proc/{name}/stat", "rb") as file:
                    if int(file.read().rpartition(b")")[2].split()[1]) == mine:
                        found.append(int(name))
    return found


def main() -> None:
    """Start the program, wait until it ends or is no longer wanted, and leave nothing behind."""
    control = socket.socket(fileno=int(sys.argv[1]))
    prctl(SUBREAPER, 1)
    prctl(DUMPABLE, 0)
    try:
        program = subprocess.Popen(  # noqa: S603 it is there to run what it is told to
            sys.argv[3:], start_new_session=True, preexec_fn=become_program
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return say(control, "failed", getattr(error, "strerror", None) or str(error))
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    codes: dict[int, int] = {}
    try:
        abandoned = watch(control, program.pid, codes) and program.pid not in codes
        if abandoned:
            leave(program.pid, codes)
    finally:
        end_all(program.pid)
    if abandoned and sys.argv[2]:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
    if program.pid in codes:
        say(control, "ended", codes[program.pid])
    os._exit(0)


if __name__ == "__main__":
    main()
