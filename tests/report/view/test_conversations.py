"""What the report says of conversations with agents."""

from collections.abc import Sequence

import pytest

from gate.record.comparison import ArmConversations, Conversations, ToolChange, ToolDifference
from gate.record.comparison import ToolSlice as Piece
from gate.record.findings.finding import plain
from gate.record.parts import (
    ObservationRecord,
    ToolUseRecord,
    TranscriptRecord,
    TurnRecord,
)
from gate.record.run import RunRecord
from gate.report.markdown import report as markdown
from gate.report.view import conversations
from gate.report.view.cases import answer_views
from gate.report.view.conversations import conversation_view
from tests.golden.agents import agents
from tests.golden.builders import output


def arm(asking: float = 0.0) -> ArmConversations:
    return ArmConversations(turns=1, followups=asking, asking=asking, calls=1, failed_calls=0)


def told(pieces: Sequence[Piece] = (), more: int = 0, less: int = 0) -> RunRecord:
    """A run over one suite whose tools differ so, and whose candidate asks back more, or less, often."""
    run = agents()
    talks = Conversations(n=40, baseline=arm(0.1), candidate=arm(0.4), more_asking=more, less_asking=less)
    tools = ToolDifference(slices=list(pieces), cases=[]) if pieces else None
    return run.model_copy(
        update={"suites": [run.suites[0].model_copy(update={"conversations": talks, "tools": tools})]}
    )


def piece(name: str, n: int, **changes: tuple[int, int]) -> Piece:
    """A slice with the numbers of cases in which each tool stopped and started."""
    tools = [
        ToolChange(tool=tool, baseline=stopped, candidate=started, stopped=stopped, started=started)
        for tool, (stopped, started) in changes.items()
    ]
    return Piece(slice=name, n=n, changed=0, tools=tools)


def findings(run: RunRecord) -> list[str]:
    return [plain(text) for text in conversations.conversation_findings(run)]


def test_the_slice_that_says_most_is_named_and_a_small_one_is_mistrusted() -> None:
    pieces = [
        piece("overall", 40, find=(9, 0)),
        piece("tier=enterprise", 12, find=(7, 0)),
        piece("lang=de", 1, find=(1, 0)),
    ]
    assert findings(told(pieces)) == ["The candidate stopped calling find in 7 of 12 cases of tier=enterprise."]


def test_as_many_cases_that_start_as_cases_that_stop_are_no_finding() -> None:
    assert findings(told([piece("overall", 40, find=(5, 5), price=(2, 6))])) == []


@pytest.mark.parametrize(
    ("more", "less", "said"),
    [
        (4, 0, ["The candidate asks back more often: 10 % → 40 % of the conversations."]),
        (0, 4, ["The candidate asks back less often: 10 % → 40 % of the conversations."]),
        (3, 0, []),
        (9, 8, []),
    ],
)
def test_questions_back_are_told_when_they_are_those_of_more_than_a_few_cases(
    more: int, less: int, said: list[str]
) -> None:
    assert findings(told(more=more, less=less)) == said


def talked(*said: str, index: int = 0, seconds: float = 1.0, stop: str = "", by: str = "case") -> TranscriptRecord:
    turns = [
        TurnRecord.model_validate(
            {"round": place, "said": text, "by": by, "answer": "yes", "latency_s": seconds, "stop_reason": stop}
        )
        for place, text in enumerate(said)
    ]
    return TranscriptRecord(turns=turns)


def untold(talk: TranscriptRecord) -> TranscriptRecord:
    return TranscriptRecord(turns=[talk.turns[0], talk.turns[1].model_copy(update={"tools_told": False})])


