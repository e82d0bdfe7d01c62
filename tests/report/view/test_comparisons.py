"""The slice table."""

from gate.record.comparison import Comparison, State, Verdict
from gate.record.findings.catalogue import verdict_of
from gate.record.run import RunRecord, SuiteRecord
from gate.report.markdown import preview
from gate.report.view.comparisons import SHOWN_UNREMARKABLE, SliceTable, folded_title, slice_footnotes, slice_tables
from tests.golden import runs
from tests.golden.builders import comparison, run, shown_findings, suite
from tests.golden.judged_runs import lost_pairs


def shown(one: SuiteRecord) -> RunRecord:
    """A run over one suite, whatever its verdict."""
    return run(verdict_of(shown_findings([one])), [one])


def _rows(*slices: Comparison) -> list[tuple[str, str]]:
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    (table,) = slice_tables(shown(suite(overall, list(slices), [])))
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
    return slice_tables(shown(suite(overall, list(slices), [])))[0]


def test_unremarkable_rows_fill_up_a_handful_and_marked_ones_come_before_them() -> None:
    slices = [_slice(f"q={n:02}", State.NOISE) for n in range(20)]
    slices += [_slice("marked", State.NOISE, familiar_fail=True), _slice("wish", State.NOISE, advisory=True)]
    table = _one(*slices)
    assert len(table.rows) == 1 + SHOWN_UNREMARKABLE
    assert len(table.folded) == len(slices) - SHOWN_UNREMARKABLE
    assert folded_title(table.folded, more=True) == "17 more slices without a shown change"
    shown = {row.name: row for row in table.rows}
    assert shown["marked"].dagger
    assert shown["wish"].advisory
    assert not shown["q=00"].dagger


def test_a_slice_without_a_scored_pair() -> None:
    empty = _slice("none", State.TOO_FEW, n=0, units=0, baseline=None, candidate=None)
    empty = empty.model_copy(update={"mean": None, "lower": None, "upper": None})
    overall = comparison("overall", State.NOISE, 40, 0.8, (0.0, -0.1, 0.1))
    (table,) = slice_tables(run(Verdict.PASS, [suite(overall, [empty], [])]))
    row = table.rows[1]
    assert (row.scores, row.delta, row.interval, row.bar.strip()) == ("– → –", "–", "", "│")


def test_a_mark_is_for_what_the_familiar_rule_alone_would_have_failed() -> None:
    fell = _slice("fell", State.REGRESSION, familiar_fail=True)
    few = _slice("few", State.TOO_FEW, familiar_fail=True, n=2, units=2)
    shown = {row.name: row.dagger for row in _one(fell, few, _slice("still", State.NOISE, familiar_fail=True)).rows}
    assert shown == {"overall": False, "fell": False, "few": False, "still": True}


def test_an_interval_without_width_is_not_taken_for_certainty() -> None:
    rows = [comparison(f"a={n}", State.REGRESSION, 30, 1.0, (-1.0, -1.0, -1.0)) for n in ("{0}", "}{", *range(3))]
    overall = comparison("overall", State.REGRESSION, 30, 1.0, (-0.9, -1.0, -0.8))
    made = run(Verdict.BLOCK, [suite(overall, rows, [])])
    why = "no width because all its cases changed by the same amount. That is no proof: other cases may change"
    assert slice_footnotes(made)[0] == f"The intervals of a={{0}}, a=}}{{, a=0 and 2 more have {why} differently."
    more = comparison("b=1", State.NOISE, 30, 1.0, (-0.5, None, None))
    one = run(Verdict.BLOCK, [suite(overall, [rows[0], more], [])])
    assert slice_footnotes(one)[0] == f"The interval of a={{0}} has {why} differently."
    assert not any("width" in note for note in slice_footnotes(lost_pairs()))


def test_columns_of_a_page_are_aligned_without_a_style_which_a_server_forbids() -> None:
    page = preview.preview_body(runs.runs()["block"])
    assert ('<td class="right">' in page, "style=" in page) == (True, False)


def test_an_alert_is_a_quote_of_a_class_on_a_page() -> None:
    page = preview.preview_body(runs.runs()["block"])
    assert '<blockquote class="alert caution">\n<p>Of 5 slices, 1 regressed' in page
    assert "[!" not in page
    assert "<blockquote" not in preview.preview_body(runs.runs()["pass"])
