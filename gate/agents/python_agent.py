"""Runs a Python agent of a repository and speaks the protocol for it; started by its path, without the package.

The agent is a class, made with the context, whose `send(text)` answers; or a function, called with the text and the
context. Either may be async. An answer is a text, or a dict with a text and what it took. What the agent prints goes to
standard error.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
import traceback
from typing import Any

REASON_CHARS = 300
PACKAGES = "site-packages"


class Context(dict[str, Any]):
    """The agent's context: a dict whose entries are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the context has no {name!r}") from None


class Runner:
    """One session.

    Args:
        entry: `module:name`.
    """

    def __init__(self, entry: str, out: Any, loop: asyncio.Runner) -> None:
        self.entry, self.out, self.loop = entry, out, loop
        self.inside, self.root = False, os.getcwd()
        self.agent: Any = None
        self.context = Context()

    def run(self, lines: Any) -> None:
        """Answer until no more messages come."""
        # The agent's background work goes on between messages.
        while line := self.loop.run(asyncio.to_thread(lines.readline)):
            asked = json.loads(line)
            try:
                self.say(**self.answer(asked))
            except BaseException as error:
                self.say(type="error", error=told(error, self.root))
            if asked["type"] == "close":
                return

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The reply to one message."""
        kind = asked["type"]
        if kind in ("start", "reopen"):
            found: Any = self.load()
            # A class has its own memory, which reopening tests; a function is given the conversation each time.
            history = [] if hasattr(found, "send") else asked.pop("history", [])
            self.context = Context(asked, reopened=kind == "reopen", history=history)
            self.context["prompt"], self.context["case"] = Context(asked["prompt"]), Context(asked["case"])
            self.inside = inspect.iscoroutinefunction(getattr(found, "send", found))
            self.agent = self.done(found, self.context) if isinstance(found, type) else found
            if kind == "reopen" and hasattr(self.agent, "reopen"):
                self.done(self.agent.reopen, self.context["session"])
            return {"type": "ok"}
        if kind == "close":
            if hasattr(self.agent, "close"):
                self.done(self.agent.close)
            return {"type": "ok"}
        return {**self.replied(asked["text"]), "id": asked["id"]}

    def replied(self, text: str) -> dict[str, Any]:
        """The agent's answer to a text."""
        talks = hasattr(self.agent, "send")
        found = self.done(self.agent.send, text) if talks else self.done(self.agent, text, self.context)
        answer = {"text": found} if isinstance(found, str) else found
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise TypeError(f"it answered with {type(found).__name__}, and a text or a dict with a text is wanted")
        history = self.context["history"]
        history += [{"role": "user", "content": text}, {"role": "assistant", "content": answer["text"]}]
        return {**answer, "type": "answer"}

    def done(self, work: Any, *given: Any) -> Any:
        """The result of the agent's work; an agent that is not async may run its own loop."""
        if self.inside:
            return self.loop.run(called(work, *given))
        value = work(*given)
        return self.loop.run(awaited(value)) if inspect.isawaitable(value) else value

    def load(self) -> Any:
        """The class or function."""
        module, _, name = self.entry.partition(":")
        sys.path[:0] = [self.root, *(one for one in (os.path.join(self.root, "src"),) if os.path.isdir(one))]
        found = getattr(importlib.import_module(module), name)
        if not callable(found):
            raise TypeError(f"{name} is neither a class nor a function")
        return found

    def say(self, **reply: Any) -> None:
        """Write one reply."""
        # What is not JSON would be taken for a line that is no reply.
        self.out.write(json.dumps(reply, allow_nan=False) + "\n")
        self.out.flush()


async def called(work: Any, *given: Any) -> Any:
    """The result of a call, made within the loop."""
    value = work(*given)
    return await value if inspect.isawaitable(value) else value


async def awaited(value: Any) -> Any:
    """The value of an awaitable."""
    return await value


def told(error: BaseException, root: str) -> str:
    """An error on one line, with the last place in the repository that took part in it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(root + os.sep) and PACKAGES not in frame.filename]
    where = f" ({os.path.relpath(own[-1].filename, root)}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}"[: REASON_CHARS - len(where)] + where


def main() -> None:
    """Keep standard output for replies, and run."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    with asyncio.Runner() as loop:
        Runner(sys.argv[1], out, loop).run(sys.stdin)


if __name__ == "__main__":
    main()
