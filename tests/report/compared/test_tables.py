"""The slice table."""

import pytest

from gate.record.comparison import Comparison, State, Verdict
from gate.report.markdown import preview
from gate.report.markdown.report import render_report
from gate.report.view.comparisons import SHOWN_UNREMARKABLE, SliceTable, slice_footnotes, slice_tables
from tests.golden import runs
from tests.golden.builders import comparison, run, suite
from tests.golden.judged_runs import lost_pairs


def _rows(*slices: Comparison) -> list[tuple[str, str]]:
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    (table,) = slice_tables(run(Verdict.PASS, [suite(overall, list(slices), [])], []))
    return [(row.name, row.words) for row in (*table.rows, *table.folded)]


def _slice(name: str, state: State, mean: float = 0.0, **other: object) -> Comparison:
    return comparison(name, state, 40, 0.8, (mean, mean - 0.1, mean + 0.1)).model_copy(update=other)


def test_overall_first_then_worst_first_in_plain_words() -> None:
    assert _rows(
        _slice("few", State.TOO_FEW, n=4, units=4),
        _slice("quiet", State.NOISE, 0.01),
        _slice("lower", State.NOISE, -0.02),
        _slice("up", State.IMPROVEMENT, 0.2),
        _slice("doubt", State.SUSPECT, -0.09),
        _slice("down", State.REGRESSION, -0.2),
        _slice("further down", State.REGRESSION, -0.3),
        _slice("flat", State.TOO_FEW, baseline=1.0, candidate=1.0),
        _slice("nothing right", State.TOO_FEW, baseline=0.0, candidate=0.0),
    ) == [
        ("overall", "no change shown"),
        ("further down", "regression"),
        ("down", "regression"),
        ("doubt", "suspect"),
        ("up", "improvement"),
        ("lower", "no change shown"),
        ("quiet", "no change shown"),
        ("few", "too few cases"),
        ("flat", "too little variation"),
        ("nothing right", "every score is 0"),
    ]


def _one(*slices: Comparison) -> SliceTable:
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    return slice_tables(run(Verdict.PASS, [suite(overall, list(slices), [])], []))[0]


def test_unremarkable_rows_fill_up_a_handful_and_marked_ones_come_before_them() -> None:
    slices = [_slice(f"q={n:02}", State.NOISE) for n in range(20)]
    slices += [_slice("marked", State.NOISE, familiar_fail=True), _slice("wish", State.NOISE, advisory=True)]
    table = _one(*slices)
    assert len(table.rows) == 1 + SHOWN_UNREMARKABLE
    assert len(table.folded) == len(slices) - SHOWN_UNREMARKABLE
    assert table.brief == "17 more slices without a shown change"
    shown = {row.name: row for row in table.rows}
    assert shown["marked"].dagger
    assert shown["wish"].advisory
    assert not shown["q=00"].dagger


def test_a_fold_says_what_it_holds_of_those_that_moved() -> None:
    fell = [_slice(f"f={n}", State.REGRESSION, -0.2 - n / 100) for n in range(7)]
    doubt = [_slice(f"s={n}", State.SUSPECT, -0.1) for n in range(3)]
    table = _one(*fell, *doubt, _slice("rose", State.IMPROVEMENT, 0.2), _slice("same", State.NOISE))
    assert [row.name for row in table.rows[1:]] == [f"f={n}" for n in range(6, -1, -1)] + ["s=0"]
    assert table.brief == "4 more slices: 2 suspects, 1 improvement, 1 without a shown change"


def test_a_single_row_is_not_worth_a_fold() -> None:
    assert not _one(*(_slice(f"q={n}", State.NOISE) for n in range(SHOWN_UNREMARKABLE + 1))).folded


def test_where_not_a_case_moved_overall_says_all() -> None:
    table = _one(*(comparison(f"q={n}", State.NOISE, 9, 1.0, (0.0, None, None)) for n in range(4)))
    assert (len(table.rows), len(table.folded)) == (1, 4)


def test_a_suite_in_which_nothing_moved_is_folded_beside_others() -> None:
    text = render_report(runs.several_suites())
    assert "<summary><b>support</b>: 2 slices without a shown change</summary>" in text
    assert text.index("<b>support</b>: 2") < text.index("### triage") < text.index("topic=billing |")


def test_many_suites_in_which_nothing_moved_are_one_line() -> None:
    made = runs.several_suites()
    still, moved = made.suites
    others = [still.model_copy(update={"name": f"area-{n}"}) for n in range(5)]
    text = render_report(made.model_copy(update={"suites": [*others, moved]}))
    line = "<summary>5 suites without a shown change</summary>"
    assert text.index("* `triage`") < text.index("### triage") < text.index(line) < text.index("* `area-0`")
    assert text.count("<b>area-4</b>: 2 slices without a shown change") == 1
    dearer = others[0].model_copy(update={"cost": others[0].cost.model_copy(update={"exceeded": True})})
    text = render_report(made.model_copy(update={"suites": [dearer, *others[1:], moved]}))
    assert text.index("* `area-0`") < text.index("<summary>4 suites without a shown change</summary>")


