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

import importlib.util
import json
import os
import select
import shutil
import sys
import time
from collections import deque
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gate.agents.python import runner, system
else:

    def _beside(name: str) -> ModuleType:
        """A module beside this file, by no name that code of a repository could meet."""
        spec = importlib.util.spec_from_file_location(name, os.path.join(os.path.dirname(__file__), f"{name}.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    runner, system = _beside("runner"), _beside("system")

LOOK_S = 0.05
"""Seconds between two checks that a process is still there, whoever holds its end of the pipe open."""
IDLE_S = 1.0
"""The same while nothing is asked."""
MOST_LEFT = 32
"""Processes left behind by calls; beyond that the runner is ended and replaced."""


class Keeper:
    """Forks runners until every question is answered.

    Args:
        asked: job, module, function, root, checkout, scratch, hidden, chars, memory, losses, import_s, call_s, all_s;
            sessions, or None where questions come one by one.
        heard: input after the first line.
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
        """Answer every question, or report why the function cannot be loaded."""
        # Without a question the function is looked for all the same.
        while self.waiting or self.open or not self.loaded:
            if self.loaded and not self.waiting:
                self.hear()
            elif not self.attempt():
                return

    def attempt(self) -> bool:
        """Use one runner; False where another one makes no sense."""
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
            system.end_all(pid)

    def hear(self) -> None:
        """Read standard input."""
        data = os.read(0, 1 << 20)
        if not data:
            self.abandoned()
        self.take(data)

    def take(self, data: bytes) -> None:
        *lines, self.heard = (self.heard + data).split(b"\n")
        self.waiting.extend((json.loads(line)[0], line) for line in lines)

    def give_up(self, reason: str) -> bool:
        """Fail all questions, present and future."""
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
        system.end_all(self.runner)
        shutil.rmtree(self.asked["scratch"], ignore_errors=True)
        os._exit(1)


class Listener:
    """Sends questions to one runner, and reads its answers."""

    def __init__(self, keeper: Keeper, pid: int, pipe: int, asking: int) -> None:
        self.keeper, self.pid, self.pipe, self.asking = keeper, pid, pipe, asking
        self.ready = self.asked = self.crowded = False
        self.key: object = None
        self.end = ""
        self.heard = self.unsent = b""
        self.due = time.monotonic() + keeper.asked["import_s"]

    def listen(self) -> bool:
        """True where there may be more to do for another runner."""
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
        """Read a little; returns why there is nothing more to read, or nothing."""
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
            # Its last output may have arrived in the pipe since the previous read.
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
                # The exit status is available only once.
                code = os.waitstatus_to_exitcode(status)
                self.end = f"it ended its process ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
            elif patient:
                time.sleep(0.01)
        return self.end

    def take(self, line: bytes) -> bool:
        """Pass one answer on; False where the function cannot be loaded."""
        kind, *rest = json.loads(line)
        if kind == "ready" and not self.ready:
            if not self.keeper.loaded:
                self.keeper.say("ready")
            self.ready = self.keeper.loaded = True
        elif kind == "lost" and not self.ready:
            return self.lost(str(rest[0]))
        elif kind in ("answer", "failed") and self.asked and rest[0] == self.key:
            self.keeper.say(kind, self.key, rest[1])
            self.asked, self.crowded = False, system.left_behind(self.pid) > MOST_LEFT
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
        system.seclude((questions, pipe))
        system.confine(asked["memory"], int(asked["all_s"]) + 60)
        runner.Runner(asked, questions, pipe).run()
    finally:
        os._exit(0)


def main() -> None:
    """Read the job, and answer."""
    # What follows the first line must not be lost in a buffer.
    line, found, rest = b"", b"", b""
    while not found:
        data = os.read(0, 1 << 20)
        if not data:
            return
        more, found, rest = data.partition(b"\n")
        line += more
    system.prctl(system.SUBREAPER, 1)
    # Nothing else has the output open.
    system.conceal()
    Keeper(json.loads(line), rest).run()


if __name__ == "__main__":
    main()
