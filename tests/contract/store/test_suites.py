from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.cases.stored import Archive, CaseFilter, CaseWrite, Change, Conflict, Page, SuiteVersion
from gate.store.sql.database import Database
from gate.store.sql.suites import Authorship, Suites
from gate.values import JsonValue
from tests.support import stores

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
ANN = Authorship("Ann", NOW, "written by hand")
BOB = Authorship("Bob", NOW)
EVERY, FIRST = CaseFilter(), Page()


@pytest.fixture
def suites(database: Database) -> Suites:
    return Suites(database)


def put(name: str, said: str = "Where is it?", base: int = 0, **slices: str) -> CaseWrite:
    return CaseWrite(name, {"id": name, "input": said}, slices, said, base)


def made(result: SuiteVersion | tuple[Conflict, ...]) -> SuiteVersion:
    assert isinstance(result, SuiteVersion)
    return result


def names(suites: Suites, wanted: CaseFilter = EVERY, page: Page = FIRST) -> list[str]:
    return [listed.version.name for listed in suites.cases("support", wanted, page)]


def test_an_old_version_does_not_change(suites: Suites) -> None:
    first = made(suites.change("support", [put("a", "old"), put("b")], ANN))
    second = made(suites.change("support", [put("a", "new", 1), Archive("b", 1), put("c")], BOB))
    assert [entry["id"] for entry in suites.entries(first)] == ["a", "b"]
    assert [entry["input"] for entry in suites.entries(first)] == ["old", "Where is it?"]
    assert [entry["id"] for entry in suites.entries(second)] == ["a", "c"]
    assert (second.number, second.cases, first.digest != second.digest) == (2, 2, True)
    again = made(suites.change("support", [put("a", "old", 2), put("b", base=2), Archive("c", 1)], ANN))
    assert again.digest == first.digest


@stores.ONE
def test_every_version_of_a_case_has_its_author(suites: Suites) -> None:
    suites.change("support", [put("a", "old")], ANN)
    suites.change("support", [put("a", "new", 1)], BOB)
    suites.change("support", [Archive("a", 2)], ANN)
    history = suites.case("support", "a")
    assert [(one.number, one.author, one.first, one.last) for one in history] == [
        (3, "Ann", 3, None),
        (2, "Bob", 2, 2),
        (1, "Ann", 1, 1),
    ]
    assert [one.entry and one.entry["input"] for one in history] == [None, "new", "old"]
    assert suites.case("support", "b") == ()


def test_a_conflict_is_returned_and_nothing_changes(suites: Suites) -> None:
    suites.change("support", [put("a", "old"), put("b")], ANN)
    suites.change("support", [put("a", "Ann's", 1)], ANN)
    mine = put("a", "Bob's", 1)
    clashes = suites.change("support", [mine, put("b", "Bob's, too", 1)], BOB)
    assert isinstance(clashes, tuple)
    assert [clash.change for clash in clashes] == [mine]
    assert clashes[0].current is not None
    assert (clashes[0].current.author, clashes[0].current.number) == ("Ann", 2)
    assert made(suites.change("support", [], BOB)).number == 2
    assert suites.case("support", "b")[0].number == 1


@stores.ONE
def test_missing_cases_cannot_be_edited(suites: Suites) -> None:
    suites.change("support", [put("a"), put("gone")], ANN)
    suites.change("support", [Archive("a", 1), put("gone", "else", 1)], ANN)
    for change in (put("a", "edited", 1), Archive("gone", 1), put("b", "from nothing", 3)):
        clashes = suites.change("support", [change], BOB)
        assert isinstance(clashes, tuple) and len(clashes) == 1, change


@stores.ONE
def test_a_repeated_change_is_made_once(suites: Suites) -> None:
    work = [put("a"), put("b")]
    first = made(suites.change("support", work, ANN))
    assert made(suites.change("support", work, ANN)) == first
    changed: list[Change] = [put("a", "new", 1), Archive("b", 1)]
    second = made(suites.change("support", changed, ANN))
    assert made(suites.change("support", changed, ANN)) == second
    assert second.number == 2


def renamed(name: str, was: str, base: int) -> CaseWrite:
    return replace(put(name, base=base), was=was)


