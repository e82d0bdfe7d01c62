"""Numbers as a reader sees them: scores, changes, intervals, money, time, tokens, agreement of judges."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gate.values import about_dollars, counted

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


def two_decimals(value: float) -> str:
    """A number with two decimals: `0.62`, `−0.10`."""
    size = _decimals(abs(value), 2)
    return f"{MINUS}{size}" if value < 0 and _is_some(size) else size


def dropped_or_improved(value: float) -> str:
    """A change of a score in words: `dropped by 0.061`, `improved by 0.024`, `did not change`."""
    size = _decimals(abs(value), 3)
    return f"{'dropped' if value < 0 else 'improved'} by {size}" if _is_some(size) else "did not change"


class ScoreChange(Protocol):
    """The change of a mean score in [0, 1] with its interval; a bound of None is infinite."""

    @property
    def baseline(self) -> float | None: ...
    @property
    def mean(self) -> float | None: ...
    @property
    def lower(self) -> float | None: ...
    @property
    def upper(self) -> float | None: ...


def change_bounds(change: ScoreChange) -> tuple[float, float]:
    """The interval without what no score can reach: a score may drop to 0 and rise to 1. It contains the mean."""
    lowest, highest = (-1.0, 1.0) if change.baseline is None else (-change.baseline, 1.0 - change.baseline)
    mean = change.mean or 0.0
    lower = lowest if change.lower is None else max(change.lower, lowest)
    upper = highest if change.upper is None else min(change.upper, highest)
    return min(lower, mean), max(upper, mean)


def score_interval(change: ScoreChange) -> str:
    """The interval of a change of a score: `[−0.092, −0.029]`."""
    lower, upper = change_bounds(change)
    return f"[{delta(lower)}, {delta(upper)}]"


def score_change(change: ScoreChange) -> str:
    """A change of a score with its interval: `−0.061 [−0.092, −0.029]`."""
    return f"{delta(change.mean)} {score_interval(change)}"


def grade_change(change: ScoreChange, steps: float) -> str:
    """The same on a rubric's own scale, which is `steps` wide: `−0.50 [−0.80, −0.20]`."""
    mean, lower, upper = (_signed(value * steps, 2) for value in (change.mean or 0.0, *change_bounds(change)))
    return f"{mean} [{lower}, {upper}]"


@dataclass(frozen=True, slots=True)
class ScoreFigure:
    """A `ScoreChange` of other figures; `baseline` is None where it is not known."""

    mean: float | None
    lower: float | None
    upper: float | None
    baseline: float | None = None


def unchanged_cases(cases: int, undetected: float) -> str:
    """`0 of 24 cases changed; at most 14.2 % would`: in place of an interval."""
    return f"0 of {counted(cases, 'case')} changed; at most {share(undetected)} would"


def with_interval(shown: str, lower: float | None, upper: float | None, text: Callable[[float], str]) -> str:
    """A figure with its interval; a bound of None is infinite: `+3.4 % [+1.1 %, +5.8 %]`, `+3.4 %, at least +1.1 %`.

    Args:
        shown: the figure.
        text: writes a bound.
    """
    if lower is not None and upper is not None:
        return f"{shown} [{text(lower)}, {text(upper)}]"
    if lower is not None:
        return f"{shown}, at least {text(lower)}"
    return f"{shown}, no interval" if upper is None else f"{shown}, at most {text(upper)}"


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


def relative_change(value: float, lower: float | None, upper: float | None) -> str:
    """A relative change with its interval: `+3.4 % [+1.1 %, +5.8 %]`."""
    return with_interval(change(value), lower, upper, change)


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


def points(value: float) -> str:
    """A difference of two shares in percentage points: −0.71 is `−71`."""
    return _with_sign(value, _percent_digits(value))


def points_interval(value: float, lower: float | None, upper: float | None) -> str:
    """Such a difference with its interval: `−71 [−72, −70]`."""
    return with_interval(points(value), lower, upper, points)


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
    low, high = (min(max(bound, 0.0), 1.0) * 100 for bound in (lower, upper))
    return f"{whole_percent(value)} [{low:.0f}, {high:.0f}]"


def whole_percent(share: float) -> str:
    """A share in whole percent; only all is `100 %`, and only none `0 %`."""
    percent = round(share * 100)
    percent = min(percent, 99) if share < 1.0 - ZERO else percent
    return f"{max(percent, 1) if share > ZERO else percent} %"
