"""Calls one function of a repository many times, in processes apart; it is run by its path and needs no package.

Two processes. The keeper reads what is asked, one line of JSON on its standard input, and answers on its standard
output. It forks the runner, which imports the module and calls the function. Whatever the runner does, or has left
behind, ends with it: one call that hangs, or ends its process, costs that call alone, since the keeper forks another
for the rest.

A function that builds prompts is called for the sessions of that one line, and the keeper ends when it has answered.
One that scores is called for as long as somebody asks, with a line `[key, text]` for each call.

Answers, one JSON list a line: `["ready"]` once the function is there, `["answer", key, answer]`,
`["failed", key, reason]`, `["lost", reason]` where the function cannot be had, `["over", reason]` where it cannot be
had any more.
"""

import ctypes
import importlib.util
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gate.python import runner
else:
    # Beside this file, and by no name that code of a repository could meet.
    _spec = importlib.util.spec_from_file_location("runner", os.path.join(os.path.dirname(__file__), "runner.py"))
    runner = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(runner)

LOOK_S = 0.05
"""Seconds between two looks at whether a process is still there, whoever holds its end of the pipe open."""
IDLE_S = 1.0
"""The same while nothing is asked."""
MOST_LEFT = 32
"""Processes that calls have left behind; with more of them the runner is ended, and another one goes on."""
ROUNDS = 1000
"""How often the keeper looks for what is left of a runner; each look ends all that it finds."""
SUBREAPER = 36
_IS_SUBREAPER, _DEATH_SIGNAL, _DUMPABLE = 37, 1, 4


class Keeper:
    """Forks runners until all that is asked is answered.

    Args:
        asked: job, module, function, root, checkout, scratch, chars, memory, losses, import_s, call_s, all_s; sessions,
            or None where questions come one by one.
        heard: what came after that line.
    """

    def __init__(self, asked: dict[str, Any], heard: bytes = b"") -> None:
        self.asked = asked
        self.end = time.monotonic() + asked["all_s"]
        self.open = asked["sessions"] is None
        lines = (json.dumps([place, text]).encode() for place, text in enumerate(asked["sessions"] or ()))
        self.waiting = deque[tuple[Any, bytes]](enumerate(lines))
        self.heard = b""
        self.loaded = False
        self.losses = 0
        self.runner = 0
        self.take(heard)

    def run(self) -> None:
        """Answer every question, or say why the function cannot be had."""
        # Without a question the function is looked for all the same.
        while self.waiting or self.open or not self.loaded:
            if self.loaded and not self.waiting:
                self.hear()
            elif not self.attempt():
                return

    def attempt(self) -> bool:
        """One runner; False where another one makes no sense."""
        pipe, theirs = os.pipe()
        questions, asking = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(asking)
            become_runner(self.asked, questions, theirs)
        self.runner = pid
        os.close(theirs)
        os.close(questions)
        os.set_blocking(asking, False)
        try:
            return Listener(self, pid, pipe, asking).listen()
        finally:
            os.close(pipe)
            os.close(asking)
            end_all(pid)

    def hear(self) -> None:
        """What comes on standard input."""
        data = os.read(0, 1 << 20)
        if not data:
            self.abandoned()
        self.take(data)

    def take(self, data: bytes) -> None:
        *lines, self.heard = (self.heard + data).split(b"\n")
        self.waiting.extend((json.loads(line)[0], line) for line in lines)

    def give_up(self, reason: str) -> bool:
        """All that is asked, and what may still be, has failed."""
        while self.waiting:
            self.say("failed", self.waiting.popleft()[0], reason)
        if self.open:
            self.say("over", reason)
        return False

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
    """Asks one runner, and hears it.

    Args:
        keeper: has the questions, and is told of the answers.
        pid: of the runner.
        pipe: its answers.
        asking: what it is asked through.
    """

    def __init__(self, keeper: Keeper, pid: int, pipe: int, asking: int) -> None:
        self.keeper, self.pid, self.pipe, self.asking = keeper, pid, pipe, asking
        self.ready = self.asked = self.crowded = False
        self.key: object = None
        self.end = ""
        self.heard = self.unsent = b""
        self.due = time.monotonic() + keeper.asked["import_s"]

    def listen(self) -> bool:
        """True where there may be more for another runner to do."""
        while True:
            if self.ready and not self.asked:
                if self.crowded or not (self.keeper.waiting or self.keeper.open):
                    return True
                self.ask()
            reason = self.wait()
            *lines, self.heard = self.heard.split(b"\n")
            try:
                for line in lines:
                    if not self.take(line):
                        return False
            except (ValueError, TypeError, IndexError, RecursionError):
                reason = "what it answers is no answer"
            # An answer has at most 12 bytes for a character, and a little around it.
            if len(self.heard) > 12 * self.keeper.asked["chars"] + 4096:
                reason = "it answers without end"
            if reason:
                return self.lost(reason)

    def ask(self) -> None:
        if self.keeper.waiting:
            self.key, line = self.keeper.waiting.popleft()
            self.asked, self.unsent = True, line + b"\n"
            self.due = time.monotonic() + self.keeper.asked["call_s"]

    def wait(self) -> str:
        """Hear a little; why there is nothing more to hear, or nothing."""
        now = time.monotonic()
        if now > self.keeper.end:
            return f"the {self.keeper.asked['all_s']:g} s for all cases of one side were over"
        busy = self.asked or not self.ready
        if busy and now > self.due:
            limit = self.keeper.asked["call_s" if self.ready else "import_s"]
            return f"it took longer than {limit:g} s"
        sending = [self.asking] if self.unsent else []
        readable, writable, _ = select.select([self.pipe, 0], sending, [], LOOK_S if busy else IDLE_S)
        if 0 in readable:
            self.keeper.hear()
        if writable:
            self.send()
        ended = self.ended() if self.pipe not in readable else ""
        if ended:
            # What it said last may lie in the pipe since the look before.
            readable = select.select([self.pipe], [], [], 0)[0]
        if self.pipe in readable:
            data = os.read(self.pipe, 1 << 20)
            self.heard += data
            return "" if data else (self.ended(patient=True) or "it closed what it answers through")
        return ended

    def send(self) -> None:
        try:
            self.unsent = self.unsent[os.write(self.asking, self.unsent) :]
        except BrokenPipeError:
            self.unsent = b""

    def ended(self, *, patient: bool = False) -> str:
        """How the runner ended; empty while it is there."""
        for _ in range(20 if patient else 1):
            if self.end:
                break
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                # It can be asked for once.
                code = os.waitstatus_to_exitcode(status)
                self.end = f"it ended its process ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
            elif patient:
                time.sleep(0.01)
        return self.end

    def take(self, line: bytes) -> bool:
        """Pass one answer on; False where the function cannot be had."""
        kind, *rest = json.loads(line)
        if kind == "ready" and not self.ready:
            if not self.keeper.loaded:
                self.keeper.say("ready")
            self.ready = self.keeper.loaded = True
        elif kind == "lost" and not self.ready:
            return self.lost(str(rest[0]))
        elif kind in ("answer", "failed") and self.asked and rest[0] == self.key:
            self.keeper.say(kind, self.key, rest[1])
            self.asked, self.crowded = False, left_behind(self.pid) > MOST_LEFT
        else:
            raise ValueError("an answer to nothing")
        return True

    def lost(self, reason: str) -> bool:
        """The runner is lost; False where another one makes no sense."""
        keeper = self.keeper
        if not keeper.loaded:
            keeper.say("lost", reason)
            return False
        keeper.losses += 1
        if self.asked:
            keeper.say("failed", self.key, reason)
        over = time.monotonic() > keeper.end or keeper.losses >= keeper.asked["losses"]
        return keeper.give_up(reason) if over or not self.ready else True


