"""The first lines of a report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.comparison import State, Verdict
from gate.record.findings.finding import Code, Finding, Text, plain
from gate.record.findings.unfinished import BudgetReached, SamplesMissing, ServiceFailed
from gate.record.run import MissingReason, MissingRecord, RunRecord
from gate.report.markdown.report import render_report
from gate.report.view.headline import (
    LONGEST_HEADING,
    headline,
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
    ends = {"best": Verdict.PASS, "worst": Verdict.BLOCK}
    findings = [SamplesMissing(severity="undecided", samples=360, total=360, **ends)]
    reasons = [MissingReason(reason=cause, samples=360)]
    missing = MissingRecord(samples=360, total=360, **ends, reasons=reasons)
    made = runs.inconclusive().model_copy(update={"findings": findings, "missing": missing})
    assert plain(headline(made)) == f"none of the 360 samples has a score: {cause}"
    shown = report_view(made)
    assert plain(shown.steps[0]) == "Fix what made the samples fail."
    several = [MissingReason(reason=cause, samples=350), MissingReason(reason="time-out", samples=10)]
    missing = missing.model_copy(update={"reasons": several})
    made = runs.inconclusive().model_copy(update={"findings": findings, "missing": missing})
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


BUDGET = BudgetReached(limit="max_calls", value=500, setting="budget.max_calls")


def said(text: Text) -> str:
    return "".join(part.text if isinstance(part, Code) else part for part in text)


def ended(finding: Finding) -> RunRecord:
    return runs.unfinished().model_copy(update={"findings": [finding]})


def test_a_dear_call_is_said_with_its_price_and_the_setting() -> None:
    money = {"value": 0.000395, "spent_usd": 0.0002412, "next_usd": 0.000156}
    dear = BudgetReached(limit="max_usd", setting="budget.max_usd", request="call", **money)
    first = "the budget of $0.000395 is not enough for another call: "
    first += "$0.0002412 is spent, and the call may cost $0.000156"
    assert plain_first_line(ended(dear)) == f"INCONCLUSIVE: {first}"
    assert dear.text.endswith(" Raise budget.max_usd, or lower max_output_tokens.")


@pytest.mark.parametrize("error", ["x" * 400, "p.md: " + "word " * 100, "a/" * 300])
def test_a_long_cause_is_cut_in_the_first_line_and_whole_below(error: str) -> None:
    made = ended(ServiceFailed(seconds=7, error=error))
    assert plain_first_line(made).startswith("INCONCLUSIVE: the service has not responded once in 7 s: ")
    assert len(plain_first_line(made)) <= len("INCONCLUSIVE: ") + LONGEST_HEADING
    assert said(obstacle_in_full(made)).startswith(f"Why: {error[:200]}")


def test_a_short_obstacle_says_all_and_names_the_worst_slice() -> None:
    fallen = suite(
        comparison("overall", State.NOISE, 70, 0.8, (-0.02, -0.1, 0.06)),
        [comparison("a=1", State.NOISE, 30, 0.8, (-0.1, -0.3, 0.05))],
        [],
    )
    made = ended(BUDGET).model_copy(update={"suites": [fallen]})
    assert obstacle_in_full(made) == ()
    assert said(headline(made)).endswith("samples are missing; worst slice a=1 −0.100 [−0.300, +0.050]")
    assert "Why: " not in render_report(made)


@given(st.text(min_size=1, max_size=400))
def test_no_heading_is_longer_than_a_line(error: str) -> None:
    for seconds in (None, 7):
        made = ended(ServiceFailed(calls=None if seconds else 20, seconds=seconds, error=error))
        assert 0 < len(said(headline(made))) <= LONGEST_HEADING
