"""Statistics over many runs of a store: cases over time, judges, override labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, case, func, select, union_all

from gate.cases.stored import Page
from gate.record.comparison import Verdict
from gate.record.history import Agreement, CaseInRun, CaseOverTime, JudgeOverTime, OverrideRow
from gate.record.transcript import ArmName
from gate.store.sql import tables
from gate.store.sql.database import Database, of_row
from gate.store.sql.runs import listed, newest_of, older_than, run_columns

Question: TypeAlias = Literal["flaky", "mute"]
SAME = 1e-9
"""Means that differ by less are the same."""
ENOUGH = 2
"""Runs that it takes to say that a case never tells the arms apart."""
_RUN = tables.runs.c
_RESULT = tables.case_results.c
_SUITE = tables.run_suites.c
_LABEL = tables.overrides.c


@dataclass(frozen=True, slots=True)
class Insights:
    """Statistics over the runs of a store."""

    database: Database

    def slices(self, suite: str, last: int) -> tuple[tuple[str, str], ...]:
        """Each axis and slice in the newest runs of a suite."""
        newest, figure = newest_of(suite, last), tables.figures.c
        found = select(figure.axis, figure.slice).distinct().join(newest, newest.c.id == figure.suite_id)
        ordered = found.order_by(figure.axis, figure.slice)
        return self.database.read(lambda db: tuple((row.axis, row.slice) for row in db.execute(ordered)))

    def cases(self, suite: str, last: int, question: Question, most: int) -> tuple[CaseOverTime, ...]:
        """Cases of the newest runs of a suite.

        Args:
            question: `flaky` for cases whose scores vary within a run, by variance; `mute` for cases with the same
                score in both arms of every run, by number of runs.
        """
        over = _over_time(newest_of(suite, last))
        if question == "flaky":
            wanted = select(over).where(over.c.squares > SAME).order_by((over.c.squares / over.c.free).desc())
        else:
            same = over.c.spread < SAME, over.c.paired == over.c.runs, over.c.runs >= ENOUGH
            wanted = select(over).where(*same).order_by(over.c.runs.desc(), over.c.lowest)
        found = wanted.order_by(over.c.case).limit(most)
        return self.database.read(lambda db: tuple(map(_case, db.execute(found))))

    def runs_of(self, suite: str, names: Sequence[str], most: int) -> tuple[CaseInRun, ...]:
        """Results of one case in the newest runs of a suite of the store, newest first.

        Args:
            suite: its name in the store; runs may use another one, or take it from a file of that name.
            names: all names of the case over time.
            most: limit of suites of runs, also counting those without the case.
        """
        newest = _suites_using(suite, most)
        arms = (func.max(_mean_of(arm)).label(arm.value) for arm in (ArmName.BASELINE, ArmName.CANDIDATE))
        found = (
            select(newest.c.run_id, newest.c.name, _RESULT.case, newest.c.created, _RUN.verdict, *arms)
            .join(tables.case_results, _RESULT.suite_id == newest.c.id)
            .join(tables.runs, _RUN.id == newest.c.run_id)
            .where(_RESULT.case.in_(names))
            .group_by(newest.c.run_id, newest.c.name, _RESULT.case, newest.c.created, _RUN.verdict)
            .order_by(newest.c.created.desc(), newest.c.run_id.desc(), newest.c.name)
        )
        rows = self.database.read(lambda db: db.execute(found).all())
        return tuple(
            CaseInRun(run, name, case, created, Verdict(verdict), *means)
            for run, name, case, created, verdict, *means in rows
        )

    def judges(self, suite: str, last: int) -> tuple[JudgeOverTime, ...]:
        """Agreement of judges in the newest runs of a suite, newest first."""
        newest, columns = newest_of(suite, last), tables.agreements.c
        found = select(tables.agreements, newest.c.run_id, newest.c.created).join(
            newest, newest.c.id == columns.suite_id
        )
        ordered = found.order_by(columns.scorer, columns.kind, newest.c.created.desc(), newest.c.run_id.desc())
        return self.database.read(lambda db: tuple(map(_judge, db.execute(ordered))))

    def overrides(self, page: Page) -> tuple[OverrideRow, ...]:
        """Override labels, newest runs first.

        Args:
            page: `after` is the id of the last run of the previous page; 0 for the first page.
        """
        columns = (_LABEL.label, _LABEL.set_by, _LABEL.set_at, _LABEL.role, _LABEL.reason, _LABEL.counted)
        named = _LABEL.commit.label("label_commit")
        found = run_columns(*columns, named, _LABEL.why_not).join(tables.overrides, _LABEL.run_id == _RUN.id)
        found = older_than(found, page.after).order_by(_RUN.created.desc(), _RUN.id.desc()).limit(page.size)
        return self.database.read(lambda db: _overrides(db, found))


def _suites_using(suite: str, most: int) -> Subquery:
    """The newest suites of runs with cases from a suite of the store, or from a file of that name."""
    # A comparison with an empty text would use the wrong index: it matches many rows, and the name is selective.
    from_file = func.length(_SUITE.store) == 0
    parts = (
        select(_SUITE.id, _SUITE.run_id, _SUITE.name, _SUITE.created)
        .where(*wanted)
        .order_by(_SUITE.created.desc())
        .limit(most)
        .subquery()
        for wanted in ((_SUITE.store == suite,), (_SUITE.name == suite, from_file))
    )
    both = union_all(*(select(part) for part in parts)).subquery()
    return select(both).order_by(both.c.created.desc()).limit(most).subquery()


def _over_time(newest: Subquery) -> Subquery:
    """Each case of the newest runs; the arms of one run are combined first."""
    squares = case((_RESULT.n > 1, _RESULT.variance * (_RESULT.n - 1)), else_=0.0)
    free = case((_RESULT.n > 1, _RESULT.n - 1), else_=0)
    run = (
        select(
            _RESULT.case,
            func.min(_RESULT.mean).label("lowest"),
            func.max(_RESULT.mean).label("highest"),
            func.count(_RESULT.mean).label("arms"),
            *(_sum(value, name) for value, name in ((_RESULT.n, "n"), (_RESULT.missing, "missing"))),
            *(_sum(value, name) for value, name in ((squares, "squares"), (free, "free"))),
        )
        .join(newest, newest.c.id == _RESULT.suite_id)
        .group_by(_RESULT.suite_id, _RESULT.case)
        .subquery()
    ).c
    return (
        select(
            run.case,
            func.count(run.lowest).label("runs"),
            _sum(case((run.arms > 1, 1), else_=0), "paired"),
            func.min(run.lowest).label("lowest"),
            func.max(run.highest).label("highest"),
            func.max(run.highest - run.lowest).label("spread"),
            *(_sum(run[name], name) for name in ("n", "missing", "squares", "free")),
        )
        .group_by(run.case)
        .having(func.count(run.lowest) > 0)
        .subquery()
    )


def _mean_of(arm: ArmName) -> ColumnElement[Any]:
    return case((_RESULT.arm == arm.value, _RESULT.mean))


def _sum(value: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    return func.sum(value).label(name)


def _case(row: Row[Any]) -> CaseOverTime:
    variance = row.squares / int(row.free) if row.free else None
    whole = {"paired": int(row.paired), "samples": int(row.n), "missing": int(row.missing)}
    return of_row(CaseOverTime, row, **whole, variance=variance)


def _judge(row: Row[Any]) -> JudgeOverTime:
    return JudgeOverTime(row.run_id, row.created, of_row(Agreement, row))


def _overrides(db: Connection, found: Select[Any]) -> tuple[OverrideRow, ...]:
    rows = db.execute(found).all()
    return tuple(
        of_row(OverrideRow, row, run=run, by=row.set_by, at=row.set_at, commit=row.label_commit)
        for run, row in zip(listed(db, rows), rows, strict=True)
    )
