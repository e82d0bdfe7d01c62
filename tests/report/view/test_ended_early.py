"""A run that ended early: what is missing, that nothing is lost, how to go on."""

import asyncio
import io
import time

import pytest
from rich.console import Console

from gate.calls.budget import BudgetGuard
from gate.calls.interface import CallRefused
from gate.config.policy import Budget, Limit
from gate.record.comparison import Verdict
from gate.record.findings.finding import Finding, plain
from gate.record.findings.unfinished import BudgetReached, RunInterrupted
from gate.record.run import RunRecord
from gate.record.transcript import Dollars
from gate.report.markdown import preview, report
from gate.report.markdown import report as markdown
from gate.report.terminal import report as terminal
from gate.report.view.advice import next_steps
from gate.report.view.headline import plain_first_line
from gate.report.view.report import report_view
from tests.golden import runs

STOPPED = RunInterrupted(signal="SIGTERM")


def _ended(finding: Finding, **other: object) -> RunRecord:
    return runs.unfinished().model_copy(update={"findings": [finding]} | other)


def _reached(budget: Budget) -> BudgetReached:
    """What the budget says when its limit is reached."""
    guard = BudgetGuard(budget, time.monotonic)
    guard.settle(0.0, Dollars(2.0))
    with pytest.raises(CallRefused):
        asyncio.run(guard.take(0.0))
    assert guard.refused is not None
    return guard.refused


@pytest.mark.parametrize("source", ["", "the input max-something"])
@pytest.mark.parametrize("limit", ["max_calls", "max_usd", "max_minutes"])
def test_a_budget_is_named_with_what_is_missing_and_how_to_go_on(limit: Limit, source: str) -> None:
    setting = source or f"budget.{limit}"
    reached = _reached(Budget().lowered(limit, 0, setting))
    assert (reached.limit, reached.setting) == (limit, setting)
    run = _ended(reached)
    assert plain_first_line(run) == f"INCONCLUSIVE: {reached.phrase}; 300 of 720 samples are missing"
    assert report_view(run).notes == ("The other 420 samples are cached; the next run continues from there.",)
    said = [plain(step) for step in next_steps(run)]
    assert said[0] == f"Raise {setting}, or run again with the same limit; only the missing samples cost anything."
    assert ".gate/cache" in said[1]


def _forgotten(run: RunRecord, *arms: str) -> RunRecord:
    """The run with agents in these arms whose answers are not kept."""
    suites = [
        suite.model_copy(update={arm: getattr(suite, arm).model_copy(update={"remembered": False}) for arm in arms})
        for suite in run.suites
    ]
    return run.model_copy(update={"suites": suites})


def test_answers_that_are_not_kept_are_not_said_to_be() -> None:
    run = _forgotten(_ended(STOPPED), "baseline", "candidate")
    name = run.suites[0].name
    assert report_view(run).notes == (
        f"The answers of the agent of {name} are not cached; the next run calls it again.",
    )
    assert [plain(step) for step in next_steps(run)] == ["Run again."]


def test_where_some_answers_are_kept_they_are_told_apart() -> None:
    run = _forgotten(_ended(STOPPED), "candidate")
    assert "the next run calls it again. All other answers are cached." in report_view(run).notes[0]
    assert plain(next_steps(run)[0]) == "Run again; cached answers cost nothing."
    assert ".gate/cache" in plain(next_steps(run)[1])


def test_a_check_promises_nothing_of_an_agent_that_is_asked_again() -> None:
    run = runs.runs()["check-missing"]
    assert "cached answers cost nothing" in plain(next_steps(run)[0])
    arms = [
        new.model_copy(update={"candidate": new.candidate.model_copy(update={"remembered": False})}) for new in run.new
    ]
    again = run.model_copy(update={"new": arms})
    assert plain(next_steps(again)[0]) == "Fix the problem named above and run again."


def test_every_report_copes_with_the_exit_code_of_an_interrupt() -> None:
    run = _ended(RunInterrupted(signal="SIGINT"), exit_code=130)
    out = io.StringIO()
    terminal.render_report(run, Console(file=out, width=100, color_system=None, force_terminal=False, _environ={}))
    context = report.CommentContext("a" * 40, "origin/main", "", "skip-prompt-diff")
    texts = (
        markdown.render_report(run),
        report.render_comment(run, context),
        preview.preview_body(run),
        out.getvalue(),
    )
    assert all("INCONCLUSIVE" in text and "300 of 720 samples are" in text for text in texts)
    assert "130 (interrupted)" in texts[0]
    assert run.verdict is Verdict.INCONCLUSIVE
