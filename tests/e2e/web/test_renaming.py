"""A case gets another name, its rounds another order; nothing of it is lost, whoever has it open."""

from starlette.testclient import TestClient

from gate.cases.stored import Entry
from gate.store.sql.database import Database
from gate.store.sql.suites import Suites
from gate.web import addresses
from tests.e2e.web.test_links import links, stored
from tests.support import browsing
from tests.support.browsing import filled

CASE: Entry = {"id": "c001", "input": "Hi", "slices": {"tier": "pro"}}
OLD, NEW = addresses.case("support", "c001"), addresses.case("support", "greeting")


def renamed(who: TestClient, name: str = "greeting", at: str = OLD) -> str:
    answer = who.post(at, data={**filled(who.get(at).text), "name": name, "do": "save"})
    assert answer.status_code == 200, answer.text
    return answer.text


def test_a_renamed_case_keeps_history_and_runs(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", CASE)
    run = stored(database, "support")
    page = renamed(ann)
    assert "<h1>greeting</h1>" in page
    assert links(page, "/runs/") == [addresses.case_of_run(run, "support", "c001")]
    history = ann.get(addresses.case("support", "greeting", "history")).text
    assert ("Version 2: edited" in history, "Version 1: created" in history) == (True, True)
    assert Suites(database).history("support")[0].what == "renamed c001 to greeting"
    restored = {"base": "2", "number": "1"}
    assert "<h1>c001</h1>" in ann.post(addresses.case("support", "greeting", "restore"), data=restored).text
    assert [one.entry for one in Suites(database).case("support", "c001")] == [CASE, {**CASE, "id": "greeting"}, CASE]


def test_an_old_name_leads_to_the_case(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", CASE, {"id": "other", "input": "Ho"})
    run = stored(database, "support")
    renamed(ann)
    for part in ("", "history", "duplicate", "try"):
        old, new = (addresses.case("support", name, part) for name in ("c001", "greeting"))
        answer = ann.get(old, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, new), part
    assert links(ann.get(addresses.case_of_run(run, "support", "c001")).text, "/case?") == [OLD]
    late = {"base": "1"}
    assert "<h1>greeting</h1>" in ann.post(addresses.case("support", "c001", "archive"), data=late).text
    assert Suites(database).case("support", "greeting")[0].entry == {**CASE, "id": "greeting"}
    renamed(ann, "c001", addresses.case("support", "other"))
    assert "<h1>c001</h1>" in ann.get(OLD).text
    assert ann.get(addresses.case("support", "never")).status_code == 404
    assert ann.get(addresses.case("faq", "greeting")).status_code == 404


def test_who_has_it_open_while_it_is_renamed_saves_on_top_under_the_new_name(
    ann: TestClient, bob: TestClient, database: Database
) -> None:
    browsing.add(database, "support", CASE)
    mine = {**filled(bob.get(OLD).text), "prompt": "Mine", "do": "save"}
    renamed(ann)
    answer = bob.post(OLD, data=mine)
    assert (answer.status_code, "Ann changed this case in the meantime" in answer.text) == (409, True)
    form = filled(answer.text)
    assert (form["name"], form["prompt"]) == ("greeting", "Mine")
    assert bob.post(NEW, data={**form, "do": "save"}).status_code == 200
    assert [one.author for one in Suites(database).case("support", "greeting")] == ["Bob", "Ann", "Ann"]
    assert [one.suite for one in Suites(database).names()] == ["support"]
    assert Suites(database).case("support", "c001") == ()


def test_rounds_change_places_without_a_script(ann: TestClient, database: Database) -> None:
    browsing.add(
        database, "support", {"name": "talk", "rounds": [{"prompt": said} for said in ("one", "two", "three")]}
    )
    at = addresses.case("support", "talk")

    def after(button: str, form: dict[str, str]) -> dict[str, str]:
        return filled(ann.post(at, data={**form, "do": button}).text)

    def said(form: dict[str, str]) -> list[str]:
        return [form[f"rounds.{number}.prompt"] for number in (1, 2, 3)]

    form = after("raise-round-3", filled(ann.get(at).text))
    assert said(form) == ["one", "three", "two"]
    assert said(after("raise-round-1", form)) == said(after("raise-round-9", form)) == said(form)
    assert said(after("raise-round-2", form)) == ["three", "one", "two"]
    ann.post(at, data={**form, "do": "save"})
    entry = Suites(database).case("support", "talk")[0].entry
    assert entry == {"name": "talk", "rounds": [{"prompt": one} for one in ("one", "three", "two")]}
