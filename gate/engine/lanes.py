"""Suites that wait for the same services stand in one queue; a service that is slow keeps no other suite waiting."""

from collections.abc import Iterable

from gate.domain.suite import Suite


def by_lane(suites: Iterable[Suite]) -> list[tuple[Suite, ...]]:
    """The suites in groups that ask the same services.

    Args:
        suites: of one run, in order.
    """
    lanes: dict[frozenset[str], list[Suite]] = {}
    for suite in suites:
        lanes.setdefault(frozenset(arm.model.provider for arm in suite.arms.values()), []).append(suite)
    return [tuple(lane) for lane in lanes.values()]
