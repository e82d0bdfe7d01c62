"""The table of scorers, which says in a line which of them moved."""

import io

from rich.console import Console

from gate.record.comparison import ScorerChange, State, Verdict
from gate.record.run import RunRecord
from gate.report.markdown.report import LEVELS, fold_view, render_report
from gate.report.terminal import report as terminal
from gate.report.view.report import report_view
from gate.report.view.scorers import SCORERS_SHOWN, scorer_tables
from tests.golden import runs
from tests.golden.builders import comparison, run, scorer, suite
from tests.golden.judged_runs import judged, lost_pairs


def made(*scorers: ScorerChange) -> RunRecord:
    overall = comparison("overall", State.REGRESSION, 60, 0.8, (-0.2, -0.3, -0.1))
    return run(Verdict.BLOCK, [suite(overall, [], [], scorers=list(scorers))], ["overall fell."])


def none(name: str) -> ScorerChange:
    fields = dict.fromkeys(("weight", "baseline", "candidate", "mean"))
    return ScorerChange.model_validate({"name": name, "required": False, "n": 0, **fields})


def test_the_one_that_moved_most_is_first_whichever_way_it_went() -> None:
    still, also = scorer("still", 0.25, 60, (0.9, 0.9)), scorer("also still", 0.25, 60, (0.7, 0.7))
    fell, rose = scorer("fell", 0.25, 60, (0.9, 0.7)), scorer("rose", 0.25, 60, (0.4, 0.75))
    (table,) = scorer_tables(made(none("silent"), still, fell, also, rose))
    assert [(row.name, row.scores, row.change) for row in table.rows] == [
        ("rose", "0.400 → 0.750", "+0.350"),
        ("fell", "0.900 → 0.700", "−0.200"),
        ("still", "0.900 → 0.900", "0.000"),
        ("also still", "0.700 → 0.700", "0.000"),
        ("silent", "– → –", "–"),
    ]
    assert table.brief == "rose +0.350, fell −0.200, still 0.000 and 2 more"


def test_one_scorer_needs_no_table_of_its_own() -> None:
    assert scorer_tables(made(scorer("exact", 1.0, 60, (0.9, 0.7)))) == ()
    assert scorer_tables(made()) == ()


def test_only_what_there_is_has_a_column() -> None:
    plain, required = scorer("a", None, 60, (0.9, 0.7)), scorer("b", None, 60, (0.9, 0.8), (0.95, 0.85))
    assert "| scorer | cases | baseline → candidate | change |\n|:--|--:|:-:|:--|\n| a |" in render_report(
        made(plain, plain)
    )
    shown = render_report(made(plain, required))
    assert "| scorer | cases | baseline → candidate | change | passed |" in shown
    assert "its 0 makes the whole answer 0" in shown
    assert "its 0 makes" not in render_report(made(plain, plain))


def test_it_says_that_it_is_no_test() -> None:
    text = render_report(judged())
    assert "A description, not a test: there are no intervals, and no part in the verdict." in text
    out = io.StringIO()
    terminal.render_report(judged(), Console(file=out, width=100, color_system=None))
    assert "By scorer (described, not tested)" in out.getvalue()


def test_very_many_are_counted() -> None:
    many = [scorer(f"s{place}", None, 60, (0.9, 0.8)) for place in range(SCORERS_SHOWN + 7)]
    (table,) = scorer_tables(made(*many))
    assert (len(table.rows), table.more) == (SCORERS_SHOWN, 7)
    assert "And 7 more; the record of the run has them all." in render_report(made(*many))
    out = io.StringIO()
    terminal.render_report(made(*many), Console(file=out, width=100, color_system=None))
    assert "and 7 more; the record of the run has them all" in out.getvalue()


def test_what_is_left_of_a_report_that_is_too_long_still_says_which_scorer_moved() -> None:
    whole = report_view(runs.several_suites())
    kept = [len(fold_view(whole, level).scorers) for level in LEVELS]
    details = [level.details for level in LEVELS]
    assert kept[: details.index(False) + 1] == [1] * (details.index(False) + 1)
    assert kept[-1] == 0
    assert "the scorers of 1 suite" in fold_view(whole, LEVELS[-1]).left_out
    assert "the scorers of 1 suite" not in fold_view(whole, LEVELS[0]).left_out


def test_a_suite_of_which_nothing_is_shown_has_no_scorers_either() -> None:
    several = runs.several_suites()
    first = several.suites[0].model_copy(update={"scorers": several.suites[1].scorers})
    whole = report_view(several.model_copy(update={"suites": [first, several.suites[1]]}))
    one_left = next(level for level in LEVELS if level.suites == 1)
    shown = fold_view(whole, one_left)
    assert [table.suite for table in shown.tables] == ["triage"] == [table.suite for table in shown.scorers]
    assert "the scorers of 1 suite" in shown.left_out


def test_scores_of_a_judge_that_compares_are_not_taken_for_marks() -> None:
    note = "The pairwise judge “side by side” compares both answers; its scores of the two arms add up to 1."
    assert note in render_report(judged())
    assert note in render_report(lost_pairs())
    assert "add up to 1" not in render_report(runs.block())
