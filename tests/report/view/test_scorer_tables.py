"""The table of scorers, which says in a line which of them moved."""

import io

from rich.console import Console

from gate.record.comparison import ScorerChange, State, Verdict
from gate.record.findings.finding import plain
from gate.record.run import RunRecord
from gate.report.markdown.report import SHORTEST, render_report
from gate.report.terminal import report as terminal
from gate.report.view.scorers import SCORERS_SHOWN, jury_facts, scorer_sections
from tests.golden import runs
from tests.golden.builders import comparison, run, scorer, suite
from tests.golden.judged_runs import judged


def made(*scorers: ScorerChange) -> RunRecord:
    overall = comparison("overall", State.REGRESSION, 60, 0.8, (-0.2, -0.3, -0.1))
    return run(Verdict.BLOCK, [suite(overall, [], [], scorers=list(scorers))])


def none(name: str) -> ScorerChange:
    fields = dict.fromkeys(("weight", "baseline", "candidate", "mean"))
    return ScorerChange.model_validate({"name": name, "required": False, "n": 0, **fields})


def test_the_one_that_moved_most_is_first_whichever_way_it_went() -> None:
    still, also = scorer("still", 0.25, 60, (0.9, 0.9)), scorer("also still", 0.25, 60, (0.7, 0.7))
    fell, rose = scorer("fell", 0.25, 60, (0.9, 0.7)), scorer("rose", 0.25, 60, (0.4, 0.75))
    (section,) = scorer_sections(made(none("silent"), still, fell, also, rose))
    (table,) = section.tables
    assert [column.name for column in table.head] == ["scorer", "weight", "cases", "baseline → candidate", "change"]
    assert [(row.cells[0], *row.cells[3:]) for row in table.lines] == [
        ("rose", "0.400 → 0.750", "+0.350"),
        ("fell", "0.900 → 0.700", "−0.200"),
        ("still", "0.900 → 0.900", "0.000"),
        ("also still", "0.700 → 0.700", "0.000"),
        ("silent", "– → –", "–"),
    ]
    assert plain(section.brief) == "rose +0.350, fell −0.200, still 0.000 and 2 more"


def test_very_many_are_counted() -> None:
    many = [scorer(f"s{place}", None, 60, (0.9, 0.8)) for place in range(SCORERS_SHOWN + 7)]
    (section,) = scorer_sections(made(*many))
    assert [(len(table.lines), table.more) for table in section.tables] == [(SCORERS_SHOWN, 7)]
    assert "and 7 more in run.json" in render_report(made(*many))
    out = io.StringIO()
    terminal.render_report(made(*many), Console(file=out, width=100, color_system=None))
    assert f"and {len(many) - 3} more" in out.getvalue()


def test_what_is_left_of_a_report_that_is_too_long_still_says_which_scorer_moved() -> None:
    whole, short = (render_report(runs.several_suites(), limit=limit) for limit in (65_536, SHORTEST))
    scorers = "<summary>By scorer in <b>triage</b>: contains −0.178, judge −0.017</summary>"
    assert scorers in whole and scorers in short
    assert "Left out" not in whole
    assert "how the verdict was decided" in short[short.index("Left out, to keep this short: ") :]


def told(low: float, high: float) -> dict[str, str]:
    """The facts of a jury whose rubric has this scale, by what they are about."""
    run = judged()
    (suite,) = run.suites
    (rubric,), (jury,) = suite.rubrics, suite.juries
    rubric = rubric.model_copy(update={"scorer": jury.scorer, "low": low, "high": high})
    jury = jury.model_copy(update={"mark": 0.625, "kappa": jury.share})
    made = suite.model_copy(update={"rubrics": [rubric], "juries": [jury]})
    facts = jury_facts(run.model_copy(update={"suites": [made]}))
    return {fact.label.rpartition(", ")[2]: str(fact.text[0]) for fact in facts}


def test_marks_means_and_opinions_are_on_the_rubrics_scale() -> None:
    found = told(1.0, 5.0)
    assert found["agreement"] == (
        "two judges agree on 82 % [74, 88] of the answers, pass or fail at 3.5 of 5; "
        "kappa 0.82 [0.74, 0.88] (3 judges, 120 answers)"
    )
    assert found["mean scores"].count(" of 5") == 6
    assert " of 5 / " in found["contested"]
