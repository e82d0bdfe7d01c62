"""A transcript that is written is read as it was; one with numbers that mean nothing is refused."""

from dataclasses import replace

import pytest

from gate.domain.transcript import Aside, ToolUse, Transcript, Turn
from gate.domain.transcript_json import transcript_json, transcript_of
from gate.domain.usage import Dollars, Usage

TURN = Turn(0, "hi", "case", "yes", (ToolUse("find", "{}", "gone", failed=True, latency_s=0.5),), cost=Dollars(0.5))
TALK = Transcript("s", (TURN,), (0,), Aside(1, Dollars(0.25), ("no verdict",)))


def test_what_is_written_is_read() -> None:
    assert transcript_of(transcript_json(TALK)) == TALK


@pytest.mark.parametrize(
    "bad",
    [
        replace(TALK, revived=(-1,)),
        replace(TALK, aside=Aside(-1)),
        replace(TALK, turns=(replace(TURN, steps=10**30),)),
        replace(TALK, turns=(replace(TURN, usage=Usage(-1)),)),
        replace(TALK, turns=(replace(TURN, cost=Dollars(-0.5)),)),
        replace(TALK, turns=(replace(TURN, latency_s=float("nan")),)),
    ],
)
def test_numbers_that_mean_nothing_are_refused(bad: Transcript) -> None:
    with pytest.raises(ValueError, match="Input should be"):
        transcript_of(transcript_json(bad))
