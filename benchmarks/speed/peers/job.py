"""The job of every peer: two prompts, all cases, some samples of each."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

KEY = "no-key-for-the-loopback"


@dataclass(frozen=True, slots=True)
class Job:
    """What a peer does.

    Args:
        url: the server's address.
        samples: of each case and prompt.
        in_flight: calls at the same time.
    """

    url: str
    samples: int
    in_flight: int

    @classmethod
    def read(cls) -> "Job":
        """The job in the command line."""
        url, samples, in_flight = sys.argv[1:]
        return cls(url, int(samples), int(in_flight))

    @property
    def prompts(self) -> list[str]:
        return [Path(name).read_text() for name in ("a.md", "b.md")]

    @property
    def cases(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in Path("cases.jsonl").read_text().splitlines()]

    @property
    def samples_to_take(self) -> list[tuple[str, str, str]]:
        """System prompt, question and expected answer of every call."""
        calls = product(range(self.samples), self.cases, self.prompts)
        return [(prompt, case["input"], case["expected"]) for _, case, prompt in calls]

    async def loop(self, ask: Callable[[str, str], Awaitable[str]]) -> list[str]:
        """The answers of a plain loop with a semaphore."""
        semaphore = asyncio.Semaphore(self.in_flight)

        async def one(prompt: str, question: str) -> str:
            async with semaphore:
                return await ask(prompt, question)

        return await asyncio.gather(*(one(prompt, question) for prompt, question, _ in self.samples_to_take))

    def right(self, answers: list[str]) -> int:
        """How many answers of the loop are the expected ones."""
        wanted = (expected for _, _, expected in self.samples_to_take)
        return sum(answer == expected for answer, expected in zip(answers, wanted, strict=True))
