"""The slice table: one row for each slice, the worst first, with its interval drawn."""

from collections.abc import Sequence
from functools import partial

from gate.domain.comparison import Comparison
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.verdict import FEWEST_UNITS, State
from gate.report import numbers
from gate.report.compared import bars
from gate.report.parts.compared import Row, Table
from gate.report.slices import (
    NAMES_SHOWN,
    Named,
    badness,
    of_run,
    of_suite,
    parted,
    short,
    suite_label,
    tolerated,
    unmoved,
    within_margin,
)

SHOWN_UNREMARKABLE = 5
"""Rows below `overall` that slices without a shown change fill up."""
SHOWN_REMARKABLE = 8
"""Rows below `overall` at most; the worst are shown, and the fold says what it holds."""

WORDS = {
    State.REGRESSION: "regression",
    State.SUSPECT: "suspect",
    State.IMPROVEMENT: "improvement",
    State.NOISE: "no change shown",
    State.TOO_FEW: "too few cases",
}

_ORDER = tuple(WORDS)
_NO_WIDTH = 1e-9


def tables(run: RunRecord) -> tuple[Table, ...]:
    """One table for each suite, if anything of it was scored."""
    return tuple(_table(run, suite) for suite in run.suites if suite.quality.overall.n)


def footnotes(run: RunRecord) -> tuple[str, ...]:
    """What the marks in the tables mean; nothing for marks that do not occur."""
    records = [named.record for named in of_run(run)]
    notes = []
    if _familiar_matters(run) and any(map(only_familiar, records)):
        looked = run.method.slices_tested
        chance = f": among {looked:,} slices one looks so by chance all too often" if looked > 1 else ""
        notes.append(f"† Looked at alone (percentile bootstrap) it seems to have fallen; that blocks nothing{chance}.")
    if any(record.advisory for record in records):
        notes.append("° Advisory: shown, and never blocks.")
    if widthless := [named for named in of_run(run) if _without_width(named.record)]:
        notes.append(_alike(widthless))
    for scorer in dict.fromkeys(short(one.scorer) for suite in run.suites for one in suite.positions):
        notes.append(f"The pairwise judge “{scorer}” compares both answers; its scores of the two arms add up to 1.")
    if any(record.n != record.units for record in records):
        notes.append("Groups are variants of one source; they count as one independent case each.")
    return tuple(notes)


def _without_width(record: Comparison) -> bool:
    low, high = record.lower, record.upper
    return low is not None and high is not None and high - low < _NO_WIDTH


def _alike(slices: Sequence[Named]) -> str:
    """Why an interval has no width: not that anybody could be so sure."""
    more = len(slices) - NAMES_SHOWN
    rest = f" and {more:,} more" if more > 0 else ""
    listed = ", ".join(short(named.full) for named in slices[:NAMES_SHOWN]) + rest
    which = f"interval of {listed} has" if len(slices) == 1 else f"intervals of {listed} have"
    return (
        f"The {which} no width: where all cases moved alike, this method knows no spread. "
        "Other cases may move otherwise, so it is no certainty."
    )


def row(named: Named, scale: bars.Scale, *, dagger: bool) -> Row:
    """One slice as text.

    Args:
        named: the slice.
        scale: of its table.
        dagger: mark it if the familiar rule would have failed it.
    """
    record = named.record
    drawn = bars.Interval(record.mean, record.lower, record.upper)
    groups = "" if record.units == record.n else f" ({numbers.counted(record.units, 'group')})"
    return Row(
        name=short(named.local),
        cases=f"{record.n:,}{groups}",
        scores=f"{numbers.score(record.baseline)} → {numbers.score(record.candidate)}",
        delta=numbers.delta(record.mean),
        interval="" if record.mean is None else numbers.interval(record.lower, record.upper),
        bar=bars.draw(drawn, scale),
        state=record.state,
        words=_words(named),
        more=more_cases(named) if record.state is State.NOISE else "",
        dagger=dagger and only_familiar(record),
        advisory=record.advisory,
    )


def more_cases(named: Named) -> str:
    """`about 120 more cases`, for a slice whose observed change would then show; empty where that is not known."""
    needed, n = named.record.cases_needed, named.record.n
    if needed is None or needed <= n:
        return ""
    return f"{numbers.about(needed - n)} more {'case' if needed - n == 1 else 'cases'}"


def _table(run: RunRecord, suite: SuiteRecord) -> Table:
    overall, *others = of_suite(run, suite)
    ordered = sorted(others, key=_rank)
    kept, folded = _parted(run, ordered)
    scale = _scale([overall, *others])
    dagger = _familiar_matters(run)
    return Table(
        suite=short(suite_label(run, suite)),
        scale=f"{_end(scale.low)} … {_end(scale.high)}",
        rows=tuple(row(named, scale, dagger=dagger) for named in (overall, *kept)),
        folded=tuple(row(named, scale, dagger=dagger) for named in folded),
    )


def _parted(run: RunRecord, ordered: Sequence[Named]) -> tuple[Sequence[Named], Sequence[Named]]:
    """What is shown at once, and what is folded; a single row is not worth a fold."""
    remarkable = sum(not _unremarkable(run, named) for named in ordered)
    room = SHOWN_REMARKABLE if remarkable > SHOWN_UNREMARKABLE else SHOWN_UNREMARKABLE
    if all(map(unmoved, ordered)):
        room = 0
    if len(ordered) <= room + 1:
        return ordered, ()
    kept, folded = parted(ordered, partial(_unremarkable, run), max(0, room - remarkable))
    return kept[:room], sorted((*kept[room:], *folded), key=_rank)


def _scale(slices: Sequence[Named]) -> bars.Scale:
    records = [named.record for named in slices]
    return bars.scale_of(bars.Interval(record.mean, record.lower, record.upper) for record in records)


def _rank(named: Named) -> tuple[int, bool, tuple[float, float, bool, str]]:
    return (_ORDER.index(named.record.state), not only_familiar(named.record), badness(named))


def _unremarkable(run: RunRecord, named: Named) -> bool:
    marked = only_familiar(named.record) and _familiar_matters(run)
    return named.record.state in (State.NOISE, State.TOO_FEW) and not marked and not named.record.advisory


def only_familiar(record: Comparison) -> bool:
    """The familiar rule alone would have failed it, for what it is worth.

    Where both rules do, a mark would say the same twice; of a handful of cases that rule makes nothing but mistakes.
    """
    return record.familiar_fail and record.state is not State.REGRESSION and record.units >= FEWEST_UNITS


def _familiar_matters(run: RunRecord) -> bool:
    """Where the familiar rule is the method itself, a mark would say the same twice."""
    return run.method.name != "percentile"


def _words(named: Named) -> str:
    if named.record.state is State.TOO_FEW and named.record.units >= FEWEST_UNITS:
        return (
            "every score is 0" if not named.record.baseline and not named.record.candidate else "too little variation"
        )
    if tolerated(named):
        return "within its margin" if within_margin(named) else "fell, margin in doubt"
    if unmoved(named):
        return "no case moved"
    return "too few moved" if _boundless(named.record) else WORDS[named.record.state]


def _boundless(record: Comparison) -> bool:
    """So few cases moved that no test could show their fall or rise, be it as large as it may."""
    unknown = record.lower is None and record.upper is None
    return record.state is State.NOISE and unknown and bool(record.mean)


def _end(value: float) -> str:
    return f"{numbers.MINUS if value < 0 else '+'}{abs(value):.2f}"
