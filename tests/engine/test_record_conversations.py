"""Conversations in the record: all that was said and done, cut where it is long."""

from dataclasses import replace

import pytest

from gate.engine.record_parts import (
    ALL_CHARS,
    FOUND_CHARS,
    SAID_CHARS,
    TOOLS_KEPT,
    TURNS_KEPT,
    USED_CHARS,
    output_record,
    transcript_record,
)
from gate.engine.samples import SampleTable
from gate.record.parts import OutputRecord
from gate.record.sample import BROKE_OFF, ArmName, Sample, Score
from gate.record.transcript import Aside, Failed, Observation, ToolUse, Transcript, Turn
from gate.record.usage import Cost, Dollars, Effort, Unpriced, Usage
from gate.report.view.conversations import conversation_view
from tests.support.runs import reply

KEY = "sk-" + "a1" * 30


def sample(talk: Transcript) -> Sample:
    scores = (Score("judge", 1.0, cost=Dollars(0.5)), Score("contains", 1.0), Score("tone", 1.0, cost=Dollars(0.25)))
    return Sample("s", "c", ArmName.CANDIDATE, 0, replace(reply(0.125), transcript=talk), scores, 1.0)


def test_the_whole_conversation_is_kept_with_what_it_cost() -> None:
    use = ToolUse("find", '{"a": 1}', "gone", failed=True, latency_s=0.5)
    talk = Transcript(
        session="secret-session",
        turns=(
            Turn(0, "hi", "case", "which?", (use,), 2, Usage(10, 5, 1, 3), Dollars(0.125), 1.5, "stop"),
            Turn(0, "that one", "follow-up", "yes", stop_reason="step limit"),
        ),
        revived=(0,),
        aside=Aside(2, Dollars(0.0625), ("no verdict",)),
        observations=(Observation("stored", ((1,), (2,))), Observation("other", None, "no such table")),
        user_end="max_turns",
    )
    kept = output_record(sample(talk)).transcript
    assert kept is not None
    first, second = kept.turns
    assert first.tools[0].model_dump() == {
        "name": "find", "arguments": '{"a": 1}', "result": "gone", "failed": True, "latency_s": 0.5,
    }  # fmt: skip
    assert (first.steps, first.input_tokens, first.output_tokens, first.usd, first.latency_s) == (2, 16, 3, 0.125, 1.5)
    assert (second.by, second.stop_reason, second.usd) == ("follow-up", "step limit", None)
    assert (kept.agent_usd, kept.aside_usd, kept.judge_usd) == (0.125, 0.0625, 0.75)
    assert kept.user_end == "max_turns"
    assert (kept.revived, kept.aside_calls, kept.missed) == ([0], 2, ["no verdict"])
    assert [(one.rows, one.error) for one in kept.observations] == [(2, ""), (None, "no such table")]
    assert "secret-session" not in kept.model_dump_json()


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        (Observation("kept", ((0,),), columns=("count",)), "0"),
        (Observation("q", (("ä", None), ("b", 2)), columns=("name", "n")), '{"name": "ä", "n": null}'),
        (Observation("q", (("a", 1),)), '["a", 1]'),
        (Observation("q", ()), ""),
        (Observation("q", None, "no such table"), ""),
        (Observation("q", ((f"key {KEY}",),)), '"key ⟨API key⟩"'),
        (Observation("q", (("x" * 999,),)), '"' + "x" * (FOUND_CHARS - 1) + "… (1,001 characters)"),
    ],
)
def test_what_a_database_held_is_told_and_not_only_in_how_many_rows(seen: Observation, found: str) -> None:
    kept = transcript_record(sample(Transcript("s", (Turn(0, "hi", "case", "yes"),), observations=(seen,))))
    assert kept is not None and kept.observations[0].found == found


