"""The first lines of a report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.comparison import State, Verdict
from gate.record.run import MissingRecord, RunRecord
from gate.report.markdown.report import render_report
from gate.report.numbers import Code, Text, plain
from gate.report.view.headline import (
    LONGEST_HEADING,
    headline,
    obstacle_heading,
    obstacle_in_full,
    plain_first_line,
    summary_sentence,
)
from gate.report.view.report import report_view
from tests.golden import runs
from tests.golden.builders import comparison, run, suite


def _one(verdict: Verdict, *rows: tuple[str, State, float]) -> RunRecord:
    made = [comparison(name, state, 40, 0.8, (mean, mean - 0.1, mean + 0.1)) for name, state, mean in rows]
    return run(verdict, [suite(made[0], made[1:], [])])


def test_an_advisory_slice_is_never_in_the_first_line_of_a_block() -> None:
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.1, -0.15, -0.05))
    tone = comparison("tone=a", State.REGRESSION, 40, 0.8, (-0.5, -0.6, -0.4), advisory=True, blocking=False)
    assert plain(headline(run(Verdict.BLOCK, [suite(overall, [tone], [])]))).startswith(
        "overall quality dropped by 0.100"
    )


def test_where_nothing_has_a_score_the_cause_is_said_once_and_no_verdict_is_guessed() -> None:
    cause = "HTTP 401 from api.example.com: no such key"
    reasons = ["360 of 360 samples have no score, and they could change the verdict: PASS or BLOCK.", f"360 × {cause}"]
    missing = MissingRecord(samples=360, total=360, best=Verdict.PASS, worst=Verdict.BLOCK, reasons=reasons[1:])
    made = runs.inconclusive().model_copy(update={"reasons": reasons, "missing": missing})
    assert plain(headline(made)) == f"none of the 360 samples has a score: {cause}"
    shown = report_view(made)
    assert shown.notes == () and plain(shown.steps[0]) == "Fix what made the samples fail."
    missing = missing.model_copy(update={"reasons": [f"350 × {cause}", "10 × time-out"]})
    made = runs.inconclusive().model_copy(update={"reasons": reasons, "missing": missing})
    assert plain(headline(made)) == "none of the 360 samples has a score"
    assert plain(report_view(made).steps[0]) == f"Fix what made the samples fail: 350 × {cause}; 10 × time-out."


def test_the_sentence_counts_every_slice_once() -> None:
    made = _one(
        Verdict.BLOCK,
        ("overall", State.REGRESSION, -0.2),
        *((f"a={n}", State.REGRESSION, -0.2 - n / 100) for n in range(5)),
        ("b=1", State.SUSPECT, -0.09),
        ("b=2", State.IMPROVEMENT, 0.2),
        ("b=3", State.NOISE, 0.0),
        ("b=4", State.TOO_FEW, 0.0),
    )
    assert plain(summary_sentence(made)) == (
        "Of 9 slices, 5 regressed (also a=3, a=2, a=1 and 1 more), 1 is suspect (b=1), 1 improved (b=2), "
        "1 shows no change and 1 has too little data."
    )


def _suites(*found: tuple[str, State, float | None]) -> RunRecord:
    made = [
        suite(comparison(f"{name}/overall", state, 40, 0.8, (0.0, -0.1, 0.1), mde=mde), [], [], name=name)
        for name, state, mde in found
    ]
    return run(Verdict.BLOCK, made)


def test_of_several_suites_it_says_in_which() -> None:
    fell, unknown = ("fell", State.REGRESSION, 0.3), ("unknown", State.NOISE, None)
    assert plain(summary_sentence(_suites(fell, ("quiet", State.NOISE, 0.09), unknown))).endswith(
        ". In quiet an overall drop smaller than about 0.090 may go undetected."
    )
    several = [(name, State.NOISE, mde) for name, mde in zip("abcde", (0.05, 0.2, 0.1, 0.04, 0.01), strict=True)]
    assert plain(summary_sentence(_suites(*several[:2]))).endswith(
        ". Overall drops smaller than these may go undetected: 0.200 in b, 0.050 in a."
    )
    assert plain(summary_sentence(_suites(*several))).endswith(
        ". Overall drops of up to about 0.200 may go undetected in 5 suites."
    )
    assert "undetected" not in plain(summary_sentence(_suites(fell, unknown)))


def test_only_what_asks_for_something_is_an_alert() -> None:
    found = {name: report_view(made).alert for name, made in runs.runs().items()}
    assert (found["block"], found["advisory"], found["hold-cost"]) == ("CAUTION", "WARNING", "WARNING")
    assert found["pass"] == found["ship"] == found["skipped"] == ""


CAP = (
    "the budget of $0.000395 is not enough for another call: $0.0002412 is spent, and the call "
    "may cost $0.000156; raise budget.max_usd, or lower max_output_tokens"
)
LONG_PATH = "a/" * 40 + "p.md:1: " + "it cannot be read because of what is written in it, " * 2 + "so mend it"


def said(text: Text) -> str:
    return "".join(part.text if isinstance(part, Code) else part for part in text)


def ended(reason: str) -> RunRecord:
    update = {"unfinished": reason, "reasons": [f"The evaluation was not finished: {reason}."]}
    return runs.unfinished().model_copy(update=update)


def failed(reason: str) -> RunRecord:
    return run(Verdict.INCONCLUSIVE, [])


@pytest.mark.parametrize(
    ("made", "first"),
    [
        (runs.unanswered(), "the service has not responded once in 7 s"),
        (ended(CAP), CAP.partition("; raise")[0]),
        (failed("word " * 40 + "end"), "word " * 22 + "word…"),
        (failed("p.md: " + "word " * 40 + "end"), "p.md: " + "word " * 21 + "word…"),
        (failed("x" * 200), "x" * 119 + "…"),
        (failed(LONG_PATH), LONG_PATH.partition(": ")[0]),
    ],
)
def test_a_long_obstacle_is_cut_at_a_clause_or_a_word(made: RunRecord, first: str) -> None:
    assert plain_first_line(made) == f"INCONCLUSIVE: {first}"


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
