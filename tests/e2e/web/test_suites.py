import json
import re

import pytest
from starlette.testclient import TestClient

from gate.cases.reading import parse
from gate.cases.stored import CaseFilter
from gate.store.sql.database import Database
from gate.store.sql.suites import Authorship, Suites
from gate.web import addresses
from gate.web.requests import FORM_BYTES
from tests.support import browsing
from tests.support.browsing import NOW
from tests.support.stores import BOTH


def shown(page: str) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"', page)


def orders(count: int) -> list[dict[str, object]]:
    return [
        {"id": f"c{n:05}", "input": f"Order {n}", "slices": {"tier": "pro" if n % 2 else "free"}} for n in range(count)
    ]


def test_a_suite_begins_with_a_name(ann: TestClient, database: Database) -> None:
    page = ann.post("/new-suite", data={"suite": "support"}).text
    assert "Create the first case" in page
    assert [one.cases for one in Suites(database).names()] == [0]
    again = ann.post("/new-suite", data={"suite": "support"})
    assert (again.status_code, "is already used" in again.text) == (422, True)
    for name in ("", " a", "a/b", "x" * 201, "a\x00"):
        refused = ann.post("/new-suite", data={"suite": name})
        assert refused.status_code == 422
    assert len(Suites(database).names()) == 1


