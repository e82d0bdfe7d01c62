"""How replies ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.domain.absence import Failed
from gate.domain.sample import ArmName, Reply, Sample
from gate.domain.usage import Unpriced, Usage
from gate.engine.endings import Endings, by_arm, counted, ending, remarks

WORDS = ["stop", "end_turn", "length", "max_tokens", "content_filter", "refusal", "", "tool_use", "LENGTH"]


def reply(stop_reason: str, text: str = "text") -> Reply:
    return Reply(text, "m", Usage(), Unpriced("n/a"), None, stop_reason=stop_reason)


def sample(answer: Reply | Failed, arm: ArmName = ArmName.CANDIDATE, suite: str = "s") -> Sample:
    return Sample(suite, "c", arm, 0, answer)


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("stop", "text", "whole"),
        ("end_turn", "text", "whole"),
        ("length", "text", "cut_off"),
        ("max_tokens", "", "cut_off"),
        ("content_filter", "", "filtered"),
        ("refusal", "I cannot", "refused"),
        ("stop", "", "empty"),
        ("stop", " \n", "empty"),
        ("something new", "text", "whole"),
    ],
)
def test_ending(word: str, text: str, expected: str) -> None:
    assert ending(reply(word, text)) == expected


def test_each_arm_of_each_suite_is_counted_apart_and_failures_are_no_replies() -> None:
    rows = [
        sample(reply("length")),
        sample(reply("stop")),
        sample(Failed("dropped")),
        sample(reply("length"), ArmName.BASELINE),
        sample(reply("stop", ""), suite="t"),
    ]
    assert by_arm(rows) == {
        ("s", ArmName.CANDIDATE): Endings(2, cut_off=1),
        ("s", ArmName.BASELINE): Endings(1, cut_off=1),
        ("t", ArmName.CANDIDATE): Endings(1, empty=1),
    }


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", "x"]))))
def test_counts_add_up(pairs: list[tuple[str, str]]) -> None:
    total = Endings()
    for word, text in pairs:
        total += counted(reply(word, text))
    assert total.replies == len(pairs)
    whole = sum(ending(reply(word, text)) == "whole" for word, text in pairs)
    assert whole + total.cut_off + total.filtered + total.refused + total.empty == len(pairs)


def test_remarks() -> None:
    assert remarks(ArmName.CANDIDATE, Endings(300, cut_off=12, filtered=1)) == [
        "12 of 300 candidate replies were cut off at max_output_tokens",
        "1 of 300 candidate replies was ended by the provider's content filter",
    ]
    assert remarks(ArmName.BASELINE, Endings(300)) == []
