"""A process that keeps answers until it is stopped, and says which are kept: `keeper.py FILE NAME COUNT [LIMIT]`.

NAME goes before each number, COUNT is how many to keep (0: without end), LIMIT the largest size of a file in bytes.
"""

import asyncio
import itertools
import resource
import sys
from pathlib import Path

from gate.calls.cache import AnswerStore
from gate.calls.interface import AnswerNotSaved
from tests.calls.asked import address, answer, asked

AT_ONCE = 8


async def keep_all(memory: AnswerStore, name: str, numbers: "itertools.count[int] | range") -> None:
    source = iter(numbers)

    async def work() -> None:
        for number in source:
            text = f"{name}{number}"
            memory.find(asked(text))
            await memory.keep(asked(text), answer(f"to {text} {'x' * 2000}"))
            print(text, flush=True)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))


def main() -> None:
    path, name, count, *limit = sys.argv[1:]
    with AnswerStore(Path(path), address, name) as memory:
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), resource.RLIM_INFINITY))
        try:
            asyncio.run(keep_all(memory, name, range(int(count)) if int(count) else itertools.count()))
        except AnswerNotSaved as lost:
            print(f"not kept: {lost.reason}", flush=True)
    for warning in memory.warnings:
        print(f"warning: {warning}", flush=True)


if __name__ == "__main__":
    main()
