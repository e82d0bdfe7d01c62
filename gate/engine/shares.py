"""Where each sample of a run belongs: its place in the canonical order, and the shard that has to take it."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from gate.domain.case import Case
from gate.domain.sample import ArmName, Sample
from gate.domain.suite import Suite
from gate.engine.lanes import by_lane
from gate.engine.plan import Schedule, count


class Unplanned(LookupError):
    """No run of these suites takes such a sample; the text says why, in one line."""


@dataclass(frozen=True, slots=True)
class _Block:
    suite: Suite
    start: int
    samples: int
    arms: dict[ArmName, int]
    cases: dict[str, int]


@dataclass(slots=True)
class Places:
    """Every sample of a run in one canonical order: by suite, case, sample index and arm, the baseline first.

    Args:
        suites: of the run, in order.
    """

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
            raise Unplanned("its suite is none of this run's")
        position = block.cases.get(case_id)
        if position is None:
            raise Unplanned("its case is not in the exam")
        if arm not in block.arms:
            raise Unplanned(f"its suite has no {arm.value}")
        if index >= block.samples:
            raise Unplanned(f"its suite takes {block.samples} samples per case and arm, and this is number {index + 1}")
        return block.start + (position * block.samples + index) * len(block.arms) + block.arms[arm]

    def asked(self, sample: Sample) -> tuple[Suite, Case]:
        """The suite and the case of a sample that has a place."""
        block = self._blocks[sample.suite]
        return block.suite, block.suite.exam.cases[block.cases[sample.case_id]]


def dealt(places: Places, seed: int, of: int) -> "array[int]":
    """For each place the number of the shard that takes the sample, as `Collector` with a `Share` does.

    Args:
        places: of the run.
        seed: of the order.
        of: how many shards there are, at most 65,535.
    """
    numbers = array("H", bytes(2 * len(places)))
    for lane in by_lane(places.suites):
        schedule = Schedule(lane, seed)
        for index in range(schedule.repeats):
            for turn, pair in enumerate(schedule.pairs(index)):
                for arm in pair.order:
                    numbers[places.place(pair.suite.name, pair.case.id, arm, index)] = turn % of + 1
    return numbers