def become_runner(asked: dict[str, Any], questions: int, pipe: int) -> None:
    """In the forked process: cut off from everything but the pipes, and limited; does not return."""
    try:
        os.setsid()
        prctl(_DEATH_SIGNAL, signal.SIGKILL)
        # A fork has it from the keeper; a function may look into its own /proc.
        prctl(_DUMPABLE, 1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        # A program that the function starts has no need of them.
        os.set_inheritable(questions, False)
        os.set_inheritable(pipe, False)
        limit(resource.RLIMIT_AS, asked["memory"])
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_FSIZE, asked["memory"])
        limit(resource.RLIMIT_CPU, int(asked["all_s"]) + 60)
        runner.Runner(asked, questions, pipe).run()
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


def subreaper() -> bool:
    """Do orphans below this process come to it?"""
    found = ctypes.c_int(0)
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_IS_SUBREAPER, ctypes.byref(found), 0, 0, 0)
    return bool(found.value)


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


def left_behind(runner: int) -> int:
    """Processes that calls have started and that are still there, as far as the system tells it in short."""
    count = 0
    for parent in (runner, os.getpid()):
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    count += len(file.read().split())
    return max(0, count - 1)


def main() -> None:
    """Read what is asked, and answer."""
    # What follows the first line must not be lost in a buffer.
    line, found, rest = b"", b"", b""
    while not found:
        data = os.read(0, 1 << 20)
        if not data:
            return
        more, found, rest = data.partition(b"\n")
        line += more
    prctl(SUBREAPER, 1)
    # What it answers through is open to nobody else of its user, by /proc; to root with CAP_SYS_PTRACE it is.
    prctl(_DUMPABLE, 0)
    Keeper(json.loads(line), rest).run()


if __name__ == "__main__":
    main()
