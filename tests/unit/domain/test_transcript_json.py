"""A transcript survives being written down; what is none is refused."""

import json
from typing import Any

import pytest
from hypothesis import given

from gate.domain.transcript import Transcript, Turn
from gate.domain.transcript_json import transcript_json, transcript_of
from tests.support.transcripts import TRANSCRIPTS
from tests.unit.stats.layouts import THOROUGH


@THOROUGH
@given(TRANSCRIPTS)
def test_there_and_back(transcript: Transcript) -> None:
    assert transcript_of(json.loads(json.dumps(transcript_json(transcript)))) == transcript


GOOD = Transcript("s", (Turn(0, "a", "case", "b"),))


@pytest.mark.parametrize(
    "change",
    [
        {"session": 7},
        {"turns": None},
        {"turns": [{}]},
        {"turns": [{"round": 0, "said": "a", "by": "nobody", "answer": "b"}]},
        {"turns": [{"round": "x", "said": "a", "by": "case", "answer": "b"}]},
        {"observations": [{"scorer": "s", "rows": [[{}]]}]},
        {"aside": []},
    ],
)
def test_what_is_no_transcript_is_refused_in_one_line(change: dict[str, Any]) -> None:
    written: Any = transcript_json(GOOD)
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        transcript_of({**written, **change})


@pytest.mark.parametrize("other", [None, [], "x", 7])
def test_something_else_is_refused(other: object) -> None:
    with pytest.raises(ValueError):
        transcript_of(other)
