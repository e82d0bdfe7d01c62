"""The report of a backtest: a table for the terminal, and a page with a quality chart per slice."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment
from markupsafe import Markup, escape

from gate import numbers
from gate.backtest.commits import SHORT
from gate.numbers import NOTHING
from gate.record.backtest import BacktestCommit, BacktestRecord, BacktestSlice, LastingFall
from gate.record.comparison import State, Verdict
from gate.report.escape import visible
from gate.report.page.charts import LinearScale
from gate.report.sheet import Remark, Sheet, SheetRow, SheetTable, Tone, figure_columns, text_columns
from gate.report.slices import LONGEST_SENTENCE, listed, short_line
from gate.templates.rendering import packaged_templates
from gate.values import counted

SUBJECT = 40
"""Longest subject in the terminal table."""
DROPS = 10
"""Limit of sentences on lasting drops."""
CHARTS = 60
"""Limit of charts; the worst slices come first."""
WIDTH, HEIGHT = 440.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 36.0, 12.0, 12.0, 22.0

_TONES: Mapping[Verdict, Tone] = {
    Verdict.BLOCK: "bad",
    Verdict.HOLD: "doubtful",
    Verdict.INCONCLUSIVE: "doubtful",
    Verdict.PASS: "good",
    Verdict.SHIP: "good",
}


def headline(record: BacktestRecord) -> str:
    """The result in one sentence."""
    if not record.commits:
        return f"no commit changed a prompt of {listed(record.suites)}"
    evaluated = [row for row in record.commits if row.verdict is not None]
    blocked = sum(row.verdict is Verdict.BLOCK for row in evaluated)
    said = f"{blocked:,} of {counted(len(evaluated), 'evaluated commit')} would have been blocked"
    return f"{said}; ended early: {record.unfinished}" if record.unfinished else said


def backtest_sheet(record: BacktestRecord) -> Sheet:
    """The table of a backtest, with lasting drops."""
    lines = tuple(map(_line, record.commits))
    head = (*text_columns("commit", "date", "subject", "verdict", "worst slice"), *figure_columns("change", "cost"))
    below = [
        f"{row.commit[:SHORT]}: {short_line(row.reason, LONGEST_SENTENCE)}" for row in record.commits if row.reason
    ]
    table = SheetTable("", head, lines, tuple(below))
    remarks = tuple(Remark(said) for said in drop_sentences(record)[:DROPS])
    money = f", {numbers.dollars(record.spent_usd)}" if record.spent_usd else ""
    notes = (f"This backtest made {counted(record.calls, 'call')}{money}.",) if record.commits else ()
    return Sheet(headline(record), remarks, (table,) if lines else (), notes)


def drop_sentences(record: BacktestRecord) -> list[str]:
    """A sentence for each commit with a lasting drop, newest first."""
    found: dict[str, list[LastingFall]] = {}
    for drop in record.falls:
        found.setdefault(drop.commit, []).append(drop)
    return [_dropped(sorted(falls, key=lambda one: one.after - one.before)) for falls in found.values()]


def _dropped(falls: Sequence[LastingFall]) -> str:
    """`lang=de (0.900 to 0.600) dropped with 3f2a1c9000 “Shorten the prompt” and did not recover`."""
    names = [f"{one.slice} ({numbers.score(one.before)} to {numbers.score(one.after)})" for one in falls]
    with_ = f"{falls[0].commit[:SHORT]} “{short_line(falls[0].subject)}”"
    return f"{listed(names)} dropped with {with_} and did not recover"


def _line(row: BacktestCommit) -> SheetRow:
    worst = row.slice_named(row.worst) if row.worst else None
    tone: Tone = "dim" if row.verdict is None else _TONES.get(row.verdict, "")
    return SheetRow(
        (
            row.commit[:SHORT],
            row.date[:10],
            short_line(row.subject, SUBJECT),
            "not evaluated" if row.verdict is None else row.verdict.value,
            NOTHING if worst is None else short_line(worst.slice),
            NOTHING if worst is None else numbers.delta(worst.mean),
            NOTHING if row.verdict is None else numbers.dollars(row.spent_usd),
        ),
        tone,
    )


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """The mean of one slice at one commit; x and y are in units of the drawing.

    Args:
        tone: `dropped`, `suspect`, `improved` or empty.
        told: commit, subject and figures in one line.
    """

    x: float
    y: float
    tone: str
    told: str


@dataclass(frozen=True, slots=True)
class SliceChart:
    """The means of one slice over the commits, oldest first.

    Args:
        line: data of an SVG path.
        first, last: the mean before the oldest and after the newest commit.
    """

    name: str
    points: tuple[ChartPoint, ...]
    line: str
    first: str
    last: str
    told: str


_POINTS = {State.REGRESSION: "dropped", State.SUSPECT: "suspect", State.IMPROVEMENT: "improved"}


def slice_charts(record: BacktestRecord) -> list[SliceChart]:
    """A chart for each slice with a mean, those with regressions first."""
    rows = [row for row in reversed(record.commits) if row.slices]
    names = dict.fromkeys(one.slice for row in rows for one in row.slices)
    across = LinearScale(0.0, max(1, len(rows)), LEFT, WIDTH - RIGHT)
    found = [chart for name in names if (chart := _chart(name, rows, across)) is not None]
    return sorted(found, key=lambda one: -sum(point.tone == "dropped" for point in one.points))


def _chart(name: str, rows: Sequence[BacktestCommit], across: LinearScale) -> SliceChart | None:
    up = LinearScale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    met = [(place, row, one) for place, row in enumerate(rows, 1) if (one := row.slice_named(name))]
    known = [(place, row, one) for place, row, one in met if one.before is not None and one.after is not None]
    if not known:
        return None
    first = known[0][2].before or 0.0
    points = [ChartPoint(across.at(known[0][0] - 1), up.at(first), "", f"before these commits: {numbers.score(first)}")]
    points += [
        ChartPoint(across.at(place), up.at(one.after or 0.0), _POINTS.get(one.state, ""), _told(row, one))
        for place, row, one in known
    ]
    dropped = [row.commit[:SHORT] for _, row, one in known if one.state is State.REGRESSION]
    last = numbers.score(known[-1][2].after)
    told = f"{short_line(name)}: from {numbers.score(first)} to {last} over {counted(len(known), 'commit')}"
    told += f"; dropped with {listed(dropped)}" if dropped else ""
    line = "M" + "L".join(f"{point.x},{point.y}" for point in points)
    return SliceChart(short_line(name), tuple(points), line, numbers.score(first), last, told)


def _told(row: BacktestCommit, one: BacktestSlice) -> str:
    change = numbers.score_change(numbers.ScoreFigure(one.mean, one.lower, one.upper, one.before))
    change = change if one.undetected is None else numbers.unchanged_cases(one.n, one.undetected)
    return f"{row.commit[:SHORT]} {short_line(row.subject)}: {numbers.score(one.after)} ({change})"


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of the page's table; `link` leads to the report of the commit's run, and may be empty."""

    cells: tuple[str, ...]
    tone: str
    link: str
    reason: str


