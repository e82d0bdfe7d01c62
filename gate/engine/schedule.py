"""The samples of a run, and their order."""

import random
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gate.cases.case import Case
from gate.record.sample import ArmName, Sample
from gate.suite import Suite


def by_lane(suites: Iterable[Suite]) -> list[tuple[Suite, ...]]:
    """The suites in groups that ask the same services."""
    lanes: dict[frozenset[str], list[Suite]] = {}
    for suite in suites:
        lanes.setdefault(frozenset(arm.model.provider for arm in suite.arms.values()), []).append(suite)
    return [tuple(lane) for lane in lanes.values()]


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to be taken.

    Args:
        fresh: ask even if an answer is known.
    """

    suite: Suite
    case: Case
    arm: ArmName
    index: int
    fresh: bool = False
    warmup: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """The samples of one case and repeat, one of each arm."""

    suite: Suite
    case: Case
    index: int
    order: tuple[ArmName, ...]

    @property
    def key(self) -> tuple[str, str, int]:
        """Suite, case and index."""
        return self.suite.name, self.case.id, self.index

    def jobs(self, *, fresh: frozenset[ArmName] = frozenset(), warmup: bool = False) -> Iterator[Job]:
        """Its samples, next to each other."""
        for arm in self.order:
            yield Job(self.suite, self.case, arm, self.index, arm in fresh, warmup)


@dataclass(frozen=True, slots=True)
class Share:
    """One of `of` equal parts of a run, counted from 1."""

    number: int = 1
    of: int = 1


@dataclass(frozen=True, slots=True)
class Schedule:
    """All pairs of a run.

    Every case is asked once before any is asked again, so that an interrupted run is balanced. Within a repeat the
    pairs come in random order, and so do the arms of a pair, which are neighbours: a service that slows down, a rate
    limit and a cache that warms up affect both arms alike.

    Args:
        share: the part of the pairs that is asked here, dealt out evenly, repeat by repeat.
    """

    suites: Sequence[Suite]
    seed: int
    share: Share = Share()

    @property
    def repeats(self) -> int:
        """The largest number of samples per case and arm."""
        return max((suite.samples for suite in self.suites), default=0)

    def pairs(self, index: int) -> Iterator[Pair]:
        """The pairs of one repeat, from 0, in the same order each time."""
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


class NoSuchSample(LookupError):
    """No run of these suites takes such a sample; the text says why, in one line."""


@dataclass(frozen=True, slots=True)
class _Block:
    suite: Suite
    start: int
    samples: int
    arms: dict[ArmName, int]
    cases: dict[str, int]


@dataclass(slots=True)
class SamplePlaces:
    """Every sample of a run in one canonical order: by suite, case, sample index and arm, the baseline first."""

    suites: Sequence[Suite]
    _blocks: dict[str, _Block] = field(init=False)

    def __post_init__(self) -> None:
        self._blocks = {}
        start = 0
        for suite in self.suites:
            cases = {case.id: position for position, case in enumerate(suite.exam.cases)}
            arms = {arm: position for position, arm in enumerate(suite.arms)}
            self._blocks[suite.name] = _Block(suite, start, suite.samples, arms, cases)
            start += count([suite])

    def __len__(self) -> int:
        return count(self.suites)

    def place(self, suite: str, case_id: str, arm: ArmName, index: int) -> int:
        """The place of one sample, from 0.

        Raises:
            Unplanned: the run has no such suite, case, arm or repeat.
        """
        block = self._blocks.get(suite)
        if block is None:
            raise NoSuchSample("its suite is none of this run's")
        position = block.cases.get(case_id)
        if position is None:
            raise NoSuchSample("its case is not in the exam")
        if arm not in block.arms:
            raise NoSuchSample(f"its suite has no {arm.value}")
        if index >= block.samples:
            raise NoSuchSample(
                f"its suite takes {block.samples} samples per case and arm, and this is number {index + 1}"
            )
        return block.start + (position * block.samples + index) * len(block.arms) + block.arms[arm]

    def suite_and_case(self, sample: Sample) -> tuple[Suite, Case]:
        """The suite and the case of a sample that has a place."""
        block = self._blocks[sample.suite]
        return block.suite, block.suite.exam.cases[block.cases[sample.case_id]]


def dealt(places: SamplePlaces, seed: int, of: int) -> "array[int]":
    """For each place the number of the shard that takes the sample, as `Collector` with a `Share` does."""
    numbers = array("H", bytes(2 * len(places)))
    for lane in by_lane(places.suites):
        schedule = Schedule(lane, seed)
        for index in range(schedule.repeats):
            for turn, pair in enumerate(schedule.pairs(index)):
                for arm in pair.order:
                    numbers[places.place(pair.suite.name, pair.case.id, arm, index)] = turn % of + 1
    return numbers
