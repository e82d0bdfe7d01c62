"""Single cases with the answers of both arms."""

from gate.record.comparison import State, Verdict
from gate.record.run import CaseRecord
from gate.report.markdown.report import render_report
from gate.report.view.cases import case_views
from tests.golden import runs
from tests.golden.builders import case, comparison, output, run, suite


def _shown(*found: CaseRecord) -> list[str]:
    overall = comparison("overall", State.NOISE, 40, 0.8, (-0.01, -0.1, 0.08))
    return [case.name for case in case_views(run(Verdict.PASS, [suite(overall, [], list(found))], []))]


def test_a_case_without_scores_is_not_called_fallen() -> None:
    failed = case("x", {}, "?", None, ([output(0, "a", 1.0)], [output(0, None, None, failure="time-out")]))
    assert _shown(failed) == []


def test_answers_that_are_alike_are_shown_once_and_absent_ones_say_why() -> None:
    first, second = case_views(runs.block())
    assert [answer.label for answer in first.baseline] == ["all 3 samples: score 1.000"]
    assert [(answer.label, answer.text) for answer in second.candidate] == [
        ("sample 2: score 0.000", "Yes, within 30 days."),
        ("sample 1: score 1.000", "Ja, bis zu 30 Tage."),
        ("sample 3: no answer: time-out after 120 s, 4 requests", None),
    ]
    assert second.scores == "1.000 → 0.500"
    assert second.diff is not None and second.diff.text == "- Ja, bis zu 30 Tage nach dem Kauf.\n+ Yes, within 30 days."
    assert (first.others, second.others) == (0, 2)
    assert first.expected == '{\n  "menu": "Rechnungen"\n}'


def _judged_by(count: int) -> CaseRecord:
    reasons = [f"scorer-{n:02}: because of {n}" for n in range(count)]
    return case("many", {}, "?", None, ([output(0, "a", 1.0)], [output(0, "b", 0.0, *reasons)]))


def test_reasons_beyond_a_handful_are_folded_and_none_is_lost() -> None:
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.2, -0.3, -0.1))
    made = run(Verdict.BLOCK, [suite(overall, [], [_judged_by(8)])], [])
    ((answer,),) = (one.candidate for one in case_views(made))
    assert [len(answer.reasons), len(answer.folded)] == [5, 3]
    text = render_report(made)
    assert "<summary>3 more of the candidate, from scorers that scored as high or higher</summary>" in text
    assert all(f"scorer-{n:02}: because of {n}" in text for n in range(8))
    assert text.index("scorer-04") < text.index("<summary>3 more of the candidate") < text.index("scorer-05")


def test_a_report_that_is_too_long_counts_the_reasons_that_it_leaves_out() -> None:
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.2, -0.3, -0.1))
    made = run(Verdict.BLOCK, [suite(overall, [], [_judged_by(300)])], [])
    text = render_report(made, limit=10_000)
    assert "scorer-04" in text and "scorer-05" not in text
    assert (
        "- candidate: and 295 more, from scorers that scored as high or higher; the record of the run has them" in text
    )


def test_names_carry_the_suite_where_there_are_several() -> None:
    assert [case.name for case in case_views(runs.several_suites())] == ["triage/de-017"]


def test_a_case_that_one_arm_did_not_answer_shows_each_answer_by_itself() -> None:
    both = ([output(0, "a", 1.0)], [output(0, None, 0.0, failure="time-out")])
    overall = comparison("overall", State.REGRESSION, 40, 0.8, (-0.2, -0.3, -0.1))
    text = render_report(run(Verdict.BLOCK, [suite(overall, [], [case("x", {}, "?", None, both)])], []))
    assert "```diff" not in text
    assert "**Baseline** (score 1.000)" in text and "**Candidate** (no answer: time-out)" in text