def test_more_cases_count_from_those_there_are_and_only_where_nothing_is_shown() -> None:
    rows = {row.name: row for row in slice_tables(runs.block())[0].rows}
    assert rows["tier=pro"].more == "about 110 more cases"
    assert rows["tier=free"].more == ""


def test_numbers_of_a_row() -> None:
    rows = {row.name: row for row in slice_tables(runs.block())[0].rows}
    row = rows["lang=de"]
    assert (row.cases, row.scores, row.delta, row.interval) == (
        "36",
        "0.806 → 0.389",
        "−0.417",
        "[−0.560, −0.270]",
    )
    assert rows["tier=enterprise"].interval == "[−∞, +∞]"


def test_a_slice_without_a_scored_pair() -> None:
    empty = _slice("none", State.TOO_FEW, n=0, units=0, baseline=None, candidate=None)
    empty = empty.model_copy(update={"mean": None, "lower": None, "upper": None})
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    (table,) = slice_tables(run(Verdict.PASS, [suite(overall, [empty], [])], []))
    row = table.rows[1]
    assert (row.scores, row.delta, row.interval, row.bar.strip()) == ("– → –", "–", "", "│")


def test_all_rows_of_a_table_share_one_scale_and_suites_do_not() -> None:
    first, second = slice_tables(runs.several_suites())
    assert first.scale == "−0.15 … +0.15"
    assert second.scale == "−0.50 … +0.15"
    assert [row.name for row in second.rows] == ["overall", "topic=billing", "topic=login"]
    assert second.rows[0].cases == "60 (20 groups)"


def test_footnotes_explain_only_what_occurs() -> None:
    assert slice_footnotes(runs.passed()) == ()
    assert [note[0] for note in slice_footnotes(runs.hold_suspect())] == ["†", "°"]
    assert [note[:6] for note in slice_footnotes(runs.several_suites())] == ["Groups"]


def test_a_mark_is_for_what_the_familiar_rule_alone_would_have_failed() -> None:
    fell = _slice("fell", State.REGRESSION, familiar_fail=True)
    few = _slice("few", State.TOO_FEW, familiar_fail=True, n=2, units=2)
    shown = {row.name: row.dagger for row in _one(fell, few, _slice("still", State.NOISE, familiar_fail=True)).rows}
    assert shown == {"overall": False, "fell": False, "few": False, "still": True}


def test_an_interval_without_width_is_not_taken_for_certainty() -> None:
    rows = [comparison(f"a={n}", State.REGRESSION, 30, 1.0, (-1.0, -1.0, -1.0)) for n in range(5)]
    made = run(Verdict.BLOCK, [suite(rows[0], rows[1:], [])], [])
    why = "no width: where all cases moved alike, this method knows no spread. Other cases may move otherwise, so it is"
    assert slice_footnotes(made)[0] == f"The intervals of a=0, a=1, a=2 and 2 more have {why} no certainty."
    one = run(Verdict.BLOCK, [suite(rows[0], [comparison("b=1", State.NOISE, 30, 1.0, (-0.5, None, None))], [])], [])
    assert slice_footnotes(one)[0] == f"The interval of a=0 has {why} no certainty."
    assert not any("width" in note for note in slice_footnotes(lost_pairs()))


@pytest.mark.parametrize("tested", [0, 1])
def test_the_familiar_rule_and_one_slice(tested: int) -> None:
    block = runs.block()
    made = block.model_copy(update={"method": block.method.model_copy(update={"slices_tested": tested})})
    note = slice_footnotes(made)[0]
    assert note == "† Looked at alone (percentile bootstrap) it seems to have fallen; that blocks nothing."


def test_where_nothing_was_scored_there_is_no_table_and_no_method() -> None:
    text = render_report(runs.unanswered())
    assert not slice_tables(runs.unanswered())
    assert "| slice |" not in text and "joint" not in text
    assert "No case has a score of both arms, so nothing can be compared." in text


def test_a_suite_without_a_score_leaves_the_table_of_another() -> None:
    made = runs.several_suites()
    overall = made.suites[0].quality.overall.model_copy(update={"n": 0})
    empty = made.suites[0].model_copy(
        update={"quality": made.suites[0].quality.model_copy(update={"overall": overall})}
    )
    shown = slice_tables(made.model_copy(update={"suites": [empty, *made.suites[1:]]}))
    assert [table.suite for table in shown] == [suite.name for suite in made.suites[1:]]


def test_the_familiar_rule_is_not_marked_where_it_is_the_method() -> None:
    assert not any(row.dagger for row in slice_tables(runs.percentile())[0].rows)
    assert slice_footnotes(runs.percentile()) == ()


def test_columns_of_a_page_are_aligned_without_a_style_which_a_server_forbids() -> None:
    page = preview.preview_body(runs.runs()["block"])
    assert ('<td class="right">' in page, "style=" in page) == (True, False)


def test_an_alert_is_a_quote_of_a_class_on_a_page() -> None:
    page = preview.preview_body(runs.runs()["block"])
    assert '<blockquote class="alert caution">\n<p>Overall quality fell' in page
    assert "[!" not in page
    assert "<blockquote" not in preview.preview_body(runs.runs()["pass"])
