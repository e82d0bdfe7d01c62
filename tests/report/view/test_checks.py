"""The tables of a check: cases, pass rates, and what is left for the record."""

import io
import re

import pytest
from rich.console import Console

from gate.record.comparison import PassRate, PassState, Verdict
from gate.record.findings.finding import plain
from gate.record.findings.unfinished import EvaluationFailed
from gate.record.parts import CaseState
from gate.record.run import RunRecord
from gate.report.markdown.report import render_report
from gate.report.terminal import report as terminal
from gate.report.view.pass_rates import check_tables
from gate.report.view.report import REASONS_SHOWN, facts, report_view
from tests.golden.checks import (
    calls,
    case,
    check,
    check_block,
    check_missing,
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


def rates(overall: PassRate, states: list[CaseState]) -> tuple[str, str]:
    """What the row of all cases says: how many cases, and what that shows."""
    found = [case(f"c{number}", {}, checked(state, [scorer("asks", 1.0)])) for number, state in enumerate(states)]
    (table,) = check_tables(check(Verdict.INCONCLUSIVE, [calls(overall, [], found)], [EvaluationFailed(message="x")]))
    return table.rates[0].cases, table.rates[0].words


@pytest.mark.parametrize(
    ("passed", "failed", "unscored", "wanted", "said"),
    [
        (4, 0, 0, 1.0, ("4", "reached")),
        (4, 0, 6, 1.0, ("4 of 10", "reached so far")),
        (3, 1, 6, 1.0, ("4 of 10", "not reached")),
        (4, 0, 1, 0.8, ("4 of 5", "reached")),
        (4, 0, 2, 0.8, ("4 of 6", "reached so far")),
        (2, 2, 6, 0.8, ("4 of 10", "not reached so far")),
        (1, 3, 1, 0.8, ("4 of 5", "not reached")),
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


def test_every_reason_is_shown_or_counted() -> None:
    run = check_missing()
    missing = next(fact for fact in facts(run) if fact.label == "Missing")
    assert all(one.reason in plain(missing.text) for one in run.missing.reasons)
    assert plain(missing.text).endswith("; other reasons for 3 samples")
    first = EvaluationFailed(message="It failed")
    findings = [first, *(EvaluationFailed(message=f"reason {number}") for number in range(REASONS_SHOWN + 5))]
    many = report_view(run.model_copy(update={"findings": findings})).notes
    assert many[-1] == "and 5 more findings in run.json"


def test_answers_that_are_not_shown_are_counted() -> None:
    run = check_block()
    (suite,) = run.new
    more = [one for one in suite.cases if one.outputs] * 2
    again = [one.model_copy(update={"id": f"{one.id}_{number}"}) for number, one in enumerate(more)]
    run = run.model_copy(update={"new": [suite.model_copy(update={"cases": again})]})
    lines = printed(run, 120)
    shown = sum(line.startswith("failed") for line in lines)
    assert 0 < shown < 6
    assert f"and {6 - shown} more cases in the full report; {6 - shown} of them did not pass" in lines


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
