"""A backtest for people: a table for the terminal, and a page with the course of quality, slice by slice."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment
from markupsafe import Markup, escape

from gate.backtest.commits import SHORT
from gate.record.backtest import BacktestCommit, BacktestRecord, BacktestSlice, LastingFall
from gate.record.comparison import State, Verdict
from gate.report import numbers
from gate.report.escape import visible
from gate.report.numbers import LONGEST_SENTENCE, NOTHING, short_line
from gate.report.page.charts import LinearScale
from gate.report.sheets.sheet import Remark, Sheet, SheetRow, SheetTable, Tone
from gate.templates.rendering import packaged_templates
from gate.values import counted

SUBJECT = 40
"""Characters of a subject in the terminal's table."""
FALLS = 10
"""Sentences on slices that fell for good."""
CHARTS = 60
"""Slices with a chart; the worst come first."""
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
    """What the gate would have said, in a sentence."""
    if not record.commits:
        return f"no commit changed a prompt of {numbers.listed(record.suites)}"
    judged = [row for row in record.commits if row.verdict is not None]
    blocked = sum(row.verdict is Verdict.BLOCK for row in judged)
    said = f"{blocked:,} of {counted(len(judged), 'judged commit')} would have been blocked"
    return f"{said}; ended early: {record.unfinished}" if record.unfinished else said


def backtest_sheet(record: BacktestRecord) -> Sheet:
    """The table of a backtest, with what fell for good."""
    lines = tuple(map(_line, record.commits))
    head = ("commit", "date", "subject", "verdict", "worst slice", "change", "cost")
    below = [
        f"{row.commit[:SHORT]}: {short_line(row.reason, LONGEST_SENTENCE)}" for row in record.commits if row.reason
    ]
    table = SheetTable("", head, lines, tuple(below))
    remarks = tuple(Remark(said) for said in fall_sentences(record)[:FALLS])
    money = f", {numbers.dollars(record.spent_usd)}" if record.spent_usd else ""
    notes = (f"This backtest made {counted(record.calls, 'call')}{money}.",) if record.commits else ()
    return Sheet(headline(record), remarks, (table,) if lines else (), notes)


def fall_sentences(record: BacktestRecord) -> list[str]:
    """A sentence for each commit with which something fell for good, the newest first."""
    found: dict[str, list[LastingFall]] = {}
    for fall in record.falls:
        found.setdefault(fall.commit, []).append(fall)
    return [_fell(sorted(falls, key=lambda one: one.after - one.before)) for falls in found.values()]


def _fell(falls: Sequence[LastingFall]) -> str:
    """`lang=de (0.900 to 0.600) fell with 3f2a1c9000 “Shorten the prompt” and never came back`."""
    names = [f"{one.slice} ({numbers.score(one.before)} to {numbers.score(one.after)})" for one in falls]
    with_ = f"{falls[0].commit[:SHORT]} “{short_line(falls[0].subject)}”"
    return f"{numbers.listed(names)} fell with {with_} and never came back"


def _line(row: BacktestCommit) -> SheetRow:
    worst = row.slice_named(row.worst) if row.worst else None
    tone: Tone = "dim" if row.verdict is None else _TONES.get(row.verdict, "")
    return SheetRow(
        (
            row.commit[:SHORT],
            row.date[:10],
            short_line(row.subject, SUBJECT),
            "not judged" if row.verdict is None else row.verdict.value,
            NOTHING if worst is None else short_line(worst.slice),
            NOTHING if worst is None else numbers.delta(worst.mean),
            NOTHING if row.verdict is None else numbers.dollars(row.spent_usd),
        ),
        tone,
    )


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """The mean of one slice at one commit; places are in units of the drawing.

    Args:
        tone: `fell`, `suspect`, `rose` or empty.
        told: commit, subject and figures, in a line.
    """

    x: float
    y: float
    tone: str
    told: str


@dataclass(frozen=True, slots=True)
class Course:
    """The means of one slice over the commits, the oldest first.

    Args:
        line: data of an SVG path.
        first, last: the mean before the oldest commit and after the newest one.
    """

    name: str
    points: tuple[CoursePoint, ...]
    line: str
    first: str
    last: str
    told: str


_POINTS = {State.REGRESSION: "fell", State.SUSPECT: "suspect", State.IMPROVEMENT: "rose"}


def courses(record: BacktestRecord) -> list[Course]:
    """A course for each slice with a mean, those that fell first."""
    rows = [row for row in reversed(record.commits) if row.slices]
    names = dict.fromkeys(one.slice for row in rows for one in row.slices)
    across = LinearScale(0.0, max(1, len(rows)), LEFT, WIDTH - RIGHT)
    found = [course for name in names if (course := _course(name, rows, across)) is not None]
    return sorted(found, key=lambda one: -sum(point.tone == "fell" for point in one.points))


def _course(name: str, rows: Sequence[BacktestCommit], across: LinearScale) -> Course | None:
    up = LinearScale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    met = [(place, row, one) for place, row in enumerate(rows, 1) if (one := row.slice_named(name))]
    known = [(place, row, one) for place, row, one in met if one.before is not None and one.after is not None]
    if not known:
        return None
    first = known[0][2].before or 0.0
    points = [CoursePoint(across.at(known[0][0] - 1), up.at(first), "", f"before them: {numbers.score(first)}")]
    points += [
        CoursePoint(across.at(place), up.at(one.after or 0.0), _POINTS.get(one.state, ""), _told(row, one))
        for place, row, one in known
    ]
    fell = [row.commit[:SHORT] for _, row, one in known if one.state is State.REGRESSION]
    last = numbers.score(known[-1][2].after)
    told = f"{short_line(name)}: from {numbers.score(first)} to {last} over {counted(len(known), 'commit')}"
    told += f"; fell with {numbers.listed(fell)}" if fell else ""
    line = "M" + "L".join(f"{point.x},{point.y}" for point in points)
    return Course(short_line(name), tuple(points), line, numbers.score(first), last, told)


def _told(row: BacktestCommit, one: BacktestSlice) -> str:
    change = f"{numbers.delta(one.mean)} {numbers.interval(one.lower, one.upper)}"
    return f"{row.commit[:SHORT]} {short_line(row.subject)}: {numbers.score(one.after)} ({change})"


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of the page's table; `link` leads to the report of the commit's run, empty where there is none."""

    cells: tuple[str, ...]
    tone: str
    link: str
    reason: str


def render_backtest(record: BacktestRecord) -> str:
    """The whole backtest as one HTML page, to be kept beside the folders of its runs."""
    style = _style()
    drawn = courses(record)
    page = (
        _environment()
        .get_template("backtest.html.j2")
        .render(
            record=record,
            headline=headline(record),
            style=Markup(style),  # noqa: S704
            hash=f"sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}",
            falls=tuple(fall_sentences(record)[:FALLS]),
            rows=tuple(_page_rows(record)),
            courses=drawn[:CHARTS],
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
    """What could be invisible, or a key, is escaped."""
    if isinstance(value, Markup):
        return value
    return escape(visible(value) if isinstance(value, str) else value)
