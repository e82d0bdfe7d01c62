"""The slice table."""

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


def test_a_slice_without_a_scored_pair() -> None:
    empty = _slice("none", State.TOO_FEW, n=0, units=0, baseline=None, candidate=None)
    empty = empty.model_copy(update={"mean": None, "lower": None, "upper": None})
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    (table,) = slice_tables(run(Verdict.PASS, [suite(overall, [empty], [])], []))
    row = table.rows[1]
    assert (row.scores, row.delta, row.interval, row.bar.strip()) == ("– → –", "–", "", "│")


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


def test_a_suite_without_a_score_leaves_the_table_of_another() -> None:
    made = runs.several_suites()
    overall = made.suites[0].quality.overall.model_copy(update={"n": 0})
    empty = made.suites[0].model_copy(
        update={"quality": made.suites[0].quality.model_copy(update={"overall": overall})}
    )
    shown = slice_tables(made.model_copy(update={"suites": [empty, *made.suites[1:]]}))
    assert [table.suite for table in shown] == [suite.name for suite in made.suites[1:]]


def test_columns_of_a_page_are_aligned_without_a_style_which_a_server_forbids() -> None:
    page = preview.preview_body(runs.runs()["block"])
    assert ('<td class="right">' in page, "style=" in page) == (True, False)


def test_an_alert_is_a_quote_of_a_class_on_a_page() -> None:
    page = preview.preview_body(runs.runs()["block"])
    assert '<blockquote class="alert caution">\n<p>Overall quality fell' in page
    assert "[!" not in page
    assert "<blockquote" not in preview.preview_body(runs.runs()["pass"])
