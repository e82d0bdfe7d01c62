"""Cases in files and in a store are edited in the same way, and no edit is lost."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.cases.reading import canonical, put_of, read
from gate.cases.stored import Archive, CaseFilter, CaseWrite
from gate.config.values import StoreName
from gate.errors import GateError
from gate.store.case_sets import CaseSet, FileCases, StoreCases, changed_meanwhile, plan_move
from gate.store.sql.database import Database
from gate.store.sql.suites import Authorship, Suites
from tests.support import stores
from tests.support.case_entries import entries

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
EVALS = Path(__file__).parents[3] / "evals"
SLOWLY = settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def store(database: Database, name: str = "support", *, version: int | None = None, new: bool = True) -> StoreCases:
    return StoreCases(Suites(database), StoreName(name, version), lambda what: Authorship("Ann", NOW, what), new)


def move(source: CaseSet, to: CaseSet) -> str:
    found = plan_move([one.entry for one in source.cases() if one.entry is not None], to)
    done = to.change(found.changes(without_others=True), "moved")
    assert isinstance(done, str)
    return done


@stores.ONE
@SLOWLY
@given(data=st.data())
def test_from_file_to_store_to_file_nothing_is_lost(
    database: Database, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = "c.yaml"
    folder, cases = tmp_path_factory.mktemp("cases"), data.draw(entries(file))
    stores.remove_suite(database, "support")
    first = FileCases(str(folder / file))
    first.change([put_of(entry) for entry in cases], "")
    move(first, store(database))
    before = (folder / file).read_bytes()
    second = FileCases(str(folder / f"second-{file}"))
    move(store(database), second)
    found = read((folder / f"second-{file}").read_bytes().decode(), file)
    assert [canonical(case.entry) for case in found] == [canonical(entry) for entry in cases]
    move(store(database), first)
    assert (folder / file).read_bytes() == before


def test_an_example_is_read_back_unchanged(database: Database, tmp_path: Path) -> None:
    file = "dispatcher/golden_transcripts.json"
    path = tmp_path / Path(file).name
    path.write_bytes((EVALS / file).read_bytes())
    found = FileCases(str(path))
    assert move(found, store(database)) == "store:support@1"
    move(store(database), found)
    assert path.read_bytes() == (EVALS / file).read_bytes()
    other = FileCases(str(tmp_path / "other.yaml"))
    move(store(database), other)
    assert [canonical(one.entry or {}) for one in other.cases()] == [
        canonical(one.entry or {}) for one in found.cases()
    ]


@pytest.fixture
def places(database: Database, tmp_path: Path) -> list[tuple[CaseSet, CaseSet]]:
    """The same cases, opened by two people."""
    path = tmp_path / "c.yaml"
    path.write_text("# mine\n- {id: a, input: old, slices: {tier: free}}\n- {id: b, input: y}\n")
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    move(FileCases(str(path)), store(database))
    return [(FileCases(str(path)), FileCases(str(path))), (store(database), store(database))]


@stores.ONE
def test_the_second_editor_of_the_same_case_gets_a_conflict(places: list[tuple[CaseSet, CaseSet]]) -> None:
    for one, other in places:
        mine, hers = one.case("a")[0], other.case("a")[0]
        her_b = other.case("b")[0]
        assert isinstance(one.change([put_of({"id": "a", "input": "mine"}, mine.number)], ""), str)
        clashes = other.change([put_of({"id": "a", "input": "hers"}, hers.number), Archive("b", her_b.number)], "")
        assert isinstance(clashes, tuple)
        assert [clash.change.name for clash in clashes] == ["a"]
        assert changed_meanwhile(clashes[0]).startswith("a was changed ")
        assert "UTC meanwhile" in changed_meanwhile(clashes[0])
        assert [case.name for case in one.cases()] == ["a", "b"]
        assert isinstance(other.change([Archive("b", her_b.number)], ""), str)
        left = other.cases()
        assert [(case.name, (case.entry or {})["input"]) for case in left] == [("a", "mine")]


def test_a_file_gives_a_case_no_name_that_is_taken_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("- {id: a, input: x}\n- {id: b, input: y}\n")
    cases = FileCases(str(file))
    assert cases.case("a")
    file.write_text("- {id: a, input: x}\n- {id: c, input: y}\n")
    for put in (
        CaseWrite("c", {"id": "c", "input": "x"}, base=1, was="a"),
        CaseWrite("d", {"id": "d"}, base=1, was="b"),
    ):
        assert isinstance(cases.change([put], ""), tuple)
    renamed = CaseWrite("d", {"id": "d", "input": "x"}, base=1, was="a")
    assert cases.change([renamed], "") == cases.change([renamed], "") == str(file)
    assert file.read_text() == "- {id: d, input: x}\n- {id: c, input: y}\n"


@stores.ONE
def test_cases_are_found_by_words_and_slices_in_either_place(places: list[tuple[CaseSet, CaseSet]]) -> None:
    for one, _ in places:
        assert [case.name for case in one.cases(CaseFilter(words=("OLD",)))] == ["a"]
        assert [case.name for case in one.cases(CaseFilter(slices={"tier": "free"}))] == ["a"]
        assert one.cases(CaseFilter(words=("old", "y"))) == ()
        assert one.cases(CaseFilter(archived=True)) == one.case("z") == ()


@stores.ONE
def test_an_old_version_is_read_only(database: Database, places: list[tuple[CaseSet, CaseSet]]) -> None:
    (_, _), (one, _) = places
    one.change([Archive("b", 1), put_of({"id": "a", "input": "new"}, 1)], "")
    old = store(database, version=1)
    assert [case.name for case in old.cases()] == ["a", "b"]
    assert [case.name for case in old.cases(CaseFilter(words=("old",)))] == ["a"]
    assert [case.number for case in old.case("a")] == [1]
    with pytest.raises(GateError, match="is a fixed version and cannot be changed"):
        old.change([], "")
    with pytest.raises(GateError, match="there is no store:support@9"):
        store(database, version=9).cases()
    with pytest.raises(GateError, match="has no suite 'suport'") as raised:
        store(database, "suport", new=False).cases()
    assert raised.value.hint == "did you mean 'support'?"


@stores.ONE
def test_a_case_that_was_archived_comes_back_as_its_next_version(
    database: Database, places: list[tuple[CaseSet, CaseSet]]
) -> None:
    (_, _), (one, _) = places
    one.change([Archive("b", 1)], "")
    back = plan_move([{"id": "b", "input": "back"}], one)
    assert [(put.name, put.base) for put in back.new] == [("b", 2)]
    assert isinstance(one.change(back.changes(without_others=False), ""), str)
    assert [version.number for version in one.case("b")] == [3, 2, 1]
