"""The benchmark of the statistics: goals are compared as printed, and each job runs in its own process."""

import io

import pytest
from rich.console import Console

from benchmarks.statistics import Job, Measured, measure, table

GOALS = Job("job", lambda: lambda: None, limit_s=0.05, limit_mib=300)


def printed(job: Job, measured: Measured | None) -> str:
    out = io.StringIO()
    Console(file=out, width=150).print(table([(job, measured)]))
    return out.getvalue()


@pytest.mark.parametrize(
    ("seconds", "peak_mib", "met"),
    [
        ((0.01, 0.04, 9.0), 299.0, True),
        ((0.01, 0.06, 0.06), 299.0, False),
        ((0.01, 0.04, 0.04), 301.0, False),
    ],
)
def test_median_time_and_peak_memory_must_both_meet_the_goal(
    seconds: tuple[float, ...], peak_mib: float, met: bool
) -> None:
    measured = Measured(seconds, peak_mib)
    assert measured.meets(GOALS) is met
    assert (" yes " in printed(GOALS, measured)) is met


def test_a_missing_function_is_shown_as_not_available() -> None:
    missing = Job("job", lambda: None)
    assert measure(missing) is None
    assert "not available" in printed(missing, None)
    assert " yes " not in printed(missing, None)
