"""How a reply ended."""

from dataclasses import replace

import pytest

from gate.record.transcript import STEP_LIMIT, ending_of
from tests.support.runs import reply


@pytest.mark.parametrize(
    ("text", "stop", "ending"),
    [
        ("yes", "stop", ""),
        ("yes", "end_turn", ""),
        ("yes", "", ""),
        ("Open the", "length", "cut off"),
        ("Open the", "max_tokens", "cut off"),
        ("", "length", "cut off"),
        (" \n", "stop", "empty"),
        ("No.", "refusal", "refused"),
        ("", "content_filter", "refused"),
        ("", STEP_LIMIT, STEP_LIMIT),
        ("I looked", STEP_LIMIT, STEP_LIMIT),
    ],
)
def test_of_several_words_the_first_counts(text: str, stop: str, ending: str) -> None:
    assert ending_of(replace(reply(), text=text, stop_reason=stop)) == ending
