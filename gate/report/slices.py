"""Slices and suites of a run as a reader sees them: their names, their order, the sentences on how they moved."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from gate import values
from gate.config.values import OVERALL
from gate.numbers import (
    dropped_or_improved,
    duration_change,
    score,
    score_change,
    score_interval,
    share,
    unchanged_cases,
    with_interval,
)
from gate.record.comparison import Comparison, Estimate, State
from gate.record.findings.finding import Code, Text
from gate.record.run import NewSuiteRecord, RunRecord, SuiteRecord
from gate.report.escape import one_line
from gate.values import NAMES_SHOWN, clipped, counted


def quality_interval(record: Comparison, alpha: float) -> str:
    """The interval of one slice beside its mean; where no case changed, how many would: `(≤ 14.2 % of cases)`."""
    undetected = record.undetected(alpha)
    return score_interval(record) if undetected is None else f"(≤ {share(undetected)} of cases)"


def quality_change(record: Comparison, alpha: float) -> str:
    """The change of one slice with its interval, or `0 of 24 cases changed; at most 14.2 % would, 97.5 %`."""
    undetected = record.undetected(alpha)
    if undetected is None:
        return score_change(record)
    return f"{unchanged_cases(record.n, undetected)}, {share(1.0 - alpha)}"


def duration_change_interval(change: Estimate) -> str:
    """The same with its interval: `+90 ms [−40 ms, +220 ms]`."""
    return with_interval(duration_change(change.value), change.lower, change.upper, duration_change)


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
    label, quality = suite_label(run, suite), suite.quality
    return tuple(NamedSlice(label, quality.local(record), record) for record in (quality.overall, *quality.slices))


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


def listed(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """`a, b, c and 2 more`, each name on one line and not too long."""
    return values.listed(tuple(map(short_line, names)), most)


def listed_code(names: Sequence[str]) -> Text:
    """The same with each name as code."""
    out: list[str | Code] = []
    for name in names[:NAMES_SHOWN]:
        out += [", " if out else "", Code(short_line(name))]
    return (*out, values.and_more(len(names) - NAMES_SHOWN))


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
    rest = values.and_more(len(slices) - NAMES_SHOWN)
    return (*out[1:], *((rest,) if rest else ()))


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
