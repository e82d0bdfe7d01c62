"""The order of the samples of a run, and its seed."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.models import ModelRef
from gate.engine.evaluate import default_seed
from gate.engine.schedule import NoSuchSample, SamplePlaces, Schedule, Share, by_lane, count, dealt
from gate.record.transcript import ArmName
from gate.suite import Suite
from tests.support.run_records import resolved
from tests.support.runs import suite

ALL = Share()


def planned(*suites: Suite, seed: int = 1, share: Share = ALL) -> list[tuple[str, str, ArmName, int]]:
    pairs = Schedule(suites, seed, share).all_pairs()
    return [(job.suite.name, job.case.id, job.arm, job.index) for pair in pairs for job in pair.jobs()]


def test_every_sample_is_planned_once() -> None:
    suites = (suite([{}] * 5, name="a", samples=2), suite([{}] * 3, name="b", samples=1))
    found = Counter(planned(*suites))
    assert set(found.values()) == {1}
    assert len(found) == count(suites) == 2 * (5 * 2 + 3)


def test_the_arms_of_a_case_are_neighbours_in_random_order() -> None:
    found = planned(suite([{}] * 100, samples=3))
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert all(first[:2] == second[:2] and first[2] is not second[2] for first, second in pairs)
    baseline_first = sum(first[2] is ArmName.BASELINE for first, _ in pairs)
    assert 100 <= baseline_first <= 200


def test_the_cases_of_a_repeat_come_in_random_order_and_every_repeat_has_its_own() -> None:
    cases = [row[1] for row in planned(suite([{}] * 50, samples=2))[::2]]
    assert cases[:50] != sorted(cases[:50])
    assert cases[:50] != cases[50:]
    assert sorted(cases[:50]) == sorted(cases[50:])


def test_a_small_suite_does_not_wait_for_the_end_of_a_large_one() -> None:
    names = [row[0] for row in planned(suite([{}] * 300, name="large"), suite([{}] * 30, name="small"))]
    first = names[: 2 * 330]
    assert 20 <= first[: len(first) // 2].count("small") <= 40


def test_the_order_depends_on_the_seed_alone() -> None:
    one = suite([{}] * 20)
    assert planned(one, seed=1) == planned(one, seed=1) != planned(one, seed=2)


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_the_shares_of_a_run_are_the_run_and_pairs_stay_together(parts: int) -> None:
    suites = (suite([{}] * 10, name="a"), suite([{}] * 7, name="b", samples=2))
    shares = [planned(*suites, share=Share(number, parts)) for number in range(1, parts + 1)]
    assert sorted(row for share in shares for row in share) == sorted(planned(*suites))
    assert all(set(Counter(row[:2] + row[3:] for row in share).values()) == {2} for share in shares)
    assert max(map(len, shares)) - min(map(len, shares)) <= 2 * 3


def test_the_first_pair_of_each_suite_warms_up() -> None:
    suites = (suite([{}] * 10, name="a"), suite([{}] * 10, name="b"))
    schedule = Schedule(suites, 1)
    warmups = schedule.warmups()
    assert sorted(pair.suite.name for pair in warmups) == ["a", "b"]
    pairs = list(schedule.pairs(0))
    for pair in warmups:
        assert pair.key == next(other.key for other in pairs if other.suite.name == pair.suite.name)


def test_suites_that_ask_other_services_stand_in_another_queue() -> None:
    one, other = suite([{}], name="a"), suite([{}], name="b")
    away = replace(other.candidate, model=replace(other.candidate.model, provider="anthropic"))
    assert by_lane((one, other)) == [(one, other)]
    assert by_lane((one, replace(other, candidate=away))) == [(one,), (replace(other, candidate=away),)]


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


def without_commit(one: Suite) -> Suite:
    """As in file mode."""
    assert one.baseline is not None
    return replace(one, baseline=replace(one.baseline, version=replace(one.baseline.version, sha=None)))


def test_names_order_and_suites_of_the_changes_own_do_not_move_it() -> None:
    one, other = suite([{}] * 12), suite([{}] * 12, name="other")
    seed = default_seed(resolved([one, other]))
    own = replace(suite([{}] * 3, name="mine"), own_exam=True, exam=replace(one.exam, digest="f" * 64))
    assert default_seed(resolved([other, one])) == seed
    assert default_seed(resolved([replace(one, name="renamed"), other])) == seed
    assert default_seed(resolved([one, other, own])) == seed
    assert default_seed(resolved([one])) == seed
    assert default_seed(resolved([one, replace(own, baseline=None)])) == seed


def test_another_base_commit_moves_it() -> None:
    one = suite([{}] * 12)
    assert one.baseline is not None
    later = replace(one, baseline=replace(one.baseline, version=replace(one.baseline.version, sha="b" * 40)))
    assert default_seed(resolved([one])) != default_seed(resolved([later]))


def test_without_a_commit_the_exam_decides() -> None:
    one = without_commit(suite([{}] * 12))
    edited = replace(one, exam=replace(one.exam, digest="f" * 64))
    assert default_seed(resolved([one])) != default_seed(resolved([edited]))
