"""Running text with names in it, and the slices of a run under their full names."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from gate.config.policy import OVERALL
from gate.record.comparison import Comparison, State
from gate.record.run import NewSuiteRecord, RunRecord, SuiteRecord
from gate.report import numbers
from gate.report.escape import one_line


@dataclass(frozen=True, slots=True)
class Code:
    """A name, path, reference or command inside running text."""

    text: str


Text: TypeAlias = tuple[str | Code, ...]
"""Running text; the plain strings are sentences, which a renderer still has to escape."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line on how the verdict was reached; `brief` ones are also in the shortest report."""

    label: str
    text: Text
    brief: bool = False


LONGEST_NAME = 100
LONGEST_SENTENCE = 300
NAMES_SHOWN = 3
"""Slices that a sentence names before it counts the rest."""

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
    """`fell by 0.417, from 0.806 to 0.389`: the same words in all outputs."""
    known = record.baseline is not None and record.candidate is not None
    scores = f", from {numbers.score(record.baseline)} to {numbers.score(record.candidate)}" if known else ""
    return f"{numbers.fell_or_rose(record.mean or 0.0)}{scores}"


def fall_sentence(record: Comparison, called: str) -> str:
    """A sentence on a slice that fell, or may have: `lang=de is suspect: it fell by …, which is not beyond doubt`."""
    if record.state is State.SUSPECT:
        return f"{called} is suspect: it {movement(record)}, which is not beyond doubt"
    return f"{called} {movement(record)}"


def is_unmoved(named: NamedSlice) -> bool:
    """Enough cases were asked, and no score changed in any: there is no spread for an interval."""
    return named.record.state is State.NOISE and named.record.moved == 0


def is_tolerated(named: NamedSlice) -> bool:
    """It fell for certain, and is not shown to have fallen by more than its margin."""
    record = named.record
    return record.state is State.NOISE and record.upper is not None and record.upper < 0.0


def is_within_margin(named: NamedSlice) -> bool:
    """It fell for certain, and for certain by no more than its margin."""
    lower = named.record.lower
    return is_tolerated(named) and lower is not None and lower >= -named.record.margin


def short_line(text: str, limit: int = LONGEST_NAME) -> str:
    """A name or sentence from outside, on one line and of bounded length."""
    text = one_line(text[: 8 * limit])
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def plain(text: Text) -> str:
    """Running text without its marks, and not escaped."""
    return "".join(part if isinstance(part, str) else part.text for part in text)


def listed(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """`a, b, c and 2 more`."""
    rest = len(names) - most
    return ", ".join(map(short_line, names[:most])) + (f" and {rest:,} more" if rest > 0 else "")


def listed_code(names: Sequence[str], most: int = NAMES_SHOWN) -> Text:
    """The same with each name as code."""
    out: list[str | Code] = []
    for name in names[:most]:
        out += [", " if out else "", Code(short_line(name))]
    rest = len(names) - most
    return (*out, f" and {rest:,} more" if rest > 0 else "")


def slice_name(named: NamedSlice) -> Code:
    """The full name of a slice, short enough for a sentence."""
    return Code(short_line(named.full))


def slice_names(slices: Sequence[NamedSlice]) -> tuple[str | Code, ...]:
    """The same of slices, with a word for those that never block."""
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
