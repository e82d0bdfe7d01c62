"""How long a change may be read: what is said depends on what took so long."""

import pytest

from gate.action.evaluation import FILLING, READING, READING_MINUTES, ReadingDeadline, reading_deadline
from gate.environment.action import Inputs
from gate.errors import CannotEvaluate


def test_the_workflow_says_how_long() -> None:
    assert reading_deadline(Inputs()).minutes == READING_MINUTES
    assert [reading_deadline(Inputs(max_minutes=minutes)).minutes for minutes in (0.5, 60)] == [0.5, 60]


def test_the_change_is_not_blamed_first_for_a_slow_github() -> None:
    found = reading_deadline(Inputs(max_minutes=1))
    message, hint = found.told(READING)
    assert message == "preparing the change took longer than 1 minute, and stopped while " + READING
    assert hint.startswith("run the job again, because GitHub may be slow")
    assert "JSON Schemas" in hint
    message, hint = found.told(FILLING)
    assert message.endswith(FILLING)
    assert hint.startswith("look in the change for templates with long loops")


def test_what_one_step_took_is_missing_for_the_next() -> None:
    long_ago = float("-inf")
    with pytest.raises(CannotEvaluate, match=f"longer than 60 minutes, and stopped while {FILLING}"):
        ReadingDeadline(60, long_ago).run(FILLING, lambda: sum(n for n in range(50_000_000)))
