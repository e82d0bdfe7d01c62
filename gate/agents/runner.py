"""Runs Python code of a repository in its own process; started by its path, and needs no package.

`runner.py agent module:name` speaks the protocol of agents. The agent is a class, made with the context, whose
`send(text)` answers; or a function, called with the text and the context. Either may be async. An answer is a text, or
a dict with a text and its effort.

`runner.py function` calls one function. The first line says which; each further line, `[key, arguments]`, is a call.
Answers, one JSON list per line: `["ready"]` or `["lost", reason]`, then `["answer", key, answer]` or
`["failed", key, reason]`.

The output of agents goes to standard error; that of functions is dropped.
"""

import importlib
import inspect
import json
import os
import resource
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

REASON_CHARS = 300
PACKAGES = "site-packages"
ROLED = {"role", "content"}
PASSED = ("pass", "pass_")
MASKED_CHARS = 20_000
"""Of an exception's text, in which folders and variables are replaced before it is cut."""


class Context(dict[str, Any]):
    """A dict whose entries are also attributes."""

    what = "context"

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the {self.what} has no {name!r}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


class Session(Context):
    """The argument of a function that builds prompts."""

    what = "session"


class Case(Context):
    """The second argument of a function that scores."""

    what = "case"


class UnusableReturn(Exception):
    """The return value of a function is unusable."""


def imported(module: str) -> ModuleType:
    """A module of the repository, which is the working folder."""
    root = os.getcwd()
    sources = [root, *(one for one in (os.path.join(root, "src"),) if os.path.isdir(one))]
    sys.path[:0] = sources
    # Last, the folder of the module: scripts import files next to them.
    sys.path += [os.path.join(source, *module.split(".")[:-1]) for source in sources if "." in module]
    claim_folders(module, sources)
    return importlib.import_module(module)


def claim_folders(module: str, sources: Sequence[str]) -> None:
    """Make packages of folders without `__init__.py`: an installed `evals` or `tests` would come first."""
    parts = module.split(".")[:-1]
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        folders = [path for path in (os.path.join(source, *parts[:count]) for source in sources) if os.path.isdir(path)]
        if name in sys.modules or any(os.path.exists(os.path.join(path, "__init__.py")) for path in folders):
            return
        package = ModuleType(name)
        package.__path__ = folders
        sys.modules[name] = package


class Agent:
    """One session of an agent."""

    def __init__(self, entry: str, out: Any, loop: "asyncio.Runner") -> None:
        self.entry, self.out, self.loop = entry, out, loop
        self.inside, self.root = False, os.getcwd()
        self.agent: Any = None
        self.context = Context()

    def run(self, lines: Any) -> None:
        """Answer until no more messages come."""
        from asyncio import to_thread

        # The agent's background work goes on between messages.
        while line := self.loop.run(to_thread(lines.readline)):
            asked = json.loads(line)
            try:
                self.say(**self.answer(asked))
            except BaseException as error:
                self.say(type="error", error=placed(error, self.root))
            if asked["type"] == "close":
                return

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The reply to one message."""
        kind = asked["type"]
        if kind in ("start", "reopen"):
            module, _, name = self.entry.partition(":")
            found = getattr(imported(module), name)
            if not callable(found):
                raise TypeError(f"{name} is neither a class nor a function")
            # A class has its own memory, which reopening tests; a function is given the conversation each time.
            history = [] if hasattr(found, "send") else asked.pop("history", [])
            self.context = Context(asked, reopened=kind == "reopen", history=history)
            self.context["prompt"], self.context["case"] = Context(asked["prompt"]), Context(asked["case"])
            self.inside = inspect.iscoroutinefunction(getattr(found, "send", found))
            self.agent = self.done(found, self.context) if isinstance(found, type) else found
            if kind == "reopen" and hasattr(self.agent, "reopen"):
                self.done(self.agent.reopen, self.context["session"])
            names = getattr(self.agent, "tool_names", None)
            return {"type": "ok"} if names is None else {"type": "ok", "tool_names": list(names)}
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
            raise TypeError(f"it returned {type(found).__name__}, not a text or a dict with a text")
        history = self.context["history"]
        history += [{"role": "user", "content": text}, {"role": "assistant", "content": answer["text"]}]
        return {**answer, "type": "answer"}

    def done(self, work: Any, *given: Any) -> Any:
        """The result of the agent's work; an agent that is not async may run its own loop."""
        if self.inside:
            return self.loop.run(called(work, *given))
        value = work(*given)
        return self.loop.run(awaited(value)) if inspect.isawaitable(value) else value

    def say(self, **reply: Any) -> None:
        # A value that is not JSON would count as a line that is not a reply.
        self.out.write(json.dumps(reply, allow_nan=False) + "\n")
        self.out.flush()