def test_answers_that_took_other_ways_are_shown_apart_and_those_that_took_other_times_together() -> None:
    one, same, other = (
        output(index, "yes", 1.0).model_copy(update={"transcript": talk})
        for index, talk in enumerate((talked("hi", seconds=1.0), talked("hi", seconds=2.0), talked("hi", "so")))
    )
    assert [answer.label for answer in answer_views([one, same, other])] == [
        "samples 1, 2: score 1.000",
        "sample 3: score 1.000",
    ]


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        (talked("hi", stop="step limit"), "(step limit, 1 model call, 1.0\xa0s): the answer above"),
        (talked("hi", stop="end_turn"), "**Agent** (1 model call, 1.0\xa0s): the answer above"),
        (talked("hi", by="follow-up"), "**User** (answered automatically)"),
        (talked("hi", by="simulated"), "**User** (simulated user)"),
        (untold(talked("hi", "so")), "2 turns, 0 tool calls (the agent does not report all)"),
        (talked("hi", "so").model_copy(update={"revived": [0]}), "*The session was closed and reopened here.*"),
    ],
)
def test_what_is_out_of_the_ordinary_is_marked(talk: TranscriptRecord, said: str) -> None:
    run = agents()
    (case,) = run.suites[0].cases
    kept = case.model_copy(
        update={"candidate_outputs": [output(0, "yes", 0.0).model_copy(update={"transcript": talk})]}
    )
    shown = markdown.render_report(
        run.model_copy(update={"suites": [run.suites[0].model_copy(update={"cases": [kept]})]})
    )
    assert said in shown[shown.index("The candidate's conversation") :]


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        ({"scorer": "conversation_kept", "rows": 1, "found": "0"}, "Database, conversation_kept: 0"),
        ({"scorer": "q", "rows": 3, "found": '["a", 1]'}, 'Database, q: 3 rows, the first ["a", 1]'),
        ({"scorer": "q", "rows": 0}, "Database, q: 0 rows"),
        ({"scorer": "q", "rows": None, "error": "no such table"}, "Database, q: not read (no such table)"),
        ({"scorer": "q", "rows": 1, "found": "a\nb"}, "Database, q: a b"),
    ],
)
def test_what_a_database_held_does_not_contradict_the_scorer_that_read_it(seen: dict[str, object], note: str) -> None:
    kept = talked("hi").model_copy(update={"observations": [ObservationRecord.model_validate(seen)]})
    shown = conversation_view(output(0, "yes", 0.0).model_copy(update={"transcript": kept}))
    assert shown is not None and shown.notes == (note,)


def test_a_conversation_that_broke_off_says_that_no_answer_came() -> None:
    use = ToolUseRecord(name="find", arguments="{}", result="1")
    turns = [
        TurnRecord(round=0, said="hi", by="case", answer="Hello."),
        TurnRecord(round=1, said="so?", by="case", answer="", steps=0, tools=[use], stop_reason="failed"),
    ]
    gone = output(0, "", 0.0).model_copy(
        update={
            **{"text": None, "score": None, "failure": "it ended (exit code 3) in round 2"},
            "transcript": TranscriptRecord(turns=turns, agent_usd=0.5),
        }
    )
    run = agents()
    (case,) = run.suites[0].cases
    kept = case.model_copy(update={"candidate_outputs": [gone]})
    shown = markdown.render_report(
        run.model_copy(update={"suites": [run.suites[0].model_copy(update={"cases": [kept]})]})
    )
    told = shown[shown.index("**Candidate**") :]
    assert "**Candidate** (no answer: it ended (exit code 3) in round 2)" in told
    assert "The conversation: 2 turns, 1 tool call, broke off" in told
    assert "- `find()` → `1`\n\n**Agent**: ❌ no answer\n" in told
    assert "no words" not in told and "Cost: the agent \\$0.50." in told


def test_a_report_that_is_too_long_loses_conversations_before_answers_and_says_so() -> None:
    whole = markdown.render_report(agents())
    short = markdown.render_report(agents(), limit=len(whole) - 1)
    assert "The candidate's conversation" in whole and "conversation</summary>" not in short
    assert "Beach House is usually well booked" in short.replace("⟦", "").replace("⟧", "")
    assert short.rstrip().endswith(
        "Left out, to keep this short: the conversations of 1 case. run.json has everything.</sub>"
    )
    least = markdown.render_report(agents(), limit=markdown.SHORTEST)
    assert len(least) <= markdown.SHORTEST and "the answers of 1 case" in least
