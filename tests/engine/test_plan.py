from collections import Counter
from dataclasses import replace

import pytest

from gate.engine.schedule import Schedule, Share, by_lane, count
from gate.record.sample import ArmName
from gate.suite import Suite
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
