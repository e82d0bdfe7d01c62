"""The cases of a run on the page, with their answers, times and costs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import itemgetter
from statistics import fmean
from typing import TypeAlias

from gate import numbers
from gate.record.parts import CaseState, TranscriptRecord
from gate.record.run import CaseRecord, NewCaseRecord, RunRecord
from gate.record.transcript import ArmName, Sample, mean_score
from gate.report.explain import SideBySide, case_side_by_side, sparing_marks
from gate.report.slices import all_suites, has_several_suites, short_line
from gate.report.view.cases import AnyCase, case_figures
from gate.report.view.cases import CaseRow as Figures
from gate.report.view.pass_rates import case_row

Key: TypeAlias = tuple[str, str]
"""Suite and case."""
_RISES = 3
"""Of four cases this many dropped, as long as there are such; the fourth improved."""


def most_changed_cases(run: RunRecord) -> list[Key]:
    """All cases: those that dropped or have no score first, with some that improved among them; unchanged ones last."""
    falls: list[tuple[float, Key]] = []
    rises: list[tuple[float, Key]] = []
    still: list[tuple[float, Key]] = []
    for suite in run.suites:
        for case in suite.cases:
            weight, delta = _weight(case), case.delta or 0.0
            target = still if weight == 0 else rises if delta > numbers.ZERO else falls
            target.append((-weight, (suite.name, case.id)))
    for new in run.new:
        for alone in new.cases:
            (falls if (weight := _short_of(alone)) else still).append((-weight, (new.name, alone.id)))
    # Equal ones stay in the order of the file.
    falls.sort(key=itemgetter(0))
    rises.sort(key=itemgetter(0))
    return [*_mixed(falls, rises), *(key for _, key in still)]


def _weight(case: CaseRecord) -> float:
    """How far it moved; 0.5 where it did not and a score is missing."""
    missing = None in case.baseline or None in case.candidate
    moved = abs(case.delta or 0.0)
    return moved if moved > numbers.ZERO else 0.5 if missing or case.delta is None else 0.0


def _short_of(case: NewCaseRecord) -> float:
    """How far a case without a baseline is from passing."""
    if case.check is not None:
        if case.check.state is CaseState.PASSED:
            return 0.0
        return 1.0 if case.check.score is None else 1.5 - case.check.score
    known = [float(one) for one in case.passed if one is not None]
    return 1.0 - fmean(known) if known else 0.5


def _mixed(falls: Sequence[tuple[float, Key]], rises: Sequence[tuple[float, Key]]) -> list[Key]:
    out, up = list[Key](), iter(rises)
    for place, (_, key) in enumerate(falls, 1):
        out.append(key)
        if place % _RISES == 0 and (rise := next(up, None)) is not None:
            out.append(rise[1])
    return [*out, *(key for _, key in up)]


SHOWN = 100
"""Cases whose answers the page shows, at most."""


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One figure of both arms: every value, in seconds or dollars, and by case the means of both arms."""

    values: Mapping[ArmName, Sequence[float]]
    pairs: Mapping[Key, tuple[float, float]] = field(default_factory=dict)


@dataclass(slots=True)
class KeptAnswers:
    """The answers of one case, each with its conversation."""

    samples: list[Sample] = field(default_factory=list)
    transcripts: dict[int, TranscriptRecord | None] = field(default_factory=dict)
    left_out: int = 0


@dataclass(slots=True)
class GatheredSamples:
    """What was taken from the samples.

    Args:
        seconds, dollars: by suite; only answers that were newly requested, without the first of each arm.
        answers: of the cases that changed most, in that order.
    """

    seconds: dict[str, ArmFigures] = field(default_factory=dict)
    dollars: dict[str, ArmFigures] = field(default_factory=dict)
    answers: dict[Key, KeptAnswers] = field(default_factory=dict)
    seen: int = 0
    scored: int = 0
    strange: int = 0
    chars: int = 0


def no_samples(run: RunRecord, cases: int = SHOWN) -> GatheredSamples:
    """What there is to begin with: the cases whose answers can be shown."""
    return GatheredSamples(answers={key: KeptAnswers() for key in most_changed_cases(run)[:cases]})


def _cases(run: RunRecord) -> Iterator[tuple[Key, AnyCase]]:
    for suite in all_suites(run):
        for case in suite.cases:
            yield (suite.name, case.id), case


ROWS = 2_000
"""Of all lists together; those that changed most are kept."""
ROW_CHARS = 500_000
"""Of the names and slices in all rows."""
CHOICES = 300
"""Slices to choose from."""
WORDS = {
    "worse": "dropped",
    "better": "improved",
    "same": "same",
    "unknown": "no score",
}
CHECKED = {CaseState.FAILED: "failed", CaseState.PASSED: "passed", CaseState.UNSCORED: "no score"}


@dataclass(frozen=True, slots=True)
class CaseListRow:
    """One case.

    Args:
        number: None where its answers are not on the page.
        name: with the suite in front where there are several.
        state: `dropped`, `improved`, `same`, `failed`, `passed`, `no score`.
        order: change (or score), cost and latency as numbers to sort by; empty where there are none.
        chosen: the numbers of its slices in `CaseList.slices`.
    """

    number: int | None
    name: str
    figures: Figures
    state: str
    order: Mapping[str, str]
    cost: str
    latency: str
    chosen: str
    missing: int