def test_one_that_broke_off_is_kept_with_what_it_cost() -> None:
    said = Transcript("s", (Turn(0, "hi", "case", "", steps=0, stop_reason="failed"),))
    failed = Failed("gone", 1, Effort(2, cost=Dollars(0.5), aside_calls=1, aside_cost=Dollars(0.25)), said)
    kept = transcript_record(Sample("s", "c", ArmName.CANDIDATE, 0, failed))
    assert kept is not None and (kept.agent_usd, kept.turns[0].stop_reason) == (0.5, "failed")


def test_long_texts_are_cut_and_what_is_not_kept_is_counted() -> None:
    use = ToolUse("x" * 999, "a" * 9_999, "r" * 9_999)
    turn = Turn(0, "q" * 9_999, "case", "y" * 9_999, (use,) * (TOOLS_KEPT + 3))
    kept = transcript_record(sample(Transcript("s", (turn,) * (TURNS_KEPT + 2))))
    assert kept is not None
    assert (len(kept.turns), kept.more_turns) == (TURNS_KEPT, 2)
    assert (len(kept.turns[0].tools), kept.turns[0].more_tools) == (TOOLS_KEPT, 3)
    assert kept.turns[0].said == "q" * SAID_CHARS + "… (9,999 characters)"
    assert kept.turns[0].tools[0].result == "r" * USED_CHARS + "… (9,999 characters)"
    words = [one.said + one.answer + "".join(u.name + u.arguments + u.result for u in one.tools) for one in kept.turns]
    assert sum(word.count(letter) for word in words for letter in "qy") <= ALL_CHARS
    assert kept.turns[-1].said == "… (9,999 characters)"


def test_what_is_counted_is_counted_before_it_is_cut() -> None:
    fine, gone = ToolUse("find", "{}", "1"), ToolUse("find", "{}", "gone", failed=True)
    turn = Turn(0, "hi", "case", "yes?", (fine,) * TOOLS_KEPT + (gone,) * 3)
    many = (turn, *[Turn(0, "so", "follow-up", "yes", (gone,))] * TURNS_KEPT)
    kept = transcript_record(sample(Transcript("s", many)))
    assert kept is not None
    assert (kept.calls, kept.failed_calls, kept.followups) == (TOOLS_KEPT * 2 + 3, TURNS_KEPT + 3, TURNS_KEPT)
    shown = conversation_view(OutputRecord(index=0, text="yes", failure=None, score=1.0, reasons=[], transcript=kept))
    assert shown is not None
    assert shown.brief == "51 turns, 103 tool calls (53 failed), 50 answered automatically"


@pytest.mark.parametrize(
    ("cost", "usd"), [(Dollars(0.125), 0.125), (Unpriced("unknown"), None), (Unpriced("n/a"), None)]
)
def test_what_a_conversation_cost_that_broke_off_is_known_when_its_texts_are_read_again(
    cost: Cost, usd: float | None
) -> None:
    turns = (Turn(0, "hi", "case", "yes", cost=cost), Turn(0, "so", "case", "", stop_reason=BROKE_OFF))
    effort = Effort(3, 1, cost=cost, aside_calls=2, aside_cost=Dollars(0.0625))
    failed = Failed("it crashed", 2, effort, Transcript("s", turns, aside=Aside(2, Dollars(0.0625))))
    table = SampleTable.holding([Sample("s", "c", ArmName.CANDIDATE, 0, failed)])
    kept = transcript_record(table.whole(table[0]))
    assert kept is not None
    assert (kept.agent_usd, kept.aside_usd, kept.aside_calls) == (usd, 0.0625, 2)
    assert [turn.usd for turn in kept.turns] == [usd, None]


def test_a_key_is_masked_before_it_could_be_cut_in_half() -> None:
    place = USED_CHARS - 10
    talk = Transcript("s", (Turn(0, "hi", "case", "yes", (ToolUse("find", "{}", "." * place + " " + KEY),)),))
    kept = transcript_record(sample(talk))
    assert kept is not None
    assert "sk-" not in kept.model_dump_json()
