"""The samples of a run, and their order."""

import math
import random
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from gate.cases.case import Case
from gate.config.policy import RunPolicy
from gate.config.values import OVERALL
from gate.engine.arrays import SampleGrid, Slice, Stack, scores, stack, units_of
from gate.engine.compare import FLIPS_BELOW_LEVEL, JointTest, Quality, comparison
from gate.record.comparison import Comparison
from gate.record.transcript import ArmName, Sample
from gate.stats.arrays import BLOCKABLE_UNITS, JointResult
from gate.suite import Suite

if TYPE_CHECKING:
    from gate.stats.sequential import Look, Sequential


def by_lane(suites: Iterable[Suite]) -> list[tuple[Suite, ...]]:
    """The suites in groups that call the same services."""
    lanes: dict[frozenset[str], list[Suite]] = {}
    for suite in suites:
        lanes.setdefault(frozenset(arm.model.provider for arm in suite.arms.values()), []).append(suite)
    return [tuple(lane) for lane in lanes.values()]


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to be taken.

    Args:
        fresh: send the request even if an answer is cached.
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

    Every case is called once before any is called again, so that an interrupted run is balanced. Within a repeat the
    pairs come in random order, and so do the arms of a pair, which are neighbours: a service that slows down, a rate
    limit and a cache that warms up affect both arms alike.

    Args:
        share: the part of the pairs that is called here, distributed evenly, repeat by repeat.
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
    """No run of these suites takes such a sample; the text is the reason, in one line."""


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
            raise NoSuchSample("this run has no such suite")
        position = block.cases.get(case_id)
        if position is None:
            raise NoSuchSample("its case is not in the eval set")
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


def why_not(suites: Sequence[Suite], policy: RunPolicy) -> str | None:
    """Why a run cannot stop early; None when it can."""
    if not policy.early_stop:
        return "early stopping is off"
    if not policy.joint:
        return f"early stopping is for the method maxt, not {policy.method}"
    if policy.breakage:
        return "the breakage channel needs all samples of every case"
    able = _able(suites)
    if not able:
        return "no suite that is compared can block"
    if len({suite.samples for suite in able}) > 1:
        return "the suites take different numbers of samples"
    return None if able[0].samples > 1 else "every case has only one sample"


def looks_planned(suites: Sequence[Suite]) -> int:
    """How often the results are tested if a run does not stop early; `why_not` must be None."""
    return _able(suites)[0].samples


def needed(suite: Suite, samples: int | None) -> int:
    """Samples per case and arm of one suite; a new prompt, which has no baseline, takes all of its samples.

    `samples` is the number per case after which the run stopped early; None where it did not.
    """
    return suite.samples if samples is None or suite.baseline is None else min(samples, suite.samples)


def spared(suite: Suite, samples: int | None) -> int:
    """Samples of one suite that early stopping saved; arguments as in `needed`."""
    return len(suite.arms) * len(suite.exam.cases) * (suite.samples - needed(suite, samples))


def lacking(suites: Sequence[Suite], grids: Mapping[str, SampleGrid]) -> bool:
    """Has a sample of a compared suite no score?

    Then all samples are taken: what the missing scores could have changed is known only at the end.
    """
    return any(bool((grids[suite.name].taken & ~grids[suite.name].scored).any()) for suite in _compared(suites))


