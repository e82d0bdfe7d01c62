"""What the scorer `tools` names."""

from gate.cases.case import Case
from gate.record.transcript import Transcript, Turn
from gate.scoring.interface import Subject
from gate.scoring.validators.tool_calls import tools


def test_a_tool_that_two_options_ask_for_is_missing_once() -> None:
    subject = Subject(
        Case("a", "How full?"), "Full.", transcript=Transcript("s", (Turn(0, "How full?", "case", "Full."),))
    )
    asked = {"all": ["get_occupancy"], "arguments": {"get_occupancy": {"subset": {"month": "2026-10"}}}}
    assert tools(asked, subject) == (0.0, 'missing: "get_occupancy" (called no tool)')
