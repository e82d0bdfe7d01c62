from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from gate.store.sql.accounts import Accounts, First
from sqlalchemy import inspect, text

from gate.domain.api_token import Scope
from gate.domain.history import Context, RunFilter
from gate.domain.people import Actor, Event, EventFilter, Role
from gate.domain.stored_suite import Archive, CaseFilter, Page, Put
from gate.errors import CannotEvaluate, GateError
from gate.store.sql import migrating
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.store.sql.retention import Limits, last_removal, prune
from gate.store.sql.run_insights import Insights
from gate.store.sql.runs import Runs
from gate.store.sql.suite_edits import By
from gate.store.sql.suites import Suites
from gate.store.sql.tables import metadata
from gate.store.sql.tokens import Tokens, Wish
from tests.golden.runs import runs as golden

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
REVISIONS = migrating.revisions()


def tables(database: Database) -> set[str]:
    return database.read(lambda db: set(inspect(db).get_table_names()) - {"alembic_version"})


def test_the_tables_are_those_that_the_program_knows(database: Database) -> None:
    assert migrating.current(database) == migrating.newest() == REVISIONS[-1]
    assert tables(database) == set(metadata.tables)
    assert database.read(lambda db: compare_metadata(MigrationContext.configure(db), metadata)) == []


def test_upward_step_by_step_and_back(empty: Database) -> None:
    seen = []
    for revision in REVISIONS:
        migrating.upgrade(empty, revision)
        assert migrating.current(empty) == revision
        seen.append(tables(empty))
    for revision, known in zip(reversed(REVISIONS[:-1]), reversed(seen[:-1]), strict=True):
        migrating.downgrade(empty, revision)
        assert (migrating.current(empty), tables(empty)) == (revision, known)
    migrating.downgrade(empty, "base")
    assert (migrating.current(empty), tables(empty)) == (None, set())


def test_what_the_older_tables_hold_survives_both_ways(database: Database) -> None:
    """Suites are older than runs: back at the first revision they are all there, and runs can be kept once more."""
    suites, runs = Suites(database), Runs(database)
    by = By("Ann", NOW)
    suites.change("support", [Put("a", {"id": "a", "input": "Where?"}, {"tier": "x"}, "Where?")], by)
    suites.change("support", [Put("a", {"id": "a", "input": "When?"}, {"tier": "y"}, "When?", 1)], by)
    before = suites.history("support"), suites.case("support", "a"), suites.dimensions("support")
    run = next(iter(golden().values()))
    runs.add(run, (), Context(), NOW)
    migrating.downgrade(database, "0001")
    migrating.upgrade(database)
    assert (suites.history("support"), suites.case("support", "a"), suites.dimensions("support")) == before
    assert len(suites.cases("support", CaseFilter(), Page())) == 1
    assert runs.rows(RunFilter(), Page()) == ()
    assert runs.record(runs.add(run, (), Context(), NOW).id) == run


def test_what_judges_agreed_on_is_taken_from_the_runs_that_are_there(database: Database) -> None:
    runs, insights = Runs(database), Insights(database)
    for record in golden().values():
        runs.add(record, (), Context(), NOW)
    names = runs.suites()
    before = [insights.judges(name, 99) for name in names]
    assert sum(map(len, before)) > 3
    migrating.downgrade(database, "0002")
    kept = text("SELECT count(*) FROM runs")
    assert database.read(lambda db: db.execute(kept).scalar_one()) == len(golden())
    migrating.upgrade(database)
    assert [insights.judges(name, 99) for name in names] == before


def test_runs_that_lost_their_texts_stay_when_nobody_knows_when(database: Database) -> None:
    runs = Runs(database)
    id = runs.add(next(iter(golden().values())), (), Context(), NOW).id
    assert prune(database, Limits(outputs=NOW), NOW).texts == 1
    record = runs.record(id)
    migrating.downgrade(database, "0003")
    migrating.upgrade(database)
    row = runs.row(id)
    assert row is not None
    assert (row.forgotten, runs.record(id)) == (None, record)
    assert last_removal(database) is None


def test_tokens_come_with_a_revision_of_their_own_and_go_with_it(database: Database) -> None:
    """Back before them nothing else is lost, and nobody's old token opens the store again."""
    tokens = Tokens(database)
    Suites(database).change("support", [Put("a", {"id": "a", "input": "Where?"})], By("Ann", NOW))
    issued = tokens.create(Wish("ci", "Ann", frozenset(Scope)), NOW)
    assert tokens.find(issued.secret, NOW) is not None
    migrating.downgrade(database, "0003")
    assert "api_tokens" not in tables(database)
    migrating.upgrade(database)
    assert (tokens.find(issued.secret, NOW), tokens.all()) == (None, ())
    assert Suites(database).newest("support") is not None
    assert tokens.find(tokens.create(Wish("ci", "Ann", frozenset(Scope)), NOW).secret, NOW) is not None


