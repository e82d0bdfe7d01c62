from collections import Counter
from dataclasses import replace

from gate.domain.sample import ArmName
from gate.engine.plan import count, jobs
from tests.support.runs import suite


def test_every_sample_is_planned_once() -> None:
    suites = (suite([{}] * 5, name="a", samples=2), suite([{}] * 3, name="b", samples=1))
    planned = Counter((job.suite.name, job.case.id, job.arm, job.index) for job in jobs(suites))
    assert set(planned.values()) == {1}
    assert len(planned) == count(suites) == 2 * (5 * 2 + 3)


def test_the_arms_of_a_case_are_neighbours_and_take_turns() -> None:
    planned = list(jobs((suite([{}] * 4),)))
    pairs = list(zip(planned[::2], planned[1::2], strict=True))
    assert all(first.case is second.case and first.arm is not second.arm for first, second in pairs)
    assert [first.arm for first, _ in pairs] == [ArmName.BASELINE, ArmName.CANDIDATE] * 2


def test_each_case_is_asked_once_before_any_is_asked_again() -> None:
    indices = [job.index for job in jobs((suite([{}] * 4, samples=3),))]
    assert indices == sorted(indices)


def test_a_new_prompt_has_one_arm() -> None:
    suites = (replace(suite([{}] * 3, samples=2), baseline=None), suite([{}] * 2, name="b"))
    planned = Counter((job.suite.name, job.arm) for job in jobs(suites))
    assert planned == {("support", ArmName.CANDIDATE): 6, ("b", ArmName.BASELINE): 2, ("b", ArmName.CANDIDATE): 2}
    assert count(suites) == 10
