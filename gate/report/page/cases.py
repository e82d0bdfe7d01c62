"""All cases of a run for the page, and the answers of those that tell most."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from gate.record.parts import CaseState
from gate.record.run import CaseRecord, NewCaseRecord, RunRecord
from gate.record.sample import mean_score
from gate.report import numbers
from gate.report.page.samples import ArmSpread, GatheredSamples, Key, all_suites, most_telling_cases
from gate.report.side_by_side import SideBySide, case_side_by_side, sparing_marks
from gate.report.view.cases import CaseFilter, case_table
from gate.report.view.cases import CaseRow as Figures
from gate.report.view.checks import case_row
from gate.report.view.slices import has_several_suites, short_line

ROWS = 2_000
"""Of all lists together; the most telling cases are kept."""
ROW_CHARS = 500_000
"""Of the names and slices in all rows."""
CHOICES = 300
"""Slices to choose from."""
WORDS = {
    "worse": "fell",
    "better": "rose",
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
        state: `fell`, `rose`, `same`, `failed`, `passed`, `no score`.
        order: change (or score), cost and latency as numbers to sort by; empty where there are none.
        cost, latency: change as text.
        chosen: the numbers of its slices in `CaseList.slices`.
        missing: samples without a score.
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
    """The cases of all compared suites, or of all that stand alone.

    Args:
        alone: there is one arm.
        rows: the most telling cases first.
        slices: those that a reader can choose.
        states: the states that occur.
        priced, timed: there are changes of cost, or of latency.
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
        left_out: answers that are not on the page.
        said: what the scorers of a check say.
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
    _records: dict[Key, CaseRecord | NewCaseRecord] = field(init=False)
    _figures: dict[Key, Figures] = field(init=False)

    def __post_init__(self) -> None:
        self._records = {(suite.name, case.id): case for suite in all_suites(self.run) for case in suite.cases}
        tables = (case_table(self.run, suite.name, CaseFilter()) for suite in all_suites(self.run))
        self._figures = {(table.suite, row.id): row for table in tables if table is not None for row in table.rows}
        able = (key for key in self.gathered.answers if self._can_open(key))
        self.numbers = {key: number for number, key in enumerate(able, 1)}

    def _can_open(self, key: Key) -> bool:
        case = self._records[key]
        if self.gathered.answers[key].samples or case.input is not None:
            return True
        return bool(case.outputs if isinstance(case, NewCaseRecord) else case.baseline_outputs + case.candidate_outputs)

    def opened(self) -> Iterator[OpenedCase]:
        """The cases with their answers, the most telling first; each is built only when it is asked for."""
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
        kept = list(takewhile(_Room(self._figures, ROW_CHARS), most_telling_cases(self.run)[:ROWS]))
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
    def _change(spreads: Mapping[str, ArmSpread], key: Key) -> float | None:
        spread = spreads.get(key[0])
        pair = None if spread is None else spread.pair(key)
        return None if pair is None else pair[1] / pair[0] - 1.0


@dataclass(slots=True)
class _Room:
    """Tells whether there is room for one more row, by all rows so far."""

    figures: Mapping[Key, Figures]
    left: int

    def __call__(self, key: Key) -> bool:
        self.left -= len(self.figures[key].name) + len(self.figures[key].slices)
        return self.left >= 0


def _state(case: CaseRecord | NewCaseRecord, figures: Figures) -> str:
    if isinstance(case, NewCaseRecord):
        if case.check is not None:
            return CHECKED[case.check.state]
        return {"worse": "failed", "better": "passed"}.get(figures.outcome, "no score")
    return WORDS[figures.outcome]


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