def render_backtest(record: BacktestRecord) -> str:
    """The backtest as one HTML page; it links to the folders of its runs."""
    style = _style()
    drawn = slice_charts(record)
    page = (
        _environment()
        .get_template("backtest.html.j2")
        .render(
            record=record,
            headline=headline(record),
            style=Markup(style),  # noqa: S704
            hash=f"sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}",
            drops=tuple(drop_sentences(record)[:DROPS]),
            rows=tuple(_page_rows(record)),
            charts=drawn[:CHARTS],
            more=max(0, len(drawn) - CHARTS),
            size=(WIDTH, HEIGHT, LEFT, WIDTH - RIGHT),
            marks=tuple(
                (LinearScale(0.0, 1.0, HEIGHT - BOTTOM, TOP).at(mark), f"{mark:g}") for mark in (0.0, 0.5, 1.0)
            ),
        )
    )
    return page + "\n"


def _page_rows(record: BacktestRecord) -> Iterator[PageRow]:
    for row in record.commits:
        link = f"{row.folder}/report.html" if row.folder else ""
        yield PageRow(_line(row).cells, (row.verdict.value.lower() if row.verdict else ""), link, row.reason)


def _style() -> str:
    shared = resources.files("gate.report.page").joinpath("page.css").read_text(encoding="utf-8")
    return shared + resources.files("gate.backtest").joinpath("backtest.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    env = packaged_templates("gate.backtest", finalize=_safe)
    env.filters["counted"] = counted
    return env


def _safe(value: object) -> Markup:
    """Escapes invisible characters and keys."""
    if isinstance(value, Markup):
        return value
    return escape(visible(value) if isinstance(value, str) else value)
