import json
import re

from starlette.testclient import TestClient

from gate.cases.stored import Entry
from gate.store.sql.database import Database
from gate.store.sql.suites import Suites
from gate.web import addresses
from tests.support import browsing
from tests.support.browsing import filled

REFUND = {"name": "refund", "prompt": "Where is my money?", "judge_prompt": "Polite", "slices": {"tier": "pro"}}


def stands(database: Database, name: str, suite: str = "support") -> Entry | None:
    found = Suites(database).case(suite, name)
    return found[0].entry if found else None


def sent(client: TestClient, address: str, **typed: str) -> tuple[int, str]:
    """The form of a page with some of its fields typed anew."""
    answer = client.get(address)
    back = client.post(address, data={**filled(answer.text), "do": "save", **typed})
    return back.status_code, back.text


def test_a_new_case_is_written_as_the_gate_reads_it(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    address = addresses.new_case("support")
    form = filled(ann.get(address).text)
    assert {"name", "description", "prompt", "criteria", "threshold", "tools", "expected", "rest"} <= form.keys()
    status, page = sent(
        ann, address, name="lost-parcel", description="Ticket 12", prompt="My parcel\r\nis lost",
        tools="track\r\nrefund", criteria="Says sorry", threshold="0.8", expected="Sorry", rest="cluster: parcels", **{
            "slices.1.dimension": "tier", "slices.1.value": "free"})  # fmt: skip
    assert (status, "Created." in page) == (200, True)
    assert stands(database, "lost-parcel") == {
        **{"name": "lost-parcel", "description": "Ticket 12", "prompt": "My parcel\nis lost"},
        **{"expected_tools": ["track", "refund"], "judge_prompt": "Says sorry", "judge_threshold": 0.8},
        **{"slices": {"tier": "free"}, "expected": "Sorry", "cluster": "parcels"},
    }
    assert Suites(database).case("support", "lost-parcel")[0].author == "Ann"


def test_rounds_are_added_and_removed_without_a_script(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    address = addresses.case("support", "refund")
    page = ann.post(address, data={**filled(ann.get(address).text), "do": "add-round"}).text
    form = filled(page)
    assert (form["rounds.1.prompt"], form["rounds.2.prompt"]) == ("Where is my money?", "")
    form |= {"rounds.2.prompt": "And when?", "revival": "1", "do": "add-round"}
    form = filled(ann.post(address, data=form).text)
    assert "rounds.3.prompt" in form
    form = filled(ann.post(address, data={**form, "do": "remove-round-3"}).text)
    assert "rounds.3.prompt" not in form
    assert stands(database, "refund") == REFUND
    assert ann.post(address, data={**form, "do": "save"}).status_code == 200
    entry = stands(database, "refund")
    assert entry is not None
    assert entry["rounds"] == [{"prompt": "Where is my money?"}, {"prompt": "And when?"}]
    assert entry["test_agent_revival"] is True
    assert "prompt" not in entry


def test_what_the_form_does_not_know_goes_through_it_unharmed(ann: TestClient, database: Database) -> None:
    entries: list[Entry] = [
        {"id": "gold", "state": "discovery", "conversation": [{"role": "user", "content": "<b>Hot</b>"}], "expect": {}},
        {"id": 7, "messages": [{"role": "user", "content": "Hi"}], "expected": {"a": [1, 1.0, True, None]}},
        {"id": "vars", "vars": {"city": "Köln", "n": 1e22}, "scorers": [{"contains": "x"}], "slice": "hard"},
        {"id": "odd", "input": "\n\nleading\tand\r\nand \x00 \x85 \u2028 🙂\n", "criteria": "  kept  "},
    ]
    browsing.add(database, "support", *entries)
    for entry in entries:
        name = str(entry["id"])
        status, page = sent(ann, addresses.case("support", name))
        assert (status, "Saved." in page) == (200, True)
        assert json.dumps(stands(database, name)) == json.dumps(entry)
        assert len(Suites(database).case("support", name)) == 1


def test_a_mistake_loses_nothing_that_was_typed(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    status, page = sent(
        ann,
        addresses.case("support", "refund"),
        prompt="New\r\n<script>alert(1)</script>",
        threshold="very",
        rest="a: [",
    )
    form = filled(page)
    assert status == 422
    assert (form["prompt"], form["threshold"], form["rest"]) == ("New\r\n<script>alert(1)</script>", "very", "a: [")
    assert '<a href="#f-rest">' in page
    assert "<script>alert" not in page
    assert stands(database, "refund") == REFUND


def test_who_saves_second_sees_both_texts_and_can_save_on_top(
    ann: TestClient, bob: TestClient, database: Database
) -> None:
    browsing.add(database, "support", REFUND)
    address = addresses.case("support", "refund")
    mine = filled(bob.get(address).text) | {"prompt": "Where is Bob's money?", "do": "save"}
    sent(ann, address, prompt="Where is Ann's money?")
    answer = bob.post(address, data=mine)
    assert answer.status_code == 409
    assert "Ann changed this case in the meantime" in answer.text
    assert "Where is Ann&#39;s money?" in answer.text
    form = filled(answer.text)
    assert (form["prompt"], form["base"]) == ("Where is Bob's money?", "2")
    assert stands(database, "refund") == {**REFUND, "prompt": "Where is Ann's money?"}
    assert bob.post(address, data={**form, "do": "save"}).status_code == 200
    assert [(one.number, one.author) for one in Suites(database).case("support", "refund")] == [
        (3, "Bob"),
        (2, "Ann"),
        (1, "Ann"),
    ]


def test_a_case_archived_while_open_comes_back_only_when_asked(
    ann: TestClient, bob: TestClient, database: Database
) -> None:
    browsing.add(database, "support", REFUND)
    address = addresses.case("support", "refund")
    mine = filled(bob.get(address).text) | {"prompt": "Mine", "do": "save"}
    ann.post(addresses.case("support", "refund", "archive"), data={"base": "1"})
    answer = bob.post(address, data=mine)
    assert (answer.status_code, "archived this case in the meantime" in answer.text) == (409, True)
    assert stands(database, "refund") is None
    bob.post(address, data={**filled(answer.text), "do": "save"})
    assert stands(database, "refund") == {**REFUND, "prompt": "Mine"}


def test_nobody_archives_what_they_have_not_seen(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    address = addresses.case("support", "refund")
    sent(ann, address, prompt="Newer")
    answer = ann.post(addresses.case("support", "refund", "archive"), data={"base": "1"})
    assert "someone changed this case in the meantime" in answer.text
    assert stands(database, "refund") is not None


def test_the_history_shows_words_and_an_old_version_comes_back(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    address = addresses.case("support", "refund")
    sent(ann, address, prompt="Where is my parcel?")
    page = ann.get(addresses.case("support", "refund", "history")).text
    plain = re.sub(r'<span class="unseen">.*?</span>', "", page)
    assert "Where is my <del>money</del><ins>parcel</ins>?" in plain
    restore = {"base": "2", "number": "1"}
    assert "Restored." in ann.post(addresses.case("support", "refund", "restore"), data=restore).text
    assert stands(database, "refund") == REFUND
    assert (
        "someone changed"
        in ann.post(addresses.case("support", "refund", "restore"), data=restore | {"number": "2"}).text
    )
    assert ann.post(addresses.case("support", "refund", "restore"), data=restore | {"number": "9"}).status_code == 404


def test_a_copy_needs_a_name_of_its_own(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    page = ann.get(addresses.case("support", "refund", "duplicate")).text
    form = filled(page) | {"do": "save"}
    assert (form["name"], form["prompt"]) == ("", "Where is my money?")
    taken = ann.post(addresses.new_case("support"), data=form | {"name": "refund", "prompt": "Else"})
    assert (taken.status_code, "is already used" in taken.text) == (422, True)
    ann.post(addresses.new_case("support"), data=form | {"name": "second"})
    assert stands(database, "second") == {**REFUND, "name": "second"}


ODD = ["a/b", "..", "a?b#c&d=e", "%2e%2e%2f", "<i>x</i>", "Straße 🙂"]


def test_names_hold_any_sign(ann: TestClient, database: Database) -> None:
    for name in ODD:
        suite = name.replace("/", "|")
        browsing.add(database, suite, {"id": name, "input": "Hi"})
        listed = ann.get(addresses.suite(suite))
        assert listed.status_code == 200
        link = re.search(r'<h2><a href="(/case\?[^"]+)"', listed.text)
        assert link is not None
        assert sent(ann, link[1].replace("&amp;", "&"), description="found")[0] == 200
        entry = stands(database, name, suite)
        assert entry is not None and entry["description"] == "found"
        assert "<i>x" not in listed.text


def test_what_the_gate_will_refuse_is_saved_and_told(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", REFUND)
    said = "Runs will refuse this case until gate.yaml allows it"
    assert said not in ann.get(addresses.case("support", "refund")).text
    scorers = "scorers:\r\n- python: evals.checks:polite\r\n"
    status, page = sent(ann, addresses.case("support", "refund"), rest=scorers)
    assert (status, "Saved." in page, said in page) == (200, True, True)
    assert "Its scorer python runs the function &#39;evals.checks:polite&#39;." in page
    assert (stands(database, "refund") or {})["scorers"] == [{"python": "evals.checks:polite"}]
