from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.models import ModelRef
from gate.engine.schedule import NoSuchSample, SamplePlaces, Schedule, Share, by_lane, dealt
from gate.record.sample import ArmName
from gate.suite import Suite
from tests.support.runs import suite


def some(cases: int, samples: int) -> tuple[Suite, ...]:
    """Three suites: two that share a service, one of them without a baseline, and one of another service."""
    one, new, other = (suite([{}] * cases, name=name, samples=samples) for name in ("one", "new", "other"))
    arm = replace(other.candidate, model=ModelRef("openai", "m"))
    return one, replace(new, baseline=None, samples=1), replace(other, baseline=arm, candidate=arm)


def test_the_canonical_order_counts_every_sample_once() -> None:
    suites = some(3, 2)
    places = SamplePlaces(suites)
    found = [
        places.place(one.name, case.id, arm, index)
        for one in suites
        for case in one.exam.cases
        for index in range(one.samples)
        for arm in one.arms
    ]
    assert found == list(range(len(places))) == list(range(3 * 4 + 3 + 3 * 4))


@given(st.integers(1, 8), st.integers(1, 3), st.integers(0, 99), st.integers(1, 9))
def test_every_sample_belongs_to_the_shard_that_takes_it(cases: int, samples: int, seed: int, of: int) -> None:
    suites = some(cases, samples)
    places = SamplePlaces(suites)
    expected = [0] * len(places)
    for number in range(1, of + 1):
        for lane in by_lane(suites):
            for pair in Schedule(lane, seed, Share(number, of)).all_pairs():
                for job in pair.jobs():
                    expected[places.place(job.suite.name, job.case.id, job.arm, job.index)] = number
    assert list(dealt(places, seed, of)) == expected


def test_shares_are_even() -> None:
    share = Counter(dealt(SamplePlaces((suite([{}] * 100, samples=3),)), 1, 7))
    assert sorted(share) == [1, 2, 3, 4, 5, 6, 7]
    assert max(share.values()) - min(share.values()) <= 2 * 3


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (("nope", "c000", ArmName.BASELINE, 0), "suite"),
        (("one", "nope", ArmName.BASELINE, 0), "case"),
        (("new", "c000", ArmName.BASELINE, 0), "no baseline"),
        (("one", "c000", ArmName.BASELINE, 2), "number 3"),
    ],
)
def test_what_no_run_takes_has_no_place(key: tuple[str, str, ArmName, int], said: str) -> None:
    with pytest.raises(NoSuchSample, match=said):
        SamplePlaces(some(2, 2)).place(*key)
