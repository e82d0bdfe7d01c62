"""What the last save changed, for `gate diff --watch`: one run compared with the one before it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gate.record.comparison import AxisComparison, State, Verdict
from gate.record.run import RunRecord
from gate.report import numbers
from gate.report.escape import terminal_text
from gate.report.explain import state_words
from gate.report.numbers import NamedSlice, has_several_suites, plain, run_slices, short_line, worst_first
from gate.report.view.headline import headline, plain_first_line, waived_by
from gate.values import counted

CASES_NAMED = 5
_MOVED = 5e-4
"""Smaller changes look the same in three decimals."""


@dataclass(frozen=True, slots=True)
class WatchRow:
    """One slice.

    Args:
        name: with the suite where there are several.
        now: the change with its interval.
        before: the change in the last run; a dash where there was none.
        moved: 1 better than in the last run, -1 worse, else 0.
    """

    name: str
    now: str
    before: str
    words: str
    state: State | None
    moved: int


@dataclass(frozen=True, slots=True)
class WatchView:
    """A run compared with the last one.

    Args:
        before: first line of the last run; empty where there is none, or it says the same.
        rows: `overall`, then the slices, the worst first.
    """

    verdict: Verdict
    headline: str
    before: str
    rows: tuple[WatchRow, ...]
    fell: tuple[str, ...]
    rose: tuple[str, ...]
    axes: tuple[str, ...]


def watch_view(run: RunRecord, last: RunRecord | None) -> WatchView:
    """Compare two runs of one session; for the first run `last` is None."""
    line, before = plain_first_line(run), "" if last is None else plain_first_line(last)
    moved = [] if last is None else sorted(_moved(run, last), key=lambda one: (-abs(one[0]), one[1]))
    return WatchView(
        verdict=run.verdict,
        headline=": ".join(plain(part) for part in (waived_by(run), headline(run)) if part),
        before="" if before == line else before,
        rows=(*_compared(run, last), *_alone(run, last)),
        fell=tuple(text for change, text in moved if change < 0),
        rose=tuple(text for change, text in moved if change > 0),
        axes=tuple(_axes(run)),
    )


def spending_line(run: RunRecord) -> str:
    """Calls, cached answers, time and cost: `48 calls, 240 cached, 3.2 s, $0.0012`."""
    calls = run.calls
    pieces = [counted(calls.made, "call"), f"{calls.cached:,} cached"]
    pieces += [f"{calls.failed:,} failed"] if calls.failed else []
    pieces.append(numbers.duration(run.duration_s))
    return ", ".join([*pieces, *([numbers.dollars(run.spent_usd)] if run.spent_usd else [])])


def _compared(run: RunRecord, last: RunRecord | None) -> Iterator[WatchRow]:
    before = {} if last is None else {named.full: named for named in run_slices(last)}
    ordered = sorted(run_slices(run), key=lambda named: (not named.overall, worst_first(named)))
    for named in ordered:
        record, old = named.record, before.get(named.full)
        span = "" if record.mean is None else f" {numbers.interval(record.lower, record.upper)}"
        yield WatchRow(
            name=short_line(named.full),
            now=f"{numbers.delta(record.mean)}{span}",
            before=numbers.NOTHING if old is None else numbers.delta(old.record.mean),
            words=state_words(record.state),
            state=record.state,
            moved=_way(record.mean, _mean(old)),
        )


def _mean(named: NamedSlice | None) -> float | None:
    return None if named is None else named.record.mean


def _alone(run: RunRecord, last: RunRecord | None) -> Iterator[WatchRow]:
    earlier = [] if last is None else last.new
    before = {(new.name, rate.slice): rate for new in earlier for rate in (new.overall, *new.slices)}
    for new in run.new:
        for rate in (new.overall, *new.slices):
            old = before.get((new.name, rate.slice))
            yield WatchRow(
                name=short_line(f"{new.name}, new: {rate.slice}"),
                now=numbers.NOTHING if rate.rate is None else f"{numbers.share(rate.rate)} pass",
                before=numbers.NOTHING if old is None or old.rate is None else numbers.share(old.rate),
                words=state_words(rate.state),
                state=None,
                moved=_way(rate.rate, None if old is None else old.rate),
            )


def _way(now: float | None, before: float | None) -> int:
    if now is None or before is None or abs(now - before) < _MOVED:
        return 0
    return 1 if now > before else -1


def _moved(run: RunRecord, last: RunRecord) -> Iterator[tuple[float, str]]:
    """Cases of the candidate by how far their mean scores moved."""
    before, now = _scores(last), _scores(run)
    named = len({suite for suite, _ in now}) > 1
    for key in now.keys() & before.keys():
        if _way(now[key], before[key]):
            name = short_line("/".join(key) if named else key[1])
            yield now[key] - before[key], f"{name} {numbers.score(before[key])} → {numbers.score(now[key])}"


def _scores(run: RunRecord) -> dict[tuple[str, str], float]:
    cases = [(suite.name, case.id, case.candidate) for suite in run.suites for case in suite.cases]
    cases += [(new.name, case.id, case.scores) for new in run.new for case in new.cases]
    known = {(suite, case): [score for score in scores if score is not None] for suite, case, scores in cases}
    return {key: fmean(scores) for key, scores in known.items() if scores}


def _axes(run: RunRecord) -> Iterator[str]:
    for suite in run.suites:
        prefix = f"{short_line(suite.name)}: " if has_several_suites(run) else ""
        for axis in (suite.cost, suite.latency):
            if axis.compared:
                span = numbers.change_interval(axis.lower, axis.upper)
                yield f"{prefix}{axis.axis} {numbers.change(axis.change)} {span}"
    known = [suite for suite in run.suites if suite.reuse is not None and suite.reuse.baseline is not None]
    missing = {axis.axis: None for suite in known for axis in (suite.cost, suite.latency) if _left_out(axis)}
    if missing:
        yield f"{' and '.join(missing)} not compared: the baseline's cached answers were reused"


def _left_out(axis: AxisComparison) -> bool:
    return axis.applicable and not axis.compared


_VERDICTS = {
    Verdict.BLOCK: "bold white on red",
    Verdict.INCONCLUSIVE: "bold black on white",
    Verdict.HOLD: "bold black on yellow",
    Verdict.PASS: "bold black on green",
    Verdict.SHIP: "bold black on green",
    Verdict.SKIPPED: "bold",
}
_STATES = {State.REGRESSION: "red", State.SUSPECT: "yellow", State.IMPROVEMENT: "green"}
_ARROWS = {1: ("▲", "green"), -1: ("▼", "red"), 0: (" ", "")}
_OTHER_LINES = 14
_FEWEST_ROWS = 5


def render_watch(shown: WatchView, at: str, console: Console) -> None:
    """Print it at `at`, the time of day; the height of the console limits the number of slices."""
    head = Text.assemble((at, "dim"), "  ", (f" {shown.verdict} ", _VERDICTS[shown.verdict]))
    console.print(Text.assemble(head, (terminal_text(shown.headline), "bold")), highlight=False)
    if shown.before:
        console.print(Text.assemble(("last run: ", "dim"), terminal_text(shown.before)), highlight=False)
    most = max(_FEWEST_ROWS, console.height - _OTHER_LINES) if console.is_terminal else len(shown.rows)
    if shown.rows:
        console.print(_table(shown.rows[:most]))
    if len(shown.rows) > most:
        console.print(Text(f"and {len(shown.rows) - most:,} more slices", "dim"))
    for label, cases, style in (("dropped", shown.fell, "red"), ("improved", shown.rose, "green")):
        if cases:
            more = f", and {len(cases) - CASES_NAMED:,} more" if len(cases) > CASES_NAMED else ""
            said = terminal_text(", ".join(cases[:CASES_NAMED])) + more
            console.print(Text.assemble((f"{label} since the last run: ", style), said), highlight=False)
    if shown.axes:
        console.print(Text(terminal_text(" · ".join(shown.axes))), highlight=False)


def _table(rows: Sequence[WatchRow]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("slice", "change", "", "last run", "state"):
        table.add_column(head, overflow="fold")
    for row in rows:
        style = _STATES.get(row.state, "") if row.state is not None else ""
        cells = (terminal_text(row.name), row.now, _ARROWS[row.moved], row.before)
        table.add_row(Text(cells[0]), Text(cells[1]), Text(*cells[2]), Text(cells[3], "dim"), Text(row.words, style))
    return table
