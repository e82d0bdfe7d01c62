"""Numbers as a reader sees them: scores, changes, intervals, money, time, tokens, agreement of judges."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from gate.config.values import OVERALL
from gate.record.comparison import Comparison, State
from gate.record.run import NewSuiteRecord, RunRecord, SuiteRecord
from gate.report.escape import one_line
from gate.values import about_dollars, clipped
from gate.values import counted as counted

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
"""Stands where there is no number."""

_UNIT = re.compile(r"(?<=\d) (?=(?:%|ms|s|min)(?!\w))")

ZERO = 5e-6
"""A score or a change that is nearer to nothing than this is shown as `0.000`, and is no change."""


def unbroken(text: str) -> str:
    """The same with each number held to its unit, so that no line begins with the unit."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def score(value: float | None, places: int = 3) -> str:
    """A mean score in [0, 1] with three decimals."""
    return NOTHING if value is None else _decimals(value, places)


def delta(value: float | None) -> str:
    """A signed change of a score: `+0.024`, `−0.061`, `0.000`."""
    return NOTHING if value is None else _signed(value, 3)


def grade(value: float | None) -> str:
    """A score on a rubric's own scale, with two decimals: `3.85`."""
    return NOTHING if value is None else two_decimals(value)


def grade_delta(value: float | None) -> str:
    """A signed change of such a score: `−0.50`."""
    return NOTHING if value is None else _signed(value, 2)


def grade_from_share(share: float, scale: tuple[float, float], places: int = 1) -> str:
    """A score in [0, 1] as a rubric's scale has it, with one decimal: 0.625 on 1 to 5 is `3.5`."""
    return _decimals(scale[0] + share * (scale[1] - scale[0]), places)


def grade_change(value: float, lower: float | None, upper: float | None) -> str:
    """A change of such a score with its interval, of which None is no bound: `−0.50 [−0.80, −0.20]`."""
    low = f"{MINUS}∞" if lower is None else _signed(lower, 2)
    high = "+∞" if upper is None else _signed(upper, 2)
    return f"{_signed(value, 2)} [{low}, {high}]"


def two_decimals(value: float) -> str:
    """A number with two decimals: `0.62`, `−0.10`."""
    size = _decimals(abs(value), 2)
    return f"{MINUS}{size}" if value < 0 and _is_some(size) else size


def dropped_or_improved(value: float) -> str:
    """A change of a score in words: `dropped by 0.061`, `improved by 0.024`, `did not change`."""
    size = _decimals(abs(value), 3)
    return f"{'dropped' if value < 0 else 'improved'} by {size}" if _is_some(size) else "did not change"


def interval(lower: float | None, upper: float | None) -> str:
    """An interval of a change of a score; None is infinite: `[−0.092, +∞]`."""
    low = f"{MINUS}∞" if lower is None else _signed(lower, 3)
    high = "+∞" if upper is None else _signed(upper, 3)
    return f"[{low}, {high}]"


def percent(fraction: float) -> str:
    """A fraction as an unsigned percentage: 0.025 is `2.5 %`."""
    return f"{_percent_digits(fraction)} %"


def percent_figure(fraction: float) -> str:
    """The same without its unit: `2.5`."""
    return _percent_digits(fraction)


def share(value: float) -> str:
    """A share in [0, 1] with at most one decimal: `62.5 %`, `90 %`; only all is `100 %`, and only none `0 %`."""
    tenths = round(value * 1000)
    tenths = min(tenths, 999) if value < 1 - ZERO else tenths
    tenths = max(tenths, 1) if value > ZERO else tenths
    return f"{tenths / 10:g} %"


def change(fraction: float | None) -> str:
    """A relative change as a signed percentage: 0.034 is `+3.4 %`."""
    return NOTHING if fraction is None else f"{_with_sign(fraction, _percent_digits(fraction))} %"