def test_fifty_cases_a_page(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", *orders(60))
    page = ann.get(addresses.suite("support")).text
    found = shown(page)
    assert (len(found), "60 cases" in page) == (50, True)
    while following := re.search(r'rel="next" href="([^"]+)"', page):
        page = ann.get(following[1].replace("&amp;", "&")).text
        found += shown(page)
    assert found == [f"c{number:05}" for number in range(60)]


@pytest.mark.threat("web-search")
@BOTH
def test_odd_words_find_nothing_and_break_nothing(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", {"id": "a", "input": "Hello"})
    for words in ("' OR 1=1 --", "%", "\x00", "<script>"):
        answer = ann.get(addresses.suite("support", "", q=words))
        assert answer.status_code == 200, words
        assert shown(answer.text) == (["a"] if not words.strip("\x00") else []), words
        assert "<script>" not in answer.text.replace('<script src="/static/', "")
        assert Suites(database).count("support", CaseFilter()) == 1


def test_a_slice_is_set_on_chosen_cases_and_removed_from_all(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", *orders(60))
    address = addresses.suite("support", "tag")
    chosen = {"do": "set", "dimension": "lang", "value": "de", "case": ["c00001", "c00002"]}
    assert "2 cases changed" in ann.post(address, data=chosen).text
    assert Suites(database).count("support", CaseFilter(slices={"lang": "de"})) == 2
    assert Suites(database).history("support")[0].what == "lang=de set on 2 cases"
    removed = ann.post(address, data={"do": "remove", "dimension": "tier", "all": "1"}).text
    assert "60 cases changed" in removed
    assert Suites(database).dimensions("support") == {"lang": ("de",)}
    some = ann.post(f"{address}&slice=lang%3Dde", data={"do": "archive", "all": "1"}).text
    assert "2 cases changed" in some
    assert Suites(database).count("support", CaseFilter(archived=True)) == 2
    assert Suites(database).newest("support").number == 4


def test_what_cannot_be_done_to_all_is_done_to_none(ann: TestClient, database: Database) -> None:
    gold = {"id": "gold", "state": "discovery", "conversation": [{"role": "user", "content": "Hot"}]}
    browsing.add(database, "support", {"id": "a", "input": "Hi"}, gold)
    for typed, told in (
        ({"do": "set", "dimension": "lang", "value": "de"}, "Select one or more cases first"),
        ({"do": "set", "dimension": "", "value": "de", "case": "a"}, "blank"),
        ({"do": "set", "dimension": "a=b", "value": "de", "case": "a"}, "="),
        ({"do": "set", "dimension": "a", "value": "", "case": "a"}, "blank"),
        ({"do": "set", "dimension": "state", "value": "x", "case": ["a", "gold"]}, "&#39;gold&#39; would be invalid"),
        ({"do": "burn", "case": "a"}, "Choose an action"),
    ):
        answer = ann.post(addresses.suite("support", "tag"), data={**typed})
        assert (answer.status_code, told in answer.text) == (422, True), typed
        assert Suites(database).newest("support").number == 1


def test_every_version_is_exported_as_the_gate_reads_it(ann: TestClient, database: Database) -> None:
    entries = [{"id": "a", "input": "Hé\n\n: #x", "vars": {"n": [1, 1.5, None]}}, {"name": "b", "prompt": "Hi"}]
    browsing.add(database, 'sup"port ü', *entries)
    Suites(database).change('sup"port ü', [], Authorship("Ann", NOW))
    for form in ("jsonl", "yaml"):
        answer = ann.get(addresses.suite('sup"port ü', "export", version=1, form=form))
        told = answer.headers["content-disposition"]
        assert told == f"attachment; filename=\"sup-port.{form}\"; filename*=UTF-8''sup%22port%20%C3%BC.{form}"
        assert [case.id for case in parse(answer.text, f"x.{form}")] == ["a", "b"]
        if form == "jsonl":
            assert [json.loads(line) for line in answer.text.splitlines()] == entries
    assert ann.get(addresses.suite('sup"port ü', "export", version=9, form="yaml")).status_code == 404


def test_a_table_comes_back_as_excel_saves_it(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", {"id": "a", "input": "Größe?"})
    address = addresses.suite("support", "import")
    for encoding, remarked in (("utf-8-sig", False), ("utf-16", False), ("cp1252", True)):
        saved = "id;input\r\na;Größe?\r\n".encode(encoding)
        page = ann.post(address, data={}, files={"file": ("Mappe1.csv", saved)}).text
        assert re.findall(r"<dd>(\d+)</dd>", page) == ["0", "0", "0", "1"], encoding
        assert ("was read as Windows-1252. Check letters" in page) is remarked, encoding


def test_what_a_table_cannot_hold_is_named_before_it_is_left_out(ann: TestClient, database: Database) -> None:
    gold = {"id": "gold", "state": "discovery", "conversation": [{"role": "user", "content": "Hot"}]}
    browsing.add(database, "support", {"id": "a", "input": "Hi"}, gold, {"name": "<b>", "prompt": "Hi"})
    table = addresses.suite("support", "export", version=1, form="csv")
    answer = ann.get(table)
    assert (answer.status_code, "content-disposition" in answer.headers) == (409, False)
    assert "<li>the case gold has state, which a table cannot store" in answer.text
    assert "Export the other 1 case as CSV" in answer.text and "the case &lt;b&gt; has prompt, " in answer.text
    some = ann.get(f"{table}&some=true")
    assert (some.status_code, some.content) == (200, b"\xef\xbb\xbfid,input\na,Hi\n")
    browsing.add(database, "agents", gold)
    alone = addresses.suite("agents", "export", version=1, form="csv", some="true")
    answer = ann.get(alone)
    assert (answer.status_code, "CSV of" in answer.text) == (409, False)


def test_an_import_shows_what_would_change_before_it_does(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", *({"id": one, "input": one} for one in ("same", "edited", "gone")))
    address = addresses.suite("support", "import")
    lines = [{"id": "same", "input": "same"}, {"id": "edited", "input": "<b>new"}, {"id": "new", "input": "x"}]
    text = "\ufeff" + "\r\n".join(json.dumps(line) for line in lines)
    page = ann.post(address, data={}, files={"file": ("cases.jsonl", text.encode())}).text
    assert re.findall(r"<dd>(\d+)</dd>", page) == ["1", "1", "1", "1"]
    assert "<b>" not in page
    assert Suites(database).newest("support").number == 1
    held = re.search(r'name="held" value="([^"]+)"', page)
    assert held is not None
    yes = {"file": "cases.jsonl", "held": held[1], "version": "1", "do": "import", "archive": "1"}
    assert "File imported." in ann.post(address, data=yes, files={"none": b""}).text
    newest = Suites(database).newest("support")
    assert newest is not None
    assert Suites(database).entries(newest) == tuple(lines)
    late = ann.post(address, data=yes, files={"none": b""})
    assert (late.status_code, "Not imported" in late.text) == (409, True)


def test_a_file_with_mistakes_is_told_all_of_them(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", {"id": "a", "input": "Hi"})
    address = addresses.suite("support", "import")
    for name, content, told in (
        ("a.jsonl", b"", "is not empty"),
        ("a.jsonl", b'{"id": "a", "input": "\xff"}', "byte 23"),
        ("a.jsonl", b'{"id": "a"}\n{"id": "b", "inptu": 1}', "line 2"),
        ("a.csv", b"PK\x03\x04\0\0", "is an office file or an archive: save the sheet as CSV"),
        ("a.json", b"<script>alert(1)</script>", "line 1"),
    ):
        answer = ann.post(address, data={}, files={"file": (name, content)})
        found = answer.status_code, told in answer.text, "<script>alert" in answer.text
        assert found == (422, True, False), content


@pytest.mark.threat("web-form-broken")
def test_a_form_that_is_not_utf_8_is_refused_whole(ann: TestClient, database: Database) -> None:
    for name in (b"%ff%fe", b"\xff", b"%ed%a0%80"):
        body = b"suite=" + name
        kind = {"content-type": "application/x-www-form-urlencoded"}
        answer = ann.post("/new-suite", content=body, headers=kind)
        assert (answer.status_code, "not UTF-8 text" in answer.text) == (400, True)
    assert Suites(database).names() == ()


@pytest.mark.threat("web-form-broken")
def test_a_form_that_is_too_large_is_told_so_on_a_page(ann: TestClient) -> None:
    answer = ann.post("/new-suite", data={"suite": "x" * FORM_BYTES})
    assert (answer.status_code, "text/html" in answer.headers["content-type"]) == (413, True)
    assert "larger than 2 MiB" in answer.text
    many = "&".join(f"a{number}=1" for number in range(30_000))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert ann.post("/new-suite", content=many.encode(), headers=kind).status_code == 413


def test_what_is_not_there_is_told_on_a_page(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", {"id": "a", "input": "Hi"})
    cases = ("/case?suite=support&name=no", "/case/history?suite=support&name=no", "/case/new?suite=no")
    for address in ("/suite?name=no", *cases, "/no"):
        answer = ann.get(address)
        assert (answer.status_code, "This page does not exist" in answer.text) == (404, True), address
