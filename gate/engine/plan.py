"""What is to be asked, in which order."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.domain.case import Case
from gate.domain.sample import ArmName
from gate.domain.suite import Suite


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to be taken.

    Args:
        suite, case, arm, index: which.
        fresh: ask even if an answer is known.
        warmup: the first call of its arm.
    """

    suite: Suite
    case: Case
    arm: ArmName
    index: int
    fresh: bool = False
    warmup: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """The samples of one case and repeat, one of each arm.

    Args:
        suite, case, index: which.
        order: the arms that there are, the one that is asked first in front.
    """

    suite: Suite
    case: Case
    index: int
    order: tuple[ArmName, ...]

    @property
    def key(self) -> tuple[str, str, int]:
        """What it is known by: suite, case, index."""
        return self.suite.name, self.case.id, self.index

    def jobs(self, *, fresh: frozenset[ArmName] = frozenset(), warmup: bool = False) -> Iterator[Job]:
        """Its samples, next to each other."""
        for arm in self.order:
            yield Job(self.suite, self.case, arm, self.index, arm in fresh, warmup)


@dataclass(frozen=True, slots=True)
class Share:
    """One of several equal parts of a run.

    Args:
        number: 1 to `of`.
        of: how many parts there are.
    """

    number: int = 1
    of: int = 1


@dataclass(frozen=True, slots=True)
class Schedule:
    """All pairs of a run.

    Every case is asked once before any is asked again, so that an interrupted run is balanced. Within a repeat the
    pairs come in random order, and so do the arms of a pair, which are neighbours: a service that slows down, a rate
    limit and a cache that warms up hit both arms alike.

    Args:
        suites: what is evaluated.
        seed: of the order.
        share: the part of the pairs that is asked here; dealt out evenly, repeat by repeat.
    """

    suites: Sequence[Suite]
    seed: int
    share: Share = Share()

    @property
    def repeats(self) -> int:
        """The largest number of samples per case and arm."""
        return max((suite.samples for suite in self.suites), default=0)

    def pairs(self, index: int) -> Iterator[Pair]:
        """The pairs of one repeat, the same each time.

        Args:
            index: sample index, 0 to `repeats` - 1.
        """
        rng = random.Random(f"{self.seed}/{index}")  # noqa: S311 an order is no secret
        places = [
            (suite, position)
            for suite in self.suites
            if index < suite.samples
            for position in range(len(suite.exam.cases))
        ]
        rng.shuffle(places)
        for place, (suite, position) in enumerate(places):
            order = tuple(suite.arms)
            swapped = rng.random() < 0.5
            if place % self.share.of == self.share.number - 1:
                yield Pair(suite, suite.exam.cases[position], index, order[::-1] if swapped else order)

    def all_pairs(self) -> Iterator[Pair]:
        """The pairs of all repeats."""
        for index in range(self.repeats):
            yield from self.pairs(index)

    def warmups(self) -> list[Pair]:
        """The first pair of each suite: its calls fill the provider's prompt cache."""
        first: dict[str, Pair] = {}
        for pair in self.pairs(0):
            first.setdefault(pair.suite.name, pair)
            if len(first) == len(self.suites):
                break
        return list(first.values())


def count(suites: Sequence[Suite]) -> int:
    """How many samples a whole run takes."""
    return sum(len(suite.arms) * suite.samples * len(suite.exam.cases) for suite in suites)