async def called(work: Any, *given: Any) -> Any:
    """The result of a call, made within the loop."""
    value = work(*given)
    return await value if inspect.isawaitable(value) else value


async def awaited(value: Any) -> Any:
    return await value


def placed(error: BaseException, root: str) -> str:
    """An error on one line, with the last place in the repository that took part in it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(root + os.sep) and PACKAGES not in frame.filename]
    where = f" ({os.path.relpath(own[-1].filename, root)}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}"[: REASON_CHARS - len(where)] + where


class Function:
    """Imports a module and calls a function of it."""

    def __init__(self, asked: dict[str, Any], out: int) -> None:
        self.asked, self.out, self.pid = asked, out, os.getpid()
        self.root, self.checkout = os.path.realpath(os.getcwd()), os.path.realpath(asked["checkout"])
        # This file may lie in the checkout, but is not the repository's prompt.
        self.before = frozenset(sys.modules)
        self.seen = 0

    def run(self, lines: Iterable[bytes]) -> None:
        """Answer until no more questions come."""
        try:
            function = self.load()
        except BaseException as error:
            return self.say("lost", told(error, self.asked["hidden"]))
        self.say("ready")
        for line in lines:
            self.say(*self.call(function, *json.loads(line)))

    def load(self) -> Any:
        """The function, from the module in the working folder."""
        module, name = imported(self.asked["module"]), self.asked["function"]
        file = getattr(module, "__file__", None)
        if file is None or not within(file, self.root):
            what = "a folder" if file is None else file
            raise ImportError(f"{self.asked['module']} is {what}, not a module of the worktree")
        self.check_modules()
        function = getattr(module, name)
        if not callable(function):
            raise TypeError(f"{name} is not a function")
        call = function if inspect.isroutine(function) or isinstance(function, type) else type(function).__call__
        if inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call):
            raise UnusableReturn(f"{name} is an async function, which is not supported here: write it with def")
        return function

    def call(self, function: Any, key: object, text: str) -> tuple[str, object, object]:
        """The answer to one call, with new arguments for it."""
        most = self.asked["chars"]
        try:
            if self.asked["job"] == "score":
                answer = score_of(function(*json.loads(text, object_hook=Case)), most)
            else:
                answer = text_of(function(json.loads(text, object_hook=Session)), most)
            self.check_modules()
            return "answer", key, answer
        except BaseException as error:
            return "failed", key, told(error, self.asked["hidden"])

    def check_modules(self) -> None:
        """Refuse code of the checkout itself: it is the same for both sides, and would hide what the change does."""
        if len(sys.modules) == self.seen:
            return
        self.seen = len(sys.modules)
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
            if name in self.before or not file or within(file, self.root) or installed(file):
                continue
            if within(file, self.checkout):
                raise ImportError(f"{name} comes from the checkout ({file}) and not from the worktree of this side")

    def say(self, *answer: object) -> None:
        if os.getpid() != self.pid:
            # Also a child that the function forked, and that returned from it.
            os._exit(0)
        left = memoryview(json.dumps(answer).encode("ascii") + b"\n")
        while left:
            left = left[os.write(self.out, left) :]


def within(file: str, folder: str) -> bool:
    """Is a file in a folder, with links followed?"""
    return os.path.realpath(file).startswith(os.path.join(folder, ""))


def installed(file: str) -> bool:
    """Does a file belong to the interpreter? Its environment may lie in the checkout."""
    real = os.path.realpath(file)
    homes = {os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix)}
    return any(within(real, home) for home in homes) or PACKAGES in real.split(os.sep)


def text_of(found: object, most: int) -> object:
    """The text of a prompt, from what a function returned: a text, or a list of messages, which becomes JSON."""
    if isinstance(found, Mapping) and "prompt" in found:
        found = found["prompt"]
    if isinstance(found, list) and found and all(isinstance(one, Mapping) and ROLED <= set(one) for one in found):
        found = json.dumps([{"role": one["role"], "content": one["content"]} for one in found])
    if not isinstance(found, str):
        raise UnusableReturn(f"it returned {type(found).__name__}, not the text of a prompt")
    if len(found) > most:
        raise UnusableReturn(f"it returned {len(found):,} characters; the limit is {most:,}")
    return str.__str__(found)


def score_of(found: object, most: int) -> object:
    """A score in [0, 1], and its reason, which may be empty.

    Args:
        found: true, false, a number, or a mapping of score and reason; or, as promptfoo has it, of pass, and score,
            reason and more, where they are known.
        most: characters of the reason.
    """
    value, reason = found, ""
    if isinstance(found, Mapping) and any(key in found for key in PASSED):
        passed = next(found[key] for key in PASSED if key in found)
        value, reason = found.get("score", bool(passed)), found.get("reason") or ""
    elif isinstance(found, Mapping):
        if "score" not in found or set(found) - {"score", "reason"}:
            raise UnusableReturn("it returned a mapping that does not consist of score and reason")
        value, reason = found["score"], found.get("reason", "")
    if not isinstance(reason, str):
        raise UnusableReturn(f"its reason is {type(reason).__name__}, not a text")
    if len(reason) > most:
        raise UnusableReturn(f"its reason has {len(reason):,} characters; the limit is {most:,}")
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()  # numpy's truth values are no numbers
    if not isinstance(value, (bool, int, float)):
        raise UnusableReturn(f"it returned {type(value).__name__}, not true, false or a number from 0 to 1")
    if not 0 <= value <= 1:
        raise UnusableReturn("it returned a number that is not from 0 to 1")
    return [float(value), str.__str__(reason)]


def told(error: BaseException, hidden: list[list[str]]) -> str:
    """An exception on one line, even where its own text raises."""
    if type(error) is UnusableReturn:
        return str(error)
    try:
        text = str(error)[:MASKED_CHARS]
    except BaseException:
        text = "its text cannot be read"
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    for value, instead in hidden:
        text = text.replace(value, instead)
    return text[:REASON_CHARS]


def confine(memory: int) -> None:
    """Limit this process, and all that it starts, to so many bytes of memory, and of one file."""
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, memory)):
        with suppress(ValueError, OSError):
            hard = resource.getrlimit(what)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))


def main() -> None:
    """Keep standard output for replies, and run."""
    out = os.dup(1)
    if sys.argv[1] == "agent":
        import asyncio

        os.dup2(2, 1)
        sys.stdout = sys.stderr
        with asyncio.Runner() as loop, os.fdopen(out, "w", encoding="utf-8") as replies:
            Agent(sys.argv[2], replies, loop).run(sys.stdin)
        return
    lines = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    asked = json.loads(lines.readline())
    # What only the keeper needs.
    os.environ.pop(asked["mark"], None)
    confine(asked["memory"])
    Function(asked, out).run(lines)
    os._exit(0)


if __name__ == "__main__":
    main()
