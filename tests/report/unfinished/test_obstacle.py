"""Why there is no verdict: a heading of one line, and the whole sentence once below it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.comparison import State, Verdict
from gate.record.run import RunRecord
from gate.report.markdown.report import render_report
from gate.report.view.headline import LONGEST_HEADING, headline, obstacle_heading, obstacle_in_full, plain_first_line
from gate.report.view.report import report_view
from gate.report.view.text import Code, Text
from tests.golden import runs
from tests.golden.builders import comparison, run, suite

CAP = (
    "the budget of $0.000395 does not suffice for another call: $0.0002412 is spent, and the call "
    "may cost $0.000156; raise budget.max_usd, or lower max_output_tokens"
)
LONG_PATH = "a/" * 40 + "p.md:1: " + "it cannot be read because of what is written in it, " * 2 + "so mend it"


def said(text: Text) -> str:
    return "".join(part.text if isinstance(part, Code) else part for part in text)


def ended(reason: str) -> RunRecord:
    update = {"unfinished": reason, "reasons": [f"The evaluation was not finished: {reason}."]}
    return runs.unfinished().model_copy(update=update)


def failed(reason: str) -> RunRecord:
    return run(Verdict.INCONCLUSIVE, [], [f"{reason}.", "gate.yaml:7: another mistake."])


@pytest.mark.parametrize(
    ("made", "first"),
    [
        (runs.unanswered(), "the service has not answered once in 7 s"),
        (ended(CAP), CAP.partition("; raise")[0]),
        (failed("word " * 40 + "end"), "word " * 22 + "word…"),
        (failed("p.md: " + "word " * 40 + "end"), "p.md: " + "word " * 21 + "word…"),
        (failed("x" * 200), "x" * 119 + "…"),
        (failed(LONG_PATH), LONG_PATH.partition(": ")[0]),
    ],
)
def test_a_long_obstacle_is_cut_at_a_clause_or_a_word(made: RunRecord, first: str) -> None:
    assert plain_first_line(made) == f"INCONCLUSIVE: {first}"


@pytest.mark.parametrize("made", [runs.unanswered(), ended(CAP), failed("word " * 40 + "end")])
def test_the_whole_sentence_stands_once_right_below(made: RunRecord) -> None:
    shown, whole = report_view(made), said(obstacle_in_full(made))
    assert said(shown.sentence).startswith(whole) and whole.startswith("Why: ")
    told = whole.removeprefix("Why: ").rstrip(".")
    assert not any(told in said((note,) if isinstance(note, str) else note) for note in shown.notes)
    lines = render_report(made).split("<details>")[0].splitlines()
    assert lines[2:4] == ["> [!WARNING]", f"> {lines[3][2:]}"] and lines[3].startswith("> Why: ")


def test_other_reasons_are_still_listed() -> None:
    assert report_view(failed("word " * 40)).notes == ("gate.yaml:7: another mistake.",)


def test_a_short_obstacle_says_all_and_names_the_worst_slice() -> None:
    fallen = suite(
        comparison("overall", State.NOISE, 70, 0.8, (-0.02, -0.1, 0.06)),
        [comparison("a=1", State.NOISE, 30, 0.8, (-0.1, -0.3, 0.05))],
        [],
    )
    update = {"unfinished": "the budget of 500 calls is used up", "suites": [fallen]}
    made = runs.unfinished().model_copy(update=update)
    assert obstacle_in_full(made) == ()
    assert said(headline(made)).endswith("samples are missing; worst slice a=1 −0.100 [−0.300, +0.050]")
    assert "Why: " not in render_report(made)


@given(st.text(min_size=1, max_size=400))
def test_no_heading_is_longer_than_a_line(reason: str) -> None:
    made = ended(reason)
    shown = said(obstacle_heading(made, ("; worst slice ", Code("lang=de"), " −0.020")))
    assert 0 < len(shown) <= LONGEST_HEADING
    assert "worst slice lang=de" not in shown or obstacle_in_full(made) == ()
