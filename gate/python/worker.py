"""Calls one function of a repository for many sessions, in processes apart; it is run by its path and needs no package.

Two processes. The keeper reads what is asked, one line of JSON on its standard input, and answers on its standard
output. It forks the runner, which imports the module and calls the function. Whatever the runner does, or has left
behind, ends with it: one call that hangs, or ends its process, costs that call alone, since the keeper forks another
for the rest.

Answers, one JSON list a line: `["ready"]` once the function is there, `["text", n, text]`, `["failed", n, reason]`,
`["lost", reason]` where the function cannot be had.
"""

import ctypes
import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
from contextlib import suppress
from types import ModuleType
from typing import Any

LOOK_S = 0.05
"""Seconds between two looks at whether a process is still there, whoever holds its end of the pipe open."""
ROUNDS = 1000
"""How often the keeper looks for what is left of a runner; each look ends all that it finds."""
REASON_CHARS = 300
_SUBREAPER, _DEATH_SIGNAL = 36, 1


class Session(dict[str, Any]):
    """What the function is called with: a dict whose entries are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the session has no {name!r}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


class Runner:
    """Imports the module and calls the function.

    Args:
        asked: what the keeper was asked.
        pipe: for answers.
    """

    def __init__(self, asked: dict[str, Any], pipe: int) -> None:
        self.asked, self.pipe, self.pid = asked, pipe, os.getpid()
        # This file may lie in the checkout itself: it is nobody's prompt.
        self.before = frozenset(sys.modules)
        self.seen = 0

    def run(self, first: int) -> None:
        """Answer for all sessions from `first` on."""
        try:
            function = self.load()
        except BaseException as error:
            return self.say("lost", told(error))
        self.say("ready")
        for place in range(first, len(self.asked["sessions"])):
            self.say(*self.call(function, place))

    def load(self) -> Any:
        """The function, from the module in the worktree."""
        name, root = self.asked["module"], os.path.realpath(self.asked["root"])
        os.chdir(root)
        sys.path[:0] = [root, *(folder for folder in (os.path.join(root, "src"),) if os.path.isdir(folder))]
        module = importlib.import_module(name)
        file = getattr(module, "__file__", None)
        if file is None or not within(file, root):
            raise ImportError(f"{name} is {'a folder' if file is None else file}, and no module of the worktree")
        self.check_modules()
        function = getattr(module, self.asked["function"])
        if not callable(function):
            raise TypeError(f"{self.asked['function']} is no function")
        return function

    def call(self, function: Any, place: int) -> tuple[str, int, str]:
        """The answer for one session, which is made anew for it."""
        try:
            text = function(json.loads(self.asked["sessions"][place], object_hook=Session))
            if not isinstance(text, str):
                return "failed", place, f"it returned {type(text).__name__}, and the text of a prompt is wanted"
            if len(text) > self.asked["chars"]:
                return "failed", place, f"it returned {len(text):,} characters; {self.asked['chars']:,} are allowed"
            self.check_modules()
            return "text", place, str.__str__(text)
        except BaseException as error:
            return "failed", place, told(error)

    def check_modules(self) -> None:
        """Refuse code of the checkout itself: the same for both sides, it would hide what the change does."""
        if len(sys.modules) == self.seen:
            return
        self.seen = len(sys.modules)
        root, checkout = os.path.realpath(self.asked["root"]), os.path.realpath(self.asked["checkout"])
        for name, module in list(sys.modules.items()):
            if name in self.before:
                continue
            file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
            if file and within(file, checkout) and not within(file, root) and not installed(file):
                raise ImportError(f"{name} comes from the checkout ({file}) and not from the worktree of this side")

    def say(self, *answer: object) -> None:
        if os.getpid() != self.pid:
            # A child that the function has forked, and that came back from it, too.
            os._exit(0)
        left = memoryview(json.dumps(answer).encode("ascii") + b"\n")
        while left:
            left = left[os.write(self.pipe, left) :]


def within(file: str, folder: str) -> bool:
    """Does a file lie in a folder, links followed?"""
    return os.path.realpath(file).startswith(os.path.join(folder, ""))


def installed(file: str) -> bool:
    """Does a file belong to the interpreter? Its environment may lie in the checkout."""
    real = os.path.realpath(file)
    homes = {os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix)}
    return any(within(real, home) for home in homes) or "site-packages" in real.split(os.sep)


def told(error: BaseException) -> str:
    """An exception on one line; whatever its own text does."""
    try:
        text = str(error)[:REASON_CHARS]
    except BaseException:
        text = "its text cannot be read"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Keeper:
    """Forks runners until all sessions are answered for.

    Args:
        asked: module, function, root, checkout, sessions, scratch, chars, memory, import_s, call_s, all_s.
    """

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.end = time.monotonic() + asked["all_s"]
        self.loaded = False
        self.runner = 0

    def run(self) -> None:
        """Answer for every session, or say why the function cannot be had."""
        place, count = 0, len(self.asked["sessions"])
        # Without a session the function is looked for all the same.
        while place < count or not self.loaded:
            reached = self.attempt(place)
            if reached is None:
                return
            place = reached

    def attempt(self, first: int) -> int | None:
        """One runner: the place of the next session; None where there is nothing more to answer."""
        pipe, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            become_runner(self.asked, theirs, first)
        self.runner = pid
        os.close(theirs)
        try:
            return Listener(self, pid, pipe, first).listen()
        finally:
            os.close(pipe)
            end_all(pid)

    def say(self, *answer: object) -> None:
        try:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            self.abandoned()

    def abandoned(self) -> None:
        """Nobody waits for the answers any more: leave nothing behind."""
        end_all(self.runner)
        shutil.rmtree(self.asked["scratch"], ignore_errors=True)
        os._exit(1)


class Listener:
    """Hears one runner.

    Args:
        keeper: is told of its answers.
        pid: of the runner.
        pipe: its answers.
        place: of the session that it begins with.
    """

    def __init__(self, keeper: Keeper, pid: int, pipe: int, place: int) -> None:
        self.keeper, self.pid, self.pipe, self.place = keeper, pid, pipe, place
        self.ready = False
        self.heard = b""
        self.due = time.monotonic() + keeper.asked["import_s"]

    def listen(self) -> int | None:
        count = len(self.keeper.asked["sessions"])
        while True:
            reason = self.wait()
            *lines, self.heard = self.heard.split(b"\n")
            try:
                for line in lines:
                    if not self.take(line):
                        return None
            except (ValueError, TypeError, IndexError, RecursionError):
                return self.lost("what it answers is no answer")
            if self.ready and self.place >= count:
                return self.place
            # An answer has at most 12 bytes for a character, and a little around it.
            if len(self.heard) > 12 * self.keeper.asked["chars"] + 4096:
                reason = "it answers without end"
            if reason:
                return self.lost(reason)

    def wait(self) -> str:
        """Hear a little; why there is nothing more to hear, or nothing."""
        now = time.monotonic()
        if now > self.keeper.end:
            return f"the {self.keeper.asked['all_s']:g} s for all cases of one side were over"
        if now > self.due:
            limit = self.keeper.asked["call_s" if self.ready else "import_s"]
            return f"it took longer than {limit:g} s"
        readable = select.select([self.pipe, 0], [], [], LOOK_S)[0]
        if 0 in readable and not os.read(0, 1):
            self.keeper.abandoned()
        ended = self.ended() if self.pipe not in readable else ""
        if ended:
            # What it said last may lie in the pipe since the look before.
            readable = select.select([self.pipe], [], [], 0)[0]
        if self.pipe in readable:
            data = os.read(self.pipe, 1 << 20)
            self.heard += data
            return "" if data else (self.ended(patient=True) or "it closed what it answers through")
        return ended

    def ended(self, *, patient: bool = False) -> str:
        """How the runner ended; empty while it is there."""
        for _ in range(20 if patient else 1):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                return f"it ended its process ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
            if patient:
                time.sleep(0.01)
        return ""

    def take(self, line: bytes) -> bool:
        """Pass one answer on; False where the function cannot be had."""
        kind, *rest = json.loads(line)
        if kind == "ready" and not self.ready:
            if not self.keeper.loaded:
                self.keeper.say("ready")
            self.ready = self.keeper.loaded = True
        elif kind == "lost" and not self.ready:
            return self.lost(str(rest[0])) is not None
        elif kind in ("text", "failed") and self.ready and rest[0] == self.place:
            self.keeper.say(kind, self.place, rest[1])
            self.place += 1
        else:
            raise ValueError("an answer to nothing")
        self.due = time.monotonic() + self.keeper.asked["call_s"]
        return True

    def lost(self, reason: str) -> int | None:
        """The runner is lost: the place to go on from; None where that makes no sense."""
        if not self.keeper.loaded:
            self.keeper.say("lost", reason)
            return None
        over = time.monotonic() > self.keeper.end
        last = len(self.keeper.asked["sessions"]) if over or not self.ready else self.place + 1
        for place in range(self.place, last):
            self.keeper.say("failed", place, reason)
        return last if last < len(self.keeper.asked["sessions"]) else None


def become_runner(asked: dict[str, Any], pipe: int, first: int) -> None:
    """In the forked process: cut off from everything but the pipe, and limited; does not return."""
    try:
        os.setsid()
        prctl(_DEATH_SIGNAL, signal.SIGKILL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        # A program that the function starts has no need of it.
        os.set_inheritable(pipe, False)
        limit(resource.RLIMIT_AS, asked["memory"])
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_FSIZE, asked["memory"])
        limit(resource.RLIMIT_CPU, int(asked["all_s"]) + 60)
        Runner(asked, pipe).run(first)
    finally:
        os._exit(0)


def limit(what: int, most: int) -> None:
    """Set a limit, where the system knows it and none is lower."""
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def prctl(option: int, value: int) -> None:
    """Linux has it; elsewhere only a process that leaves its session outlives its runner."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_all(pid: int) -> None:
    """Kill a runner, its session and all that it has left; orphans come to the keeper, which is their subreaper."""
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
    """Read what is asked, and answer."""
    asked = json.loads(sys.stdin.buffer.readline())
    prctl(_SUBREAPER, 1)
    Keeper(asked).run()


if __name__ == "__main__":
    main()