@dataclass(frozen=True, slots=True)
class Looks:
    """The interim tests of the samples of a run. The same samples give the same result, in a resumed run as well.

    Args:
        seen: the scores after one repeat, after two, and so on, as far as all samples are there and have a score.
    """

    suites: Sequence[Suite]
    policy: RunPolicy
    seed: int
    grids: Mapping[str, SampleGrid]
    seen: Sequence[Stack]
    ended: "Sequential | None"

    @property
    def samples(self) -> int | None:
        """Samples per case after which the run stopped early; None where it takes all of them."""
        looked = looks_planned(self.suites) if self.ended is None else self.ended.looked
        return looked if looked < looks_planned(self.suites) else None

    def quality(self, missing: Mapping[ArmName, float] | None = None) -> Quality:
        """Compare every slice at the same look: the one that ended the run, or a last one at all samples.

        `missing` has the score that replaces a missing one, by arm; None leaves missing samples out.
        """
        if self.ended is not None:
            latest, joint = self.seen[self.ended.looked - 1], self.ended.joint
        else:
            latest = _stack(self.suites, self.grids, None, missing)
            joint = _test([*self.seen, latest], self.suites, self.policy, self.seed, last=True).joint
        tester = JointTest(latest, self.policy, self.seed)
        rows = tuple((piece, _comparison(tester, piece, joint)) for piece in latest.slices)
        return Quality(rows, joint.family, joint.flips if joint.family else None)


def look(suites: Sequence[Suite], policy: RunPolicy, seed: int, grids: Mapping[str, SampleGrid]) -> Looks:
    """Look at a run after each complete repeat, until a look ends it."""
    # A suite that has no part in the verdict may take more samples: all of them are there at the end.
    repeats = [*range(1, looks_planned(suites)), None]
    complete = list(takewhile(lambda repeat: _complete(suites, grids, repeat), repeats))
    seen = [_stack(suites, grids, repeat) for repeat in complete]
    found = None if not seen or lacking(suites, grids) else _test(seen, suites, policy, seed)
    return Looks(suites, policy, seed, grids, seen, found if found is not None and found.over else None)


def _comparison(tester: JointTest, piece: Slice, joint: JointResult) -> Comparison:
    tested = piece.full_name in joint
    result = joint if tested else tester.alone(piece) if piece.rows.size else None
    return comparison(tester, piece, result, tested=tested)


def _compared(suites: Sequence[Suite]) -> list[Suite]:
    return [suite for suite in suites if suite.baseline is not None]


def _able(suites: Sequence[Suite]) -> list[Suite]:
    """The suites that have a part in the verdict and are large enough to block."""
    return [s for s in _compared(suites) if not s.trial and np.unique(units_of(s)).size >= BLOCKABLE_UNITS]


def _complete(suites: Sequence[Suite], grids: Mapping[str, SampleGrid], repeats: int | None) -> bool:
    return all(bool(grids[suite.name].scored[:, :, :repeats].all()) for suite in _compared(suites))


def _stack(
    suites: Sequence[Suite],
    grids: Mapping[str, SampleGrid],
    repeats: int | None,
    missing: Mapping[ArmName, float] | None = None,
) -> Stack:
    compared = _compared(suites)
    return stack(compared, {suite.name: scores(grids[suite.name], missing, repeats) for suite in compared})


def _test(
    seen: Sequence[Stack], suites: Sequence[Suite], policy: RunPolicy, seed: int, *, last: bool = False
) -> "Sequential":
    # Not loaded by a run without looks.
    from gate.stats.sequential import FLIPS, Plan, sequential_test

    pieces = {piece.full_name: piece for piece in seen[0].slices if not piece.advisory}
    watched = frozenset(name for name, piece in pieces.items() if piece.name == OVERALL)
    return sequential_test(
        [_look(one, pieces.keys()) for one in seen],
        Plan(looks_planned(suites), policy.alpha, watched),
        clusters=seen[0].everyone,
        margin={name: piece.margin for name, piece in pieces.items()},
        flips=max(FLIPS, math.ceil(FLIPS_BELOW_LEVEL / policy.alpha)),
        seed=seed,
        last=last,
    )


def _look(one: Stack, names: Collection[str]) -> "Look":
    from gate.stats.sequential import Look

    deltas = np.zeros(len(one.everyone))
    cases = one.scores.positions
    deltas[cases] = one.scores.deltas
    return Look(deltas, {piece.full_name: cases[piece.rows] for piece in one.slices if piece.full_name in names})
