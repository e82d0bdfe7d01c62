"""The tables of a check: cases, pass rates, and what is left for the record."""

import io
import re

import pytest
from rich.console import Console

from gate.record.comparison import PassRate, PassState, Verdict
from gate.record.parts import CaseState
from gate.record.run import RunRecord
from gate.report.markdown.report import render_report
from gate.report.terminal import report as terminal
from gate.report.view.pass_rates import check_tables
from gate.report.view.report import REASONS_SHOWN, report_view
from tests.golden.checks import (
    BUDGET,
    calls,
    case,
    check,
    check_block,
    check_missing,
    check_unfinished,
    checked,
    hostile_check,
    scorer,
)
from tests.golden.hostile import ATTACKS
from tests.golden.new_prompts import rate
from tests.report.reading import html, kinds, running_text

OUR_TAGS = {"details", "summary", "sub", "br", "b"}


def printed(run: RunRecord, width: int) -> list[str]:
    out = io.StringIO()
    terminal.render_report(run, Console(file=out, width=width, color_system=None, force_terminal=False, _environ={}))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def row_of(lines: list[str], name: str) -> list[str]:
    """The lines of one case in the table of cases."""
    first = next(place for place, line in enumerate(lines) if re.match(rf"\S.*\b{name}\b", line) and "state=" in line)
    more = [line for line in lines[first + 1 :]]
    end = next(place for place, line in enumerate(more) if not line.startswith(" "))
    return lines[first : first + 1 + end]


@pytest.mark.parametrize("width", [80, 120])
def test_slices_and_names_are_whole_at_every_width(width: int) -> None:
    text = " ".join(" ".join(printed(check_block(), width)).split())
    assert "discovery_verbose_and_then_some_more_of_it_fail" in text
    assert "state=discovery, channel=telephone, lang=en, caller=first-time" in text
    assert max(map(len, printed(check_block(), width))) <= width


def test_a_case_with_full_marks_is_one_line_and_passing_scorers_fold() -> None:
    lines = printed(check_block(), 120)
    assert len(row_of(lines, "welcome_terse")) == 1
    brief = row_of(lines, "discovery_brief")
    assert brief[1].strip() == "voice 4.2 of 5 (brevity 5.0, tone 3.0, flow 4.0), 3 others 1.000"
    assert len(brief) == 2


def test_each_scorer_that_fails_is_shown_with_its_reason() -> None:
    (bad, *_) = check_tables(check_block())[0].rows
    assert [line.partition(":")[0] for line in bad.failing] == [
        "voice 2.7 of 5, needs 3.5 (brevity 2.0, tone 3.0, flow 4.0)",
        "asks 0.000, needs 1.000",
    ]
    assert "does not ask about" in bad.failing[1]
    assert bad.others == "2 others 1.000"
    shown = " ".join(printed(check_block(), 120))
    assert "asks: does not ask" in shown and "voice: brevity 2 of 5" in shown
    assert "sentences: has 2 sentences" not in shown


def test_where_the_combined_score_has_a_mark_what_is_below_full_marks_is_told() -> None:
    strict = next(row for row in check_tables(check_block())[0].rows if row.name == "welcome_strict")
    assert strict.score == "0.812, needs 0.900"
    assert strict.failing == ("voice 3.5 of 5 (brevity 3.0, tone 4.0, flow 4.0): brevity 3 of 5: It could be shorter.",)
    assert strict.others == "asks 1.000"


def test_a_reason_that_the_first_line_says_is_not_repeated_for_every_case() -> None:
    rows = {row.name: row for row in check_tables(check_unfinished())[0].rows}
    assert rows["call_4"].lines == ()
    assert rows["call_3"].lines == (f"no score: judge: the judge gave no answer: {BUDGET}", "asks 1.000")


def rates(overall: PassRate, states: list[CaseState]) -> tuple[str, str]:
    """What the row of all cases says: how many cases, and what that shows."""
    found = [case(f"c{number}", {}, checked(state, [scorer("asks", 1.0)])) for number, state in enumerate(states)]
    (table,) = check_tables(check(Verdict.INCONCLUSIVE, [calls(overall, [], found)], ["It is so."]))
    return table.rates[0].cases, table.rates[0].words


@pytest.mark.parametrize(
    ("passed", "failed", "unscored", "wanted", "said"),
    [
        (4, 0, 0, 1.0, ("4", "reached")),
        (4, 0, 6, 1.0, ("4 of 10", "reached so far")),
        (3, 1, 6, 1.0, ("4 of 10", "missed")),
        (4, 0, 1, 0.8, ("4 of 5", "reached")),
        (4, 0, 2, 0.8, ("4 of 6", "reached so far")),
        (2, 2, 6, 0.8, ("4 of 10", "missed so far")),
        (1, 3, 1, 0.8, ("4 of 5", "missed")),
    ],
)
def test_nothing_is_reached_or_missed_that_missing_cases_could_change(
    passed: int, failed: int, unscored: int, wanted: float, said: tuple[str, str]
) -> None:
    share = passed / (passed + failed)
    state = PassState.MET if share >= wanted else PassState.MISSED
    overall = rate("overall", state, passed + failed, (share, share / 2, 1.0), wanted)
    states = [CaseState.PASSED] * passed + [CaseState.FAILED] * failed + [CaseState.UNSCORED] * unscored
    assert rates(overall, states) == said


def test_what_is_open_has_no_colour_of_good_news() -> None:
    assert "| **overall** | 3 of 6 | 100 % [44 %, 100 %] | every case | reached so far |" in render_report(
        check_unfinished()
    ).replace("\N{NO-BREAK SPACE}", " ")


def test_every_reason_is_shown_or_counted() -> None:
    run = check_missing()
    notes = [str(note) for note in report_view(run).notes]
    assert all(reason in notes for reason in run.missing.reasons)
    reasons = [f"reason {number}" for number in range(REASONS_SHOWN + 5)]
    many = [str(note) for note in report_view(run.model_copy(update={"reasons": reasons})).notes]
    assert many[-1] == "and 4 more reasons; the record of the run has them all"


def test_answers_that_are_not_shown_are_counted() -> None:
    run = check_block()
    (suite,) = run.new
    more = [one for one in suite.cases if one.outputs] * 2
    again = [one.model_copy(update={"id": f"{one.id}_{number}"}) for number, one in enumerate(more)]
    run = run.model_copy(update={"new": [suite.model_copy(update={"cases": again})]})
    assert "and 3 more that did not pass; samples.jsonl beside the record has every answer" in printed(run, 120)


def test_hostile_text_stays_text() -> None:
    text = render_report(hostile_check(ATTACKS))
    bad, good = (
        kinds(text),
        kinds(render_report(hostile_check(tuple(f"x{number:06}" for number in range(len(ATTACKS)))))),
    )
    for kind in (set(bad) | set(good)) - {"text", "softbreak"}:
        assert bad[kind] == good[kind], kind
    assert "<!--" not in text
    assert "@octocat" not in running_text(text)
    assert set(re.findall(r"</?([a-z]+)", html(text))) <= OUR_TAGS


def test_hostile_text_sends_nothing_to_a_terminal() -> None:
    text = "\n".join(printed(hostile_check(ATTACKS), 80))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert not re.search(r"^\s*::", text, re.MULTILINE)
