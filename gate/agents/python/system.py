"""Limits and isolates processes, and ends what they leave behind; it needs no package."""

import ctypes
import os
import resource
import signal
import time
from collections.abc import Iterable
from contextlib import suppress

ROUNDS = 1000
"""Rounds of looking for what a process left; each ends all that it finds."""
SUBREAPER = 36
_IS_SUBREAPER, _DEATH_SIGNAL, _DUMPABLE = 37, 1, 4


def conceal() -> None:
    """Close this process, its environment and its memory, to others of its user, by /proc and by ptrace (Linux).

    To root with capabilities such as `CAP_SYS_PTRACE` it stays open. A program that it starts is open again.
    """
    prctl(_DUMPABLE, 0)


def seclude(pipes: Iterable[int]) -> None:
    """Isolate this process, except for its pipes; it ends with its parent (Linux).

    Args:
        pipes: closed in a program that it starts.
    """
    os.setsid()
    prctl(_DEATH_SIGNAL, signal.SIGKILL)
    # A fork has it from the keeper; a function may look into its own /proc.
    prctl(_DUMPABLE, 1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    for pipe in pipes:
        os.set_inheritable(pipe, False)


def confine(memory: int, seconds: int) -> None:
    """Limit this process, and all that it starts.

    Args:
        memory: bytes of address space, and of one file.
        seconds: of CPU time.
    """
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, memory)
    _limit(resource.RLIMIT_CPU, seconds)


def _limit(what: int, most: int) -> None:
    """Set a limit, where the system knows it and no lower one is set."""
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def prctl(option: int, value: int) -> None:
    """Linux has it; elsewhere a process that leaves its session can outlive its runner."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def subreaper() -> bool:
    """Do orphans below this process come to it?"""
    found = ctypes.c_int(0)
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_IS_SUBREAPER, ctypes.byref(found), 0, 0, 0)
    return bool(found.value)


def end_all(pid: int) -> None:
    """Kill a runner, its session and all that it has left; orphans become children of the keeper, their subreaper."""
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


def left_behind(runner: int) -> int:
    """Processes that calls have started and that still exist, as far as a quick look tells."""
    count = 0
    for parent in (runner, os.getpid()):
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    count += len(file.read().split())
    return max(0, count - 1)
