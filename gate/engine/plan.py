"""What is to be asked, in which order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.domain.case import Case
from gate.domain.sample import ArmName
from gate.domain.suite import Suite


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to be taken."""

    suite: Suite
    case: Case
    arm: ArmName
    index: int


def jobs(suites: Sequence[Suite]) -> Iterator[Job]:
    """All jobs, the arms interleaved.

    The two arms of a case stand next to each other and take turns at going first, so that a slow minute of a service
    falls on both; every case is asked once before any is asked again, so that an interrupted run is balanced. A new
    prompt has one arm.
    """
    for index in range(max((suite.samples for suite in suites), default=0)):
        for suite in suites:
            if index >= suite.samples:
                continue
            for position, case in enumerate(suite.exam.cases):
                arms = tuple(suite.arms)
                for arm in arms if (position + index) % 2 == 0 else reversed(arms):
                    yield Job(suite, case, arm, index)


def count(suites: Sequence[Suite]) -> int:
    """How many samples `jobs` yields."""
    return sum(len(suite.arms) * suite.samples * len(suite.exam.cases) for suite in suites)
