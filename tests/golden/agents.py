"""A run over an agent that looks no longer what it could look up, and asks back instead."""

from collections.abc import Sequence

from gate.record.comparison import (
    ArmConversations,
    ChangedCalls,
    Conversations,
    State,
    ToolChange,
    ToolDifference,
    ToolSlice,
    Verdict,
)
from gate.record.parts import (
    ObservationRecord,
    OutputRecord,
    SpendingRecord,
    SpentRecord,
    ToolUseRecord,
    TranscriptRecord,
    TurnRecord,
)
from gate.record.run import RunRecord
from gate.record.transcript import STEP_LIMIT
from tests.golden.builders import case, comparison, output, run, scorer, suite

_LIST = "You have three listings: Beach House, City Loft and Mill Cottage."
_FULL = "Beach House is 82 % occupied in December."
_LOST = "Beach House is usually well booked in December."


def agents() -> RunRecord:
    """The overall fall of it is a regression, and so is that of its best customers."""
    overall = comparison("overall", State.REGRESSION, 40, 0.91, (-0.22, -0.33, -0.11))
    slices = [
        comparison("tier=enterprise", State.REGRESSION, 12, 0.93, (-0.48, -0.71, -0.25)),
        comparison("tier=free", State.NOISE, 28, 0.9, (-0.11, -0.24, 0.02)),
    ]
    fell = case(
        "occupancy-december",
        {"tier": "enterprise"},
        "What are my listings?",
        None,
        (
            [_talked(_FULL, 1.0, _before(), "tools: all that were expected were called")],
            [
                _talked(_LOST, 0.0, _after(), "tools: get_occupancy was not called", index=0),
                _talked("", 0.0, _endless(), "tools: get_occupancy was not called", index=1),
            ],
        ),
    )
    made = suite(
        overall,
        slices,
        [fell],
        name="property",
        spending=SpendingRecord(
            answers=SpentRecord(calls=812, usd=0.0231),
            aside=SpentRecord(calls=28, usd=0.0007),
            judges=SpentRecord(calls=240, usd=0.0632),
        ),
        scorers=[scorer("tools", 0.5, 40, (1.0, 0.7), (1.0, 0.7)), scorer("judge", 0.5, 40, (0.82, 0.68))],
        conversations=Conversations(
            n=40,
            baseline=ArmConversations(turns=2.04, followups=0.04, asking=0.04, calls=2.5, failed_calls=0.0),
            candidate=ArmConversations(turns=2.41, followups=0.41, asking=0.31, calls=1.6, failed_calls=0.15),
            more_asking=11,
            less_asking=0,
        ),
        tools=ToolDifference(
            slices=[
                ToolSlice(
                    slice="overall",
                    n=40,
                    changed=14,
                    tools=[
                        _tool("get_occupancy", 22, 13, 9, 0),
                        _tool("search", 0, 4, 0, 4),
                        _tool("list", 40, 40, 0, 0),
                    ],
                ),
                ToolSlice(
                    slice="tier=enterprise",
                    n=12,
                    changed=8,
                    tools=[_tool("get_occupancy", 9, 2, 7, 0), _tool("search", 0, 1, 0, 1)],
                ),
            ],
            cases=[
                ChangedCalls(case="occupancy-december", baseline=["list", "get_occupancy"], candidate=["list"]),
                ChangedCalls(case="revenue-november", baseline=["get_occupancy"], candidate=[]),
            ],
        ),
    )
    return run(Verdict.BLOCK, [made])