@dataclass(frozen=True, slots=True)
class CaseList:
    """The cases of all compared suites, or of all without a baseline.

    Args:
        rows: the cases that changed most first.
    """

    title: str
    alone: bool
    rows: tuple[CaseListRow, ...]
    total: int
    slices: tuple[str, ...]
    states: tuple[str, ...]
    priced: bool
    timed: bool


@dataclass(frozen=True, slots=True)
class OpenedCase:
    """One case with its answers.

    Args:
        title: with the suite in front where there are several.
    """

    number: int
    title: str
    view: SideBySide
    left_out: int
    said: tuple[str, ...] = ()


@dataclass(slots=True)
class CasesView:
    """The cases of a run, for the page; `numbers` has those whose answers can be shown."""

    run: RunRecord
    gathered: GatheredSamples
    numbers: dict[Key, int] = field(init=False)
    _records: dict[Key, AnyCase] = field(init=False)
    _figures: dict[Key, Figures] = field(init=False)

    def __post_init__(self) -> None:
        self._records = dict(_cases(self.run))
        self._figures = {key: case_figures(case) for key, case in self._records.items()}
        able = (key for key in self.gathered.answers if self._can_open(key))
        self.numbers = {key: number for number, key in enumerate(able, 1)}

    def _can_open(self, key: Key) -> bool:
        case = self._records[key]
        if self.gathered.answers[key].samples or case.input is not None:
            return True
        return bool(case.outputs if isinstance(case, NewCaseRecord) else case.baseline_outputs + case.candidate_outputs)

    def opened(self) -> Iterator[OpenedCase]:
        """The cases with their answers, those that changed most first; each is built only when it is needed."""
        for key, number in self.numbers.items():
            kept, case = self.gathered.answers[key], self._records[key]
            said: tuple[str, ...] = ()
            if isinstance(case, NewCaseRecord) and case.check is not None:
                said = case_row(case, case.check).lines
            view = case_side_by_side(case, kept.samples, kept.transcripts)
            view = replace(view, pairs=tuple(map(sparing_marks, view.pairs)))
            yield OpenedCase(number, self._name(key), view, kept.left_out, said)

    def lists(self, shown: int) -> tuple[CaseList, ...]:
        """The tables of cases; the first `shown` cases have their answers on the page."""
        keys = most_changed_cases(self.run)[:ROWS]
        chars = accumulate(len(self._figures[key].name) + len(self._figures[key].slices) for key in keys)
        kept = [key for key, total in zip(keys, chars, strict=True) if total <= ROW_CHARS]
        compared = {suite.name for suite in self.run.suites}
        found = []
        for alone in (False, True):
            keys = [key for key in kept if (key[0] not in compared) is alone]
            if keys:
                found.append(self._list(keys, alone, shown))
        return tuple(found)

    def _list(self, keys: list[Key], alone: bool, shown: int) -> CaseList:
        suites = self.run.new if alone else self.run.suites
        counts: dict[str, int] = {}
        for key in keys:
            for pair in self._records[key].slices.items():
                name = "=".join(pair)
                counts[name] = counts.get(name, 0) + 1
        names = sorted(sorted(counts, key=lambda name: -counts[name])[:CHOICES])
        places = {name: str(place) for place, name in enumerate(names)}
        rows = tuple(self._row(key, places, shown) for key in keys)
        check = "Cases of the check" if self.run.kind == "check" else "Cases of new prompts"
        return CaseList(
            title=check if alone else "Cases",
            alone=alone,
            rows=rows,
            total=sum(len(suite.cases) for suite in suites),
            slices=tuple(map(short_line, names)),
            states=tuple(dict.fromkeys(row.state for row in rows)),
            priced=any(row.order["cost"] for row in rows),
            timed=any(row.order["latency"] for row in rows),
        )

    def _row(self, key: Key, places: Mapping[str, str], shown: int) -> CaseListRow:
        case, figures = self._records[key], self._figures[key]
        number = self.numbers.get(key)
        cost, latency = self._change(self.gathered.dollars, key), self._change(self.gathered.seconds, key)
        delta = mean_score(case.scores) if isinstance(case, NewCaseRecord) else case.delta
        chosen = " ".join(places[name] for name in map("=".join, case.slices.items()) if name in places)
        return CaseListRow(
            number=number if number is not None and number <= shown else None,
            name=self._name(key),
            figures=figures,
            state=_state(case, figures),
            order={"change": _plain(delta), "cost": _plain(cost), "latency": _plain(latency)},
            cost=numbers.change(cost),
            latency=numbers.change(latency),
            chosen=chosen,
            missing=figures.missing,
        )

    def _name(self, key: Key) -> str:
        return f"{short_line(key[0])}/{short_line(key[1])}" if has_several_suites(self.run) else short_line(key[1])

    @staticmethod
    def _change(figures: Mapping[str, ArmFigures], key: Key) -> float | None:
        own = figures.get(key[0])
        pair = None if own is None else own.pairs.get(key)
        return None if pair is None else pair[1] / pair[0] - 1.0


def _state(case: AnyCase, figures: Figures) -> str:
    if isinstance(case, NewCaseRecord):
        if case.check is not None:
            return CHECKED[case.check.state]
        return {"worse": "failed", "better": "passed"}.get(figures.outcome, "no score")
    return WORDS[figures.outcome]


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
