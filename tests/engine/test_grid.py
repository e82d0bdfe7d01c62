"""Arrays of one suite say what a walk through its samples says."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.engine.arrays import WANTED, Grid, pair_count, scores, side_by_side
from gate.engine.samples import SampleTable
from gate.record.sample import ArmName, Reply, Sample
from gate.record.transcript import Failed, Unscored
from gate.suite import Suite
from tests.engine.test_samples import FEW, sample_lists
from tests.support.runs import suite

CASES, K = ("c0", "c1", "c2"), 4
DENSE = sample_lists(indices=K + 1, most=40)
FILLS = st.none() | st.sampled_from([{ArmName.BASELINE: 0.25, ArmName.CANDIDATE: 0.75}])
MOST = st.none() | st.integers(0, K)


def one() -> Suite:
    made = replace(suite([{}] * len(CASES), samples=K), name="s")
    cases = tuple(replace(case, id=name) for case, name in zip(made.exam.cases, CASES, strict=True))
    return replace(made, exam=replace(made.exam, cases=cases))


def own(samples: Iterable[Sample], case: str, arm: ArmName) -> list[Sample]:
    found = [s for s in samples if (s.suite, s.case_id, s.arm) == ("s", case, arm) and s.index < K]
    return sorted(found, key=lambda sample: sample.index)


def values(samples: Sequence[Sample], most: int, fill: float | None) -> list[float]:
    known = {s.index: s.score for s in samples if not isinstance(s.score, Unscored)}
    if fill is None:
        return [score for index, score in known.items() if index < most]
    return [known.get(index, fill) for index in range(most)]


@FEW
@given(DENSE, FILLS, MOST)
def test_scores_of_both_arms_over_equally_many_samples(
    samples: list[Sample], fill: dict[ArmName, float] | None, most: int | None
) -> None:
    found = scores(Grid(one(), SampleTable.holding(samples)), fill, most)
    expected = {}
    limit = K if most is None else most
    for position, case in enumerate(CASES):
        arms = [values(own(samples, case, arm), limit, None if fill is None else fill[arm]) for arm in ArmName]
        if k := min(map(len, arms)):
            expected[position] = [sum(arm[:k]) / k for arm in arms]
    assert found.positions.tolist() == list(expected)
    assert found.baseline.tolist() == pytest.approx([means[0] for means in expected.values()])
    assert found.candidate.tolist() == pytest.approx([means[1] for means in expected.values()])
    everything = fill is not None and limit == K
    assert (found.samples is not None) or not everything


@FEW
@given(DENSE)
def test_side_by_side_is_what_one_sitting_asked_of_both_arms(samples: list[Sample]) -> None:
    kept, why = side_by_side(Grid(one(), SampleTable.holding(samples)))
    pairs = usable = replied = 0
    for position, case in enumerate(CASES):
        everything = {arm: own(samples, case, arm) for arm in ArmName}
        replied += min(sum(isinstance(s.reply, Reply) for s in row) for row in everything.values())
        rows = {arm: [s for s in row if not s.warmup] for arm, row in everything.items()}
        replies = {arm: {s.index: s.reply for s in row if isinstance(s.reply, Reply)} for arm, row in rows.items()}
        mixed = any(reply.origin.reused for row in replies.values() for reply in row.values())
        met = set.intersection(*({reply.origin.sitting for reply in row.values()} for row in replies.values()))
        counts = []
        for arm, row in zip(kept, ArmName, strict=True):
            expected = [index for index, r in replies[row].items() if not mixed or r.origin.sitting in met]
            assert np.flatnonzero(arm[position]).tolist() == expected
            counts.append(len(expected))
            usable += len(replies[row])
        pairs += min(counts)
    assert pair_count(kept) == pairs
    too_few = kept.sum() < usable and pairs < WANTED
    assert bool(why) == (too_few or (pairs == 0 and replied > 0))


@FEW
@given(DENSE, st.integers(0, K))
def test_reasons_of_samples_without_a_score_are_counted(samples: list[Sample], most: int) -> None:
    grid = Grid(one(), SampleTable.holding(samples))
    expected: Counter[str] = Counter()
    for case in CASES:
        for sample in (s for arm in ArmName for s in own(samples, case, arm)):
            if sample.index < most and isinstance(sample.score, Unscored):
                expected[sample.reply.reason if isinstance(sample.reply, Failed) else sample.score.reason] += 1
    assert grid.unscored(grid.within(most)) == expected


def test_a_table_without_samples_is_a_grid_without_samples() -> None:
    grid = Grid(one(), SampleTable())
    assert not grid.taken.any()
    assert not grid.flags("failed").any()
    assert grid.figures("latency").shape == (2, len(CASES), K)
    assert scores(grid).positions.size == 0