def test_a_renamed_case_keeps_its_history_and_its_place(suites: Suites) -> None:
    first = made(suites.change("support", [put("a"), put("b"), put("c")], ANN))
    key = suites.case("support", "b")[0].case
    work: list[Change] = [renamed("new", "b", 1)]
    second = made(suites.change("support", work, BOB))
    assert made(suites.change("support", work, BOB)) == second
    assert names(suites) == ["a", "new", "c"]
    assert [(one.number, one.entry and one.entry["id"]) for one in suites.case("support", "new")] == [
        (2, "new"),
        (1, "b"),
    ]
    assert suites.case("support", "b") == ()
    assert [entry["id"] for entry in suites.entries(first)] == ["a", "b", "c"]
    assert (suites.name_of("support", key), suites.name_of("other", key)) == ("new", None)
    assert (suites.renamed("support", "b"), suites.renamed("other", "b")) == ("new", None)
    suites.change("support", [put("b")], ANN)
    assert [one.number for one in suites.case("support", "b")] == [1]
    suites.change("support", [renamed("last", "b", 1)], ANN)
    assert suites.renamed("support", "b") == "last"


@stores.ONE
def test_a_rename_to_a_used_name_or_of_an_old_version_is_a_conflict(suites: Suites) -> None:
    suites.change("support", [put("a"), put("b"), put("gone")], ANN)
    suites.change("support", [put("a", "edited", 1), Archive("gone", 1)], ANN)
    for change in (renamed("b", "a", 2), renamed("gone", "a", 2), renamed("x", "a", 1), renamed("x", "no", 1)):
        clashes = suites.change("support", [change], BOB)
        assert isinstance(clashes, tuple) and len(clashes) == 1, change
    assert names(suites) == ["a", "b"]


def test_people_search_by_words_and_slices(suites: Suites) -> None:
    more = [put("a", "Where is my ORDER?", tier="free"), put("b", "100 % off_", tier="paid", lang="de")]
    suites.change("support", [*more, put("c", "order a straße", tier="paid")], ANN)
    assert names(suites, CaseFilter(words=("order",))) == ["a", "c"]
    assert names(suites, CaseFilter(words=("order", "STRASSE"))) == ["c"]
    assert names(suites, CaseFilter(words=("%",))) == names(suites, CaseFilter(words=("_",))) == ["b"]
    assert names(suites, CaseFilter(words=("' OR 1=1 --",))) == []
    assert names(suites, CaseFilter(slices={"tier": "paid"})) == ["b", "c"]
    assert names(suites, CaseFilter(slices={"tier": "paid", "lang": "de"})) == ["b"]
    assert suites.count("support", CaseFilter(slices={"tier": "paid"})) == 2
    assert suites.dimensions("support") == {"lang": ("de",), "tier": ("free", "paid")}


def test_many_cases_are_one_version(suites: Suites) -> None:
    version = made(suites.change("support", [put(f"c{number}", tier="x") for number in range(1_100)], ANN))
    assert version.cases == len(suites.entries(version)) == suites.count("support", CaseFilter(slices={"tier": "x"}))
    edited = made(suites.change("support", [put(f"c{number}", "new", 1) for number in range(1_100)], ANN))
    assert (edited.number, edited.cases) == (2, 1_100)


def test_editors_at_once_lose_nothing(suites: Suites) -> None:
    """Each reads, writes and tries again until nobody was quicker."""

    def add(author: int) -> None:
        for turn in range(3):
            while True:
                known = suites.case("support", "shared")
                said = str(known[0].entry["input"]) if known and known[0].entry else ""
                own = put(f"of-{author}-{turn}")
                shared = put("shared", f"{said} {author}-{turn}", known[0].number if known else 0)
                if isinstance(suites.change("support", [own, shared], Authorship(str(author), NOW)), SuiteVersion):
                    break

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    newest = suites.newest("support")
    assert newest is not None
    assert (newest.number, newest.cases) == (12, 13)
    entry = suites.case("support", "shared")[0].entry
    assert entry is not None
    assert sorted(str(entry["input"]).split()) == [f"{author}-{turn}" for author in range(4) for turn in range(3)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(entry=st.dictionaries(st.text(), JSON, max_size=4), said=st.text())
def test_nothing_of_a_case_is_lost(suites: Suites, entry: Mapping[str, JsonValue], said: str) -> None:
    stores.remove_suite(suites.database, "any")
    version = made(suites.change("any", [CaseWrite("a", entry, {}, said)], ANN))
    assert repr(dict(suites.entries(version)[0])) == repr(dict(entry))
