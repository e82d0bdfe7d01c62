"""How long a change may be read: what is said depends on what took so long."""

from gate.action.evaluation import READING_MINUTES, reading_deadline
from gate.environment.action import Inputs


def test_the_workflow_says_how_long() -> None:
    assert reading_deadline(Inputs()).minutes == READING_MINUTES
    assert [reading_deadline(Inputs(max_minutes=minutes)).minutes for minutes in (0.5, 60)] == [0.5, 60]


def test_the_change_is_not_blamed_first_for_a_slow_github() -> None:
    found = reading_deadline(Inputs(max_minutes=1))
    message, hint = found.told()
    assert message == "preparing the change took longer than 1 minute, and stopped while " + found.doing
    assert hint.startswith("run the job again, because GitHub may be slow")
    assert "JSON Schemas" in hint
    found.doing = "filling every case into its prompts and scorers"
    assert found.told()[0].endswith(found.doing)
    assert found.told()[1].startswith("look in the change for templates with long loops")