def test_people_come_and_go_with_their_tables_and_nothing_else_does(database: Database) -> None:
    accounts, by = Accounts(database), Actor("Ann", "", NOW)
    Suites(database).change("support", [Put("a", {"id": "a"})], By("Ann", NOW))
    accounts.add("Ann", Role.ADMIN, First("correct horse battery"), by)
    suites = Suites(database).names()
    migrating.downgrade(database, "0003")
    assert Suites(database).names() == suites
    migrating.upgrade(database)
    assert (accounts.all(), Audit(database).events(EventFilter(), Page()), Suites(database).names()) == ((), (), suites)
    Audit(database).add(Event("login"), by)
    assert accounts.add("Ann", Role.ADMIN, First("correct horse battery"), by).name == "Ann"


def test_names_are_taken_from_the_cases_and_runs_that_are_there(database: Database) -> None:
    suites, by = Suites(database), By("Ann", NOW)
    suites.change("support", [Put("a", {"id": "a", "name": "x"}), Put("b", {"name": "b"})], by)
    suites.change("support", [Put("new", {"id": "new"}, base=1, was="a")], by)
    suites.change("support", [Put("c", {"name": "c"}, base=1, was="b"), Archive("new", 2)], by)
    record = next(one for one in golden().values() if one.suites)
    exam = record.suites[0].exam.model_copy(update={"store": "store:support@2"})
    asked = record.suites[0].model_copy(update={"exam": exam})
    Runs(database).add(record.model_copy(update={"suites": [asked, *record.suites[1:]]}), (), Context(), NOW)
    case = asked.cases[0].id
    before = [suites.renamed("support", name) for name in ("a", "b", "x")]
    seen = Insights(database).runs_of("support", (case,), 9)
    assert (before, [one.suite for one in seen]) == (["new", "c", None], [asked.name])
    kept = text("SELECT name FROM case_versions ORDER BY id")
    names = database.read(lambda db: db.execute(kept).scalars().all())
    migrating.downgrade(database, "0006")
    migrating.upgrade(database)
    assert database.read(lambda db: db.execute(kept).scalars().all()) == names == ["a", "b", "new", "c", "new"]
    assert [suites.renamed("support", name) for name in ("a", "b", "x")] == before
    assert Insights(database).runs_of("support", (case,), 9) == seen


def test_upgrading_what_is_up_to_date_changes_nothing(database: Database) -> None:
    Suites(database).change("support", [Put("a", {"id": "a"})], By("Ann", NOW))
    migrating.upgrade(database)
    assert Suites(database).newest("support") is not None


def test_servers_that_start_at_once_make_the_tables_once(empty: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrating.upgrade(empty), range(4)))
    assert tables(empty) == set(metadata.tables)


def test_a_store_of_a_newer_version_is_refused(database: Database) -> None:
    database.write(lambda db: db.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(GateError, match="newer version of Prompt Gate"):
        migrating.upgrade(database)
    assert tables(database) == set(metadata.tables)


def test_a_migration_that_fails_leaves_no_trace(empty: Database) -> None:
    """In the way of the second one stands a table that is not ours."""
    migrating.upgrade(empty, "0001")
    empty.write(lambda db: db.execute(text("CREATE TABLE samples (id INTEGER)")))
    known = tables(empty)
    with pytest.raises(Exception, match="samples"):
        migrating.upgrade(empty)
    assert (migrating.current(empty), tables(empty)) == ("0001", known)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "none of a database"),
        ("mysql://root@host/db", "none of a Postgres or SQLite database"),
        ("sqlite://", "none of a Postgres or SQLite database"),
        ("postgresql://user:s3cret@[::1", "none of a database"),
    ],
)
def test_an_address_of_no_database_is_refused(url: str, said: str) -> None:
    with pytest.raises(GateError, match=said) as told:
        Database(url)
    assert "s3cret" not in f"{told.value.message} {told.value.hint}"


@pytest.mark.parametrize(
    "address",
    [
        lambda folder: "postgresql://user:s3cret@127.0.0.1:9/none",
        lambda folder: f"sqlite:///{folder}/no/such/folder/gate.db",
    ],
)
def test_a_database_that_is_away_is_told_without_its_password(tmp_path: Path, address: Callable[[Path], str]) -> None:
    database = Database(address(tmp_path))
    with pytest.raises(CannotEvaluate, match="does not answer") as told:
        migrating.upgrade(database)
    assert "s3cret" not in f"{told.value.message} {told.value.hint}"
