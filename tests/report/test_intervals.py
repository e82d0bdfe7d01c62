"""Intervals in every output: no infinite bound is printed, and none that no score can reach."""

import html
import re
from datetime import UTC, datetime
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from gate.backtest.report import render_backtest
from gate.calibration.noise import calibrate
from gate.record.backtest import BacktestCommit, BacktestRecord, BacktestSlice
from gate.record.comparison import Comparison, DimensionResult, Estimate, RubricResult, State, Verdict
from gate.record.findings.catalogue import verdict_of
from gate.record.history import HistoryPoint, suites_of
from gate.record.run import ExamTrialRecord, RunRecord
from gate.report.exports import junit, sarif
from gate.report.history import trend_view
from gate.report.markdown import report as markdown
from gate.report.page.document import render_page
from gate.report.sheets.plan import calibration_sheet
from gate.report.terminal import report as terminal
from gate.report.terminal.sheet import render_sheet
from tests.calibration.test_calibrate import FEW, Counted, coins
from tests.golden import builders
from tests.golden.runs import runs
from tests.report.sheets.test_plan import ROWS
from tests.support.run_records import finished, itself
from tests.support.runs import suite

_BETWEEN = re.compile(r"([+−]?[01]\.\d{3,5})\s\[([+−]?[01]\.\d{3,5}), ([+−]?[01]\.\d{3,5})\]")
_GRADES = re.compile(r"([+−]?\d\.\d\d) \[([+−]?\d\.\d\d), ([+−]?\d\.\d\d)\]")
_ROUNDED = 0.0006


def outputs(run: RunRecord) -> dict[str, str]:
    """What each output says about the run, as running text."""
    consoles = [Console(file=StringIO(), width=180) for _ in range(2)]
    terminal.render_report(run, consoles[0])
    context = markdown.CommentContext("a81d06c3f2" * 4, "origin/main", "https://example.com", "skip")
    found = {
        "terminal": consoles[0].file.getvalue(),  # type: ignore[attr-defined]
        "report": markdown.render_report(run),
        "comment": markdown.render_comment(run, context),
        "page": render_page(run),
        "junit": junit.render(run),
        "sarif": sarif.render(run, {}),
    }
    return {name: _visible(text, tags=name == "page") for name, text in found.items()}


def _visible(text: str, *, tags: bool) -> str:
    return html.unescape(re.sub("<[^>]*>", " ", text) if tags else text).replace("\N{NO-BREAK SPACE}", " ")


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


@st.composite
def changes(draw: st.DrawFn, baseline: float, name: str) -> Comparison:
    """Any comparison that the record can hold, of a baseline."""
    mean = draw(st.one_of(st.just(0.0), st.floats(-baseline, 1.0 - baseline)))
    units = draw(st.integers(1, 60))
    state = draw(st.sampled_from(State))
    return builders.comparison(
        name,
        state,
        draw(st.integers(units, 60)),
        baseline,
        (mean, draw(st.one_of(st.none(), st.floats(-1.0, mean))), draw(st.one_of(st.none(), st.floats(mean, 1.0)))),
        units=units,
        moved=draw(st.integers(0, 5)),
        margin=draw(st.sampled_from([0.0, 0.05])),
        advisory=draw(st.booleans()),
        familiar_fail=draw(st.booleans()),
    )


def _bounds(draw: st.DrawFn, mean: float) -> tuple[float, float | None, float | None]:
    return mean, draw(st.one_of(st.none(), st.floats(-1.0, mean))), draw(st.one_of(st.none(), st.floats(mean, 1.0)))


@st.composite
def any_run(draw: st.DrawFn) -> tuple[float, RunRecord]:
    """A run over one suite, all of whose changes are from one score before."""
    baseline = draw(st.sampled_from([0.0, 0.2, 0.5, 5 / 6, 1.0]))
    overall, *slices = (draw(changes(baseline, name)) for name in ("overall", "lang=de", "lang=en"))
    mean, lower, upper = _bounds(draw, draw(st.floats(-baseline, 1.0 - baseline)))
    dimension = DimensionResult(
        name="tone", weight=1.0, n=9, baseline=baseline, candidate=baseline + mean, mean=mean, lower=lower, upper=upper
    )
    trial = ExamTrialRecord(
        kind="added", asked=9, n=9, baseline=baseline, candidate=baseline + mean, mean=mean, lower=lower, upper=upper
    )
    late = Estimate(value=mean, lower=lower, upper=upper)
    judged = builders.suite(
        overall,
        slices,
        [],
        cost=builders.cost(_bounds(draw, draw(st.floats(-0.9, 0.9))), exceeded=draw(st.booleans())),
        latency=builders.latency(_bounds(draw, draw(st.floats(-0.9, 0.9))), p50_change=late, p95_change=late),
        rubrics=[RubricResult(scorer="judge", low=1, high=5, threshold=3.5, dimensions=[dimension])],
    )
    change = runs()["exam-edited"].exam_changes[0].model_copy(update={"trials": [trial]})
    run = builders.run(verdict_of(builders.shown_findings([judged])), [judged], exam_changes=[change])
    return baseline, RunRecord.model_validate_json(run.model_dump_json(by_alias=True))


