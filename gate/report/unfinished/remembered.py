"""Which answers a later run need not pay for again."""

from collections.abc import Iterator

from gate.domain.record import RunRecord
from gate.domain.record_parts import ArmRecord


def asked_again(run: RunRecord) -> tuple[str, ...]:
    """Suites with an agent of which nobody can tell whether it is the same another time, so that it is asked again."""
    return tuple(dict.fromkeys(suite for suite, arm in _arms(run) if not arm.remembered))


def something_kept(run: RunRecord) -> bool:
    """Are there answers that are not paid again?"""
    return any(arm.remembered for _, arm in _arms(run))


def _arms(run: RunRecord) -> Iterator[tuple[str, ArmRecord]]:
    for suite in run.suites:
        yield from ((suite.name, suite.baseline), (suite.name, suite.candidate))
    yield from ((new.name, new.candidate) for new in run.new)