def change_interval(lower: float | None, upper: float | None) -> str:
    """An interval of a relative change; None is infinite: `[+1.0 %, +∞]`."""
    return f"[{f'{MINUS}∞' if lower is None else change(lower)}, {'+∞' if upper is None else change(upper)}]"


def dollars(amount: float | None) -> str:
    """Dollars with cents; below one dollar two significant digits, however small."""
    return NOTHING if amount is None else about_dollars(amount)


def duration(seconds: float | None) -> str:
    """A length of time: `3.2 ms`, `840 ms`, `1.2 s`, `1 min 15 s`, `2 h 5 min`."""
    if seconds is None:
        return NOTHING
    size = abs(seconds)
    if round(size, 3) < 0.01:
        shown = _decimals(size * 1000, 1)
        return f"{shown} ms" if _is_some(shown) else "0 ms"
    if round(size, 3) < 1:
        return f"{size * 1000:.0f} ms"
    if round(size, 1) < 60:
        return f"{size:.1f} s"
    minutes, rest = divmod(round(size), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


def age(seconds: float) -> str:
    """How long ago something was, in its largest unit: `2 days`, `5 hours`, `12 minutes`, `less than a minute`."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return counted(int(seconds // size), unit)
    return "less than a minute"


def duration_change(seconds: float) -> str:
    """A signed length of time: `+840 ms`, `−1.2 s`."""
    return _with_sign(seconds, duration(seconds))


def duration_interval(lower: float | None, upper: float | None) -> str:
    """An interval of a change of time: `[+90 ms, +∞]`."""
    low = f"{MINUS}∞" if lower is None else duration_change(lower)
    return f"[{low}, {'+∞' if upper is None else duration_change(upper)}]"


def points(value: float) -> str:
    """A difference of two shares in percentage points: −0.71 is `−71`."""
    return _with_sign(value, _percent_digits(value))


def points_interval(lower: float | None, upper: float | None) -> str:
    """An interval of such a difference: `[−72, −70]`."""
    return f"[{f'{MINUS}∞' if lower is None else points(lower)}, {'+∞' if upper is None else points(upper)}]"


def rough_tokens(count: int) -> str:
    """An estimated count with two significant digits: `1,900`."""
    return f"{round(count, -max(0, len(str(abs(count))) - 2)):,}"


def tokens(count: int) -> str:
    """A count with thousands apart: `1,234,567`."""
    return f"{count:,}"


def rough_count(count: int) -> str:
    """A rough count with two significant digits; beyond 10,000 only that."""
    return "more than 10,000" if count > 10_000 else f"about {rough_tokens(count)}"


def rough_figure(count: int) -> str:
    """The same as a figure: `≈ 120`, `> 10,000`."""
    return "> 10,000" if count > 10_000 else f"≈ {rough_tokens(count)}"


def _signed(value: float, places: int) -> str:
    return _with_sign(value, _decimals(abs(value), places))


def _with_sign(value: float, size: str) -> str:
    sign = (MINUS if value < 0 else "+") if _is_some(size) else ""
    return f"{sign}{size}"


def _is_some(shown: str) -> bool:
    return any(digit in shown for digit in "123456789")


def _decimals(value: float, places: int) -> str:
    for finer in (places, places + 2):
        text = f"{value:,.{finer}f}"
        if _is_some(text):
            return text
    return f"{0:.{places}f}"


def _percent_digits(fraction: float) -> str:
    size = abs(fraction) * 100
    if size >= 9.95:
        return f"{size:,.0f}"
    shown = _decimals(size, 1)
    return shown if _is_some(shown) else "0"


def share_interval(value: float, lower: float, upper: float) -> str:
    """A share with its interval: `91 % [86, 95]`."""
    return f"{whole_percent(value)} [{lower * 100:.0f}, {upper * 100:.0f}]"


def whole_percent(share: float) -> str:
    """A share in whole percent; only all is `100 %`, and only none `0 %`."""
    percent = round(share * 100)
    percent = min(percent, 99) if share < 1.0 - ZERO else percent
    return f"{max(percent, 1) if share > ZERO else percent} %"


@dataclass(frozen=True, slots=True)
class Code:
    """A name, path, reference or command inside running text."""

    text: str


Text: TypeAlias = tuple[str | Code, ...]
"""Running text; the plain strings are sentences, which a renderer still has to escape."""


@dataclass(frozen=True, slots=True)
class ShownCases:
    """The cases that a report shows; each renderer says where."""

    words: str = "the cases"


Step: TypeAlias = tuple[str | Code | ShownCases, ...]
"""What to do next."""


def placed(step: Step, where: str) -> Text:
    """The step with the place of the cases: `above`."""
    return tuple(f"{piece.words} {where}" if isinstance(piece, ShownCases) else piece for piece in step)


def groups_text(cases: int, units: int) -> str:
    """`12 groups`, those that count as one independent case each; empty where every case does."""
    return "" if cases == units else counted(units, "group")


def cases_and_groups(cases: str, groups: str) -> str:
    """`30 (12 groups)`."""
    return f"{cases} ({groups})" if groups else cases


LONGEST_NAME = 100
LONGEST_SENTENCE = 300
NAMES_SHOWN = 3
"""Slices that a sentence names; it counts the rest."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class NamedSlice:
    """A comparison and its name.

    Args:
        suite: empty in a run over one suite.
        local: `overall` or `dimension=value`.
    """

    suite: str
    local: str
    record: Comparison

    @property
    def full(self) -> str:
        return f"{self.suite}/{self.local}" if self.suite else self.local

    @property
    def overall(self) -> bool:
        return self.local == OVERALL


AnySuite: TypeAlias = SuiteRecord | NewSuiteRecord


def all_suites(run: RunRecord) -> list[AnySuite]:
    """Compared suites first, then those without a baseline."""
    return [*run.suites, *run.new]


def suite_label(run: RunRecord, suite: SuiteRecord | NewSuiteRecord) -> str:
    """The suite's name where needed; empty in a run over one suite, compared or new."""
    return suite.name if has_several_suites(run) else ""


def has_several_suites(run: RunRecord) -> bool:
    """Whether slices and cases need the name of their suite; new suites count too."""
    return len(run.suites) + len(run.new) > 1


def case_label(run: RunRecord, suite: SuiteRecord | NewSuiteRecord, case: str) -> str:
    """`suite/case` where the suite's name is needed, else `case`."""
    return f"{suite.name}/{case}" if has_several_suites(run) else case


def suite_slices(run: RunRecord, suite: SuiteRecord) -> tuple[NamedSlice, ...]:
    """The comparisons of one suite, `overall` first, in the order of the record."""
    label = suite_label(run, suite)
    records = (suite.quality.overall, *suite.quality.slices)
    # In a run that compares several suites the record carries full names already.
    return tuple(
        NamedSlice(label, record.slice.removeprefix(f"{label}/") if label else record.slice, record)
        for record in records
    )


def run_slices(run: RunRecord) -> tuple[NamedSlice, ...]:
    """All comparisons of all suites."""
    return tuple(named for suite in run.suites for named in suite_slices(run, suite))


def slices_in_state(slices: Iterable[NamedSlice], state: State) -> tuple[NamedSlice, ...]:
    """Slices in this state, the worst first."""
    return tuple(sorted((named for named in slices if named.record.state is state), key=worst_first))


def worst_slice(run: RunRecord) -> NamedSlice | None:
    """The most important slice: of those that can block the lowest upper bound, else the lowest mean change."""
    known = [named for named in run_slices(run) if named.record.mean is not None]
    tested = [named for named in known if named.record.blocking and named.record.upper is not None]
    return min(tested or known, key=worst_first if tested else _mean_first, default=None)


def worst_first(named: NamedSlice) -> tuple[float, float, bool, str]:
    """Sorts by upper bound, then mean change, then the automatic `length` behind chosen slices."""
    upper, mean = named.record.upper, named.record.mean
    automatic = named.local.startswith("length=")
    return (math.inf if upper is None else upper, math.inf if mean is None else mean, automatic, named.full)


def movement(record: Comparison) -> str:
    """`dropped by 0.417, from 0.806 to 0.389`: the same words in all outputs."""
    known = record.baseline is not None and record.candidate is not None
    scores = f", from {score(record.baseline)} to {score(record.candidate)}" if known else ""
    return f"{dropped_or_improved(record.mean or 0.0)}{scores}"


def drop_sentence(record: Comparison, called: str) -> str:
    """A sentence on a regression or a suspect slice: `lang=de is suspect: it dropped by …, not significant`."""
    if record.state is State.SUSPECT:
        return f"{called} is suspect: it {movement(record)}; the drop is not statistically significant"
    return f"{called} {movement(record)}"


def is_unmoved(named: NamedSlice) -> bool:
    """There are enough cases, and no score changed in any, so there is no spread for an interval."""
    return named.record.state is State.NOISE and named.record.moved == 0


def is_tolerated(named: NamedSlice) -> bool:
    """The interval lies below zero, but the drop is not shown to exceed the margin."""
    record = named.record
    return record.state is State.NOISE and record.upper is not None and record.upper < 0.0


def is_within_margin(named: NamedSlice) -> bool:
    """The whole interval lies between minus the margin and zero."""
    lower = named.record.lower
    return is_tolerated(named) and lower is not None and lower >= -named.record.margin


def short_line(text: str, limit: int = LONGEST_NAME) -> str:
    """A name or sentence from outside, on one line and of bounded length."""
    return clipped(one_line(text[: 8 * limit]), limit)


def plain(text: Text) -> str:
    """Running text without its marks, and not escaped."""
    return "".join(part if isinstance(part, str) else part.text for part in text)


def listed(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """`a, b, c and 2 more`."""
    rest = len(names) - most
    return ", ".join(map(short_line, names[:most])) + (f" and {rest:,} more" if rest > 0 else "")


def listed_code(names: Sequence[str]) -> Text:
    """The same with each name as code."""
    out: list[str | Code] = []
    for name in names[:NAMES_SHOWN]:
        out += [", " if out else "", Code(short_line(name))]
    rest = len(names) - NAMES_SHOWN
    return (*out, f" and {rest:,} more" if rest > 0 else "")


def in_suite(suite: str) -> Text:
    """` in suite`; empty where no suite is named."""
    return (" in ", Code(short_line(suite))) if suite else ()


def slice_name(named: NamedSlice) -> Code:
    """The full name of a slice, short enough for a sentence."""
    return Code(short_line(named.full))


def slice_names(slices: Sequence[NamedSlice]) -> tuple[str | Code, ...]:
    """The same for slices; advisory ones are marked."""
    out: list[str | Code] = []
    for named in slices[:NAMES_SHOWN]:
        out += [", ", *(["advisory "] if named.record.advisory else []), slice_name(named)]
    rest = len(slices) - NAMES_SHOWN
    return (*out[1:], *((f" and {rest:,} more",) if rest > 0 else ()))


def _mean_first(named: NamedSlice) -> tuple[float, float, bool, str]:
    upper, mean, automatic, name = worst_first(named)
    return (mean, upper, automatic, name)


def shown_and_folded(
    ordered: Iterable[Item], plain: Callable[[Item], bool], shown: int
) -> tuple[list[Item], list[Item]]:
    """Splits items in two: all plain ones but the first `shown` are folded; the order is kept."""
    kept: list[Item] = []
    folded: list[Item] = []
    met = 0
    for item in ordered:
        met += (is_plain := plain(item))
        (folded if is_plain and met > shown else kept).append(item)
    return kept, folded
