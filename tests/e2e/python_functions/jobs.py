"""The two jobs of a repository's function, to build prompts and to score answers, in the same words.

Each is called three times, and only the second call is odd: what comes of it must not touch the others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gate.agents.functions import SCORING, FunctionLimits, FunctionWorktree, ScoringProcess, prompt_texts
from gate.cases.case import Case
from gate.config.values import FunctionName
from gate.record.transcript import Failed, Unscored
from gate.scoring.interface import Finding, Subject
from gate.values import JsonValue

ENTRY = FunctionName("bots.persona", "asked")
NAMES = ("one", "odd", "three")
SESSIONS: list[dict[str, JsonValue]] = [{"name": name} for name in NAMES]
T = TypeVar("T")


def put(worktree: FunctionWorktree, text: str) -> None:
    """Write the module."""
    module = worktree.root / "bots" / "persona.py"
    module.parent.mkdir(exist_ok=True)
    module.write_text(f"import os, signal, sys, time\n{text}\n")


@dataclass(frozen=True, slots=True)
class Job:
    """What a function is called for.

    Args:
        name: `prompt` or `score`.
        head: the function's first lines, after which `who` is one of `NAMES`.
        usual: what it does for the calls that are not odd.
        told: what is told of those.
        fine: an answer, `FINE` in the module, and how it is told.
        bad: another one, `BAD` in the module.
        failure: how the reason begins why there is no answer.
        limits: unless a test says otherwise.
        ask: the answers of calls with these names, or why there are none.
    """

    name: str
    head: str
    usual: str
    told: tuple[str, str]
    fine: tuple[str, str]
    bad: str
    failure: str
    limits: FunctionLimits
    ask: Callable[[FunctionWorktree, FunctionLimits, Sequence[str]], list[str]]

    def put(self, worktree: FunctionWorktree, body: str, start: str = "") -> None:
        """Write a module that begins so, and whose function has this body."""
        put(worktree, f"FINE, BAD = {self.fine[0]}, {self.bad}\n{start}\n\n{self.head}\n    {body}")

    def odd(self, worktree: FunctionWorktree, body: str, start: str = "", **limits: float) -> str:
        """What is told of the odd call, which does this; the others end as ever."""
        self.put(worktree, f"if who == 'odd': {body}\n    {self.usual}", start)
        first, found, third = self.ask(worktree, replace(self.limits, **limits), NAMES)
        assert (first, third) == self.told
        return found

    def odds(self, worktree: FunctionWorktree, bodies: Sequence[str], **limits: float) -> list[str]:
        """The same of many odd calls, each of which does another of these things."""
        names = [f"odd {number}" for number in range(len(bodies))]
        lines = [f"if who == {name!r}: {body}" for name, body in zip(names, bodies, strict=True)]
        self.put(worktree, "\n    ".join([*lines, self.usual]))
        first, *found, third = self.ask(worktree, replace(self.limits, **limits), ("one", *names, "three"))
        assert (first, third) == self.told
        return found


def built(worktree: FunctionWorktree, limits: FunctionLimits, names: Sequence[str]) -> list[str]:
    """The texts for sessions with these names, or the reasons."""
    found = asyncio.run(prompt_texts(ENTRY, [{"name": name} for name in names], worktree, limits))
    return [text.reason if isinstance(text, Failed) else text for text in found]


def with_process(
    worktree: FunctionWorktree, limits: FunctionLimits, work: Callable[[ScoringProcess], Awaitable[T]]
) -> T:
    """What comes of work with a process that scores."""

    async def inner() -> T:
        process = ScoringProcess(ENTRY, worktree, limits)
        try:
            await process.start()
            return await work(process)
        finally:
            await process.close()

    return asyncio.run(inner())


def scored(worktree: FunctionWorktree, limits: FunctionLimits, answers: Sequence[str] = NAMES) -> list[Finding]:
    """What is said of answers that are all waited for at once."""

    async def work(process: ScoringProcess) -> list[Finding]:
        subjects = [Subject(Case(f"c{number}", input="q"), text) for number, text in enumerate(answers)]
        return list(await asyncio.gather(*(process.score(subject) for subject in subjects)))

    return with_process(worktree, limits, work)


def _scores(worktree: FunctionWorktree, limits: FunctionLimits, names: Sequence[str]) -> list[str]:
    found = (value for value, _ in scored(worktree, limits, names))
    return [value.reason if isinstance(value, Unscored) else str(value) for value in found]


PROMPT = Job(
    "prompt",
    head="def asked(session):\n    who = session.name",
    usual="return 'text ' + who",
    told=("text one", "text three"),
    fine=("'fine'", "fine"),
    bad="'bad'",
    failure="the prompt could not be built: ",
    limits=FunctionLimits(import_s=10.0, call_s=0.5, all_s=60.0, memory=2**30, chars=5_000),
    ask=built,
)
SCORE = Job(
    "score",
    head="def asked(answer, case):\n    who = answer",
    usual="return who == 'one'",
    told=("1.0", "0.0"),
    fine=("0.5", "0.5"),
    bad="1.0",
    failure="bots.persona:asked gave no score: ",
    limits=replace(SCORING, import_s=10.0, call_s=0.5, memory=2**30),
    ask=_scores,
)