def conversed(texts: Sequence[str]) -> tuple[TranscriptRecord, Conversations, ToolDifference]:
    """A conversation, and what changed in those of a suite, in which every text from outside is one of these."""
    one, two, three, four = (texts[place % len(texts)] for place in range(4))
    use = ToolUseRecord(name=one, arguments=two, result=three, failed=True, latency_s=0.5)
    turns = [
        TurnRecord(round=0, said=four, by="case", answer=one, tools=[use], stop_reason=two),
        TurnRecord(round=1, said=three, by="follow-up", answer=four, stop_reason=one),
    ]
    observed = [
        ObservationRecord(scorer=two, rows=None, error=three),
        ObservationRecord(scorer=four, rows=2, found=three),
    ]
    talk = TranscriptRecord(turns=turns, revived=[0], aside_calls=1, missed=[one], observations=observed)
    arm = ArmConversations(turns=2, followups=1, asking=1, calls=1, failed_calls=1)
    tools = [_tool(text, 9, 0, 9, 0) for text in texts[:6]] + [_tool(f"{text}+", 0, 9, 0, 9) for text in texts[:2]]
    slices = [ToolSlice(slice=f"t={three}", n=9, changed=9, tools=tools)]
    slices.insert(0, slices[0].model_copy(update={"slice": "overall", "n": 20}))
    cases = [ChangedCalls(case=text, baseline=[one, two], candidate=[text]) for text in texts[:6]]
    talks = Conversations(n=9, baseline=arm, candidate=arm, more_asking=9)
    return talk, talks, ToolDifference(slices=slices, cases=cases)


def _talked(text: str, score: float, talk: TranscriptRecord, *reasons: str, index: int = 0) -> OutputRecord:
    return output(index, text, score, *reasons).model_copy(update={"transcript": talk})


def _tool(name: str, baseline: int, candidate: int, stopped: int, started: int) -> ToolChange:
    return ToolChange(tool=name, baseline=baseline, candidate=candidate, stopped=stopped, started=started)


def _first(answer: str) -> TurnRecord:
    listed = ToolUseRecord(
        name="list", arguments="{}", result='["Beach House", "City Loft", "Mill Cottage"]', latency_s=0.12
    )
    return TurnRecord(
        round=0,
        said="What are my listings?",
        by="case",
        answer=answer,
        tools=[listed],
        steps=2,
        input_tokens=412,
        output_tokens=38,
        usd=0.0011,
        latency_s=1.3,
        stop_reason="stop",
    )


def _before() -> TranscriptRecord:
    looked_up = ToolUseRecord(
        name="get_occupancy",
        arguments='{"listing": "Beach House", "month": "2026-12"}',
        result='{"occupied": 0.82}',
        latency_s=0.04,
    )
    second = TurnRecord(
        round=1,
        said="How full is the first one in December?",
        by="case",
        answer=_FULL,
        tools=[looked_up],
        steps=2,
        latency_s=1.1,
        stop_reason="stop",
    )
    return TranscriptRecord(
        turns=[_first(_LIST), second], revived=[0], agent_usd=0.0023, aside_calls=2, aside_usd=0.0002, judge_usd=0.004
    )


def _after() -> TranscriptRecord:
    gone = ToolUseRecord(
        name="search", arguments='{"q": "occupancy"}', result="TimeoutError: 30 s", failed=True, latency_s=30.0
    )
    turns = [
        _first(_LIST),
        TurnRecord(
            round=1, said="How full is the first one in December?", by="case", answer="Which one do you mean?", steps=1
        ),
        TurnRecord(
            round=1, said="The Beach House.", by="follow-up", answer=_LOST, tools=[gone], steps=2, latency_s=31.2
        ),
    ]
    return TranscriptRecord(
        turns=turns,
        revived=[0],
        agent_usd=0.0031,
        aside_calls=3,
        aside_usd=0.0003,
        missed=["the reply is not the asked JSON"],
        observations=[ObservationRecord(scorer="stored", rows=4, found='{"role": "user", "text": "What are…"}')],
    )


def _endless() -> TranscriptRecord:
    again = ToolUseRecord(name="search", arguments='{"q": "occupancy"}', result="[]", latency_s=0.02)
    turn = TurnRecord(
        round=0,
        said="What are my listings?",
        by="case",
        answer="",
        tools=[again] * 22,
        more_tools=3,
        steps=25,
        latency_s=14.0,
        stop_reason=STEP_LIMIT,
    )
    return TranscriptRecord(
        turns=[turn], observations=[ObservationRecord(scorer="stored", rows=None, error="no such table")]
    )
