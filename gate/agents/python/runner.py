"""Imports a module of a repository and calls a function of it; runs in a process of its own, without the package."""

import importlib
import json
import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

REASON_CHARS = 300
ASYNC = 0x80 | 0x200
"""Flags of the code of an `async def`: `inspect.CO_COROUTINE`, and `CO_ASYNC_GENERATOR` where it yields."""
MASKED_CHARS = 20_000
"""Of an exception's text, in which folders and variables are replaced before it is cut."""


class Session(dict[str, Any]):
    """The argument of the function: a dict whose entries are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the session has no {name!r}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


class Case(Session):
    """The second argument of a scoring function."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the case has no {name!r}") from None


class Unfit(Exception):
    """The return value of a function is unusable."""


class Runner:
    """Imports the module and calls the function.

    Args:
        questions: a pipe with one line for each call; the next comes when the one before is answered.
        pipe: for answers.
    """

    def __init__(self, asked: dict[str, Any], questions: int, pipe: int) -> None:
        self.asked, self.questions, self.pipe, self.pid = asked, questions, pipe, os.getpid()
        # This file may lie in the checkout, but is not the repository's prompt.
        self.before = frozenset(sys.modules)
        self.seen = 0

    def run(self) -> None:
        """Answer until no more questions come."""
        try:
            function = self.load()
        except BaseException as error:
            return self.say("lost", told(error, self.asked["hidden"]))
        self.say("ready")
        with open(self.questions, "rb") as questions:
            for line in questions:
                self.say(*self.call(function, *json.loads(line)))

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
        if awaited(function):
            raise Unfit(f"{self.asked['function']} is an async function, and nothing awaits it here: write it with def")
        return function

    def call(self, function: Any, key: object, text: str) -> tuple[str, object, object]:
        """The answer to one question, with arguments made anew for it."""
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
        root, checkout = os.path.realpath(self.asked["root"]), os.path.realpath(self.asked["checkout"])
        for name, module in list(sys.modules.items()):
            if name in self.before:
                continue
            file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
            if file and within(file, checkout) and not within(file, root) and not installed(file):
                raise ImportError(f"{name} comes from the checkout ({file}) and not from the worktree of this side")

    def say(self, *answer: object) -> None:
        if os.getpid() != self.pid:
            # Also a child that the function forked, and that returned from it.
            os._exit(0)
        left = memoryview(json.dumps(answer).encode("ascii") + b"\n")
        while left:
            left = left[os.write(self.pipe, left) :]


def within(file: str, folder: str) -> bool:
    """Is a file in a folder, with links followed?"""
    return os.path.realpath(file).startswith(os.path.join(folder, ""))


def installed(file: str) -> bool:
    """Does a file belong to the interpreter? Its environment may lie in the checkout."""
    real = os.path.realpath(file)
    homes = {os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix)}
    return any(within(real, home) for home in homes) or "site-packages" in real.split(os.sep)


def awaited(function: object) -> bool:
    """Is it an `async def`, or an object with an async call? A wrapper of one is not recognised."""
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return bool(getattr(code, "co_flags", 0) & ASYNC)


def text_of(found: object, most: int) -> object:
    """The text of a prompt.

    Args:
        found: a function's return value.
        most: characters.
    """
    if not isinstance(found, str):
        raise Unfit(f"it returned {type(found).__name__}, and the text of a prompt is wanted")
    if len(found) > most:
        raise Unfit(f"it returned {len(found):,} characters; {most:,} are allowed")
    return str.__str__(found)


def score_of(found: object, most: int) -> object:
    """A score in [0, 1], and its reason, which may be empty.

    Args:
        found: a function's return value: true, false, a number, or a mapping of score and reason.
        most: characters of the reason.
    """
    value, reason = found, ""
    if isinstance(found, Mapping):
        if "score" not in found or set(found) - {"score", "reason"}:
            raise Unfit("it returned a mapping, and one of score and reason is wanted")
        value, reason = found["score"], found.get("reason", "")
    if not isinstance(reason, str):
        raise Unfit(f"its reason is {type(reason).__name__}, and a text is wanted")
    if len(reason) > most:
        raise Unfit(f"its reason has {len(reason):,} characters; {most:,} are allowed")
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()  # numpy's truth values are no numbers
    if not isinstance(value, (bool, int, float)):
        raise Unfit(f"it returned {type(value).__name__}, and true, false or a number from 0 to 1 is wanted")
    if not 0 <= value <= 1:
        raise Unfit("it returned a number that is not from 0 to 1")
    return [float(value), str.__str__(reason)]


def told(error: BaseException, hidden: list[list[str]]) -> str:
    """An exception on one line, even where its own text raises.

    Args:
        hidden: pairs of text and replacement.
    """
    if type(error) is Unfit:
        return str(error)
    try:
        text = str(error)[:MASKED_CHARS]
    except BaseException:
        text = "its text cannot be read"
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    for value, instead in hidden:
        text = text.replace(value, instead)
    return text[:REASON_CHARS]
