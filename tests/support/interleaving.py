"""Runs several programs step by step in every order of their steps, one thread at a time.

A step is whatever a program does between two calls of `Scheduler.step`. Orders that differ only in which of two
neighbouring reads came first are tried once.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

Program = Callable[["Scheduler", int], None]


@dataclass(slots=True)
class Scheduler:
    """One order of steps.

    Args:
        plan: which program moves at each step; after its end the first one that can.
    """

    plan: Sequence[int]
    trace: list[tuple[int, bool, tuple[int, ...]]] = field(default_factory=list)
    """Who moved, whether it only read, and who could have."""
    errors: list[BaseException] = field(default_factory=list)
    _waits: set[int] = field(default_factory=set)
    _turn: dict[int, threading.Semaphore] = field(default_factory=dict)
    _wants: dict[int, bool] = field(default_factory=dict)
    _parked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def step(self, who: int, reads: bool) -> None:
        """Called by a program before its next action; returns when it is its turn."""
        self._wants[who] = reads
        self._parked.release()
        self._turn[who].acquire()

    def wait(self, who: int) -> None:
        """Called by a program that waits for others: one of them moves first, if any can."""
        self._waits.add(who)
        self.step(who, True)

    def run(self, programs: Sequence[Program]) -> None:
        """Run all programs to their ends, in this order."""
        for who, program in enumerate(programs):
            self._turn[who] = threading.Semaphore(0)
            threading.Thread(target=self._body, args=(program, who), daemon=True).start()
            self._parked.acquire()
        while self._wants:
            can = tuple(sorted(self._wants.keys() - self._waits or self._wants))
            place = len(self.trace)
            who = self.plan[place] if place < len(self.plan) else can[0]
            self.trace.append((who, self._wants.pop(who), can))
            self._waits.clear()
            self._turn[who].release()
            self._parked.acquire()
        if self.errors:
            raise self.errors[0]

    def _body(self, program: Program, who: int) -> None:
        try:
            program(self, who)
        except BaseException as error:  # told to the test's own thread
            self.errors.append(error)
        self._parked.release()


def orders(run: Callable[[Scheduler], None], most_switches: int = 10**9) -> Iterator[Scheduler]:
    """Run the same programs in every order.

    Args:
        run: sets the stage anew, and runs the programs on the scheduler that it is given.
        most_switches: orders with more changes from a program that could go on to another are left out.
    """
    pending: list[tuple[int, ...]] = [()]
    while pending:
        plan = pending.pop()
        scheduler = Scheduler(plan)
        run(scheduler)
        yield scheduler
        moves = [who for who, _, _ in scheduler.trace]
        for place in range(len(plan), len(moves)):
            _, _, can = scheduler.trace[place]
            for other in can:
                start = (*moves[:place], other)
                if other != moves[place] and _switches(start, scheduler) <= most_switches:
                    pending.append(start)


def _switches(moves: Sequence[int], scheduler: Scheduler) -> int:
    """How often another program was taken up although the one before could have gone on."""
    pairs = zip(moves, moves[1:], scheduler.trace[1:], strict=False)
    return sum(before != after and before in can for before, after, (_, _, can) in pairs)