@settings(max_examples=60, deadline=None)
@given(any_run())
def test_every_printed_bound_of_a_score_can_be_reached(drawn: tuple[float, RunRecord]) -> None:
    baseline, run = drawn
    for name, text in outputs(run).items():
        assert "∞" not in text, name
        for pattern, scale, rounded in ((_BETWEEN, 1.0, _ROUNDED), (_GRADES, 4.0, 0.006)):
            for found in pattern.findall(text):
                mean, lower, upper = map(_number, found)
                assert -baseline * scale - rounded <= lower <= mean <= upper <= (1.0 - baseline) * scale + rounded, (
                    name,
                    found,
                )


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([0.0, 0.4, 1.0]), st.integers(1, 80), st.sampled_from([State.NOISE, State.TOO_FEW]))
def test_a_slice_without_a_changed_case_says_at_most_how_many_would(before: float, units: int, state: State) -> None:
    row = {"units": units, "moved": 0}
    slices = [builders.comparison(name, state, units, before, (0.0, None, None), **row) for name in ("overall", "a=b")]
    whole = builders.suite(slices[0], slices[1:], [])
    run = builders.run(verdict_of(builders.shown_findings([whole])), [whole])
    share = 1.0 - 0.025 ** (1.0 / units)
    for name, text in outputs(run).items():
        assert "◄" not in text, name
        assert "►" not in text, name
        assert not _BETWEEN.search(text), name
        shown = re.findall(r"(?:≤|at most) ([\d.]+) % (?:of cases|would)", text)
        assert all(abs(float(one) - share * 100) <= 0.051 for one in shown), name
        assert shown or name == "sarif", name


def test_a_rise_without_an_end_says_at_least() -> None:
    held = runs()["hold-cost"].suites[0]
    expected = ((0.24, None, "at least +24 %"), (None, 0.24, "at most +24 %"), (None, None, "no interval"))
    for lower, upper, said in expected:
        axis = held.cost.model_copy(update={"lower": lower, "upper": upper, "change": 0.24})
        run = runs()["hold-cost"].model_copy(update={"suites": [held.model_copy(update={"cost": axis})]})
        for name in ("terminal", "report", "junit", "page"):
            assert f"24 %, {said}" in outputs(run)[name].replace("\xa0", " "), (name, said)


@pytest.mark.parametrize(
    ("moved", "said"), [(0, "0 of 24 cases changed; at most 14.2 % would"), (3, "0.000 [−0.750, +0.250]")]
)
def test_history_backtest_and_calibration_say_the_same(moved: int, said: str) -> None:
    row = builders.comparison("overall", State.NOISE, 24, 0.75, (0.0, None, None), moved=moved)
    one = builders.suite(row, [], [])
    run = builders.run(verdict_of(builders.shown_findings([one])), [one])
    figure = suites_of(run)[0].figures[0]
    point = HistoryPoint(1, datetime(2026, 11, 1, tzinfo=UTC), "main", "push", Verdict.PASS, figure)
    assert trend_view([point], "quality").rows[0].change == said
    undetected = row.undetected(0.025)
    one = BacktestSlice(
        slice="overall", n=24, before=0.75, after=0.75, mean=0.0, lower=None, upper=None, state=State.NOISE,
        undetected=undetected,
    )  # fmt: skip
    commit = BacktestCommit(
        commit="a" * 40, parent="b" * 40, date="2026-11-20T10:00:00Z", subject="Shorten", prompts=["a.md"],
        verdict=Verdict.PASS, worst="overall", slices=[one],
    )  # fmt: skip
    record = BacktestRecord(
        tool_version="1.0.0", created="2026-11-22T08:00:00Z", config="gate.yaml", suites=["a"], commits=[commit]
    )
    assert said in html.unescape(render_backtest(record))
    found = calibrate(finished([itself(suite(ROWS, samples=2))], coins()), Counted(), FEW)
    drift = found.suites[0].drift.model_copy(
        update={"baseline": 0.75, "mean": 0.0, "lower": None, "upper": None, "undetected": undetected}
    )
    suites = [found.suites[0].model_copy(update={"drift": drift, "cases": 24})]
    console = Console(file=StringIO(), width=180)
    render_sheet(calibration_sheet(found.model_copy(update={"suites": suites})), console)
    assert said in console.file.getvalue()  # type: ignore[attr-defined]
