import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from gate.domain.history import Context
from gate.domain.people import Actor, Event, EventFilter, Role
from gate.domain.stored_suite import Page
from gate.web import addresses
from gate.web.site import Site
from tests.golden.runs import runs as golden
from tests.support import browsing, people, stores
from tests.support.browsing import NOW, token


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with stores.with_tables(tmp_path_factory.mktemp("audit")) as database:
        found = people.server(database)
        people.add(found, "Ann", Role.ADMIN)
        yield found


@pytest.fixture
def ann(site: Site) -> TestClient:
    return people.log_in(people.browser(site), "Ann")


def test_whatever_changes_or_takes_something_is_in_the_log(site: Site, ann: TestClient) -> None:
    csrf = token(ann.get("/new-suite").text)
    record = next(iter(golden().values()))
    run = site.runs.add(record, (), Context(), NOW).id
    suite = record.suites[0]
    case = addresses.case("support", "a")
    lines = json.dumps({"id": "b", "input": "Ho"}).encode()
    imported = {"held": "", "do": "bring", "archive": "", "version": "4"}
    asked: list[tuple[str, dict[str, object]]] = [
        ("/new-suite", {"suite": "support"}),
        (addresses.new_case("support"), {"name": "a", "prompt": "Hi", "do": "save"}),
        (case, {"name": "a", "prompt": "Hello", "base": "1", "do": "save"}),
        (addresses.suite("support", "tag"), {"do": "set", "dimension": "tier", "value": "x", "case": "a"}),
        (addresses.suite("support", "import"), imported),
        (addresses.case("support", "a", "archive"), {"base": "3"}),
        (addresses.case("support", "a", "restore"), {"base": "4", "number": "1"}),
        (
            f"/runs/{run}/case",
            {"suite": suite.name, "case": suite.cases[0].id, "into": "support", "name": "kept"},
        ),
    ]
    for address, data in asked:
        files = {"file": ("b.jsonl", lines)} if "import" in address else None
        if files:
            del data["held"]
        answer = ann.post(address, data={"csrf": csrf, **data}, files=files)
        assert answer.status_code == 303, (address, answer.text)
    assert ann.get(addresses.suite("support", "export", version=2)).status_code == 200
    events = site.audit.events(EventFilter(), Page(99))
    found = [(one.by.name, one.event.what, one.event.about) for one in reversed(events)][2:]
    assert found == [
        ("Ann", "suite-made", "support"),
        ("Ann", "case-added", "support: a"),
        ("Ann", "case-edited", "support: a"),
        ("Ann", "cases-tagged", "support: set, 1 cases"),
        ("Ann", "cases-imported", "support: b.jsonl"),
        ("Ann", "case-archived", "support: a"),
        ("Ann", "case-restored", "support: a"),
        ("Ann", "case-added", "support: kept"),
        ("Ann", "cases-exported", "store:support@2"),
    ]
    assert {one.by.where for one in events} == {"192.0.2.7", "command line"}


def test_what_was_not_done_is_not_in_the_log(site: Site, ann: TestClient) -> None:
    browsing.add(site.database, "support", {"name": "a", "prompt": "Hi"})
    csrf = token(ann.get("/new-suite").text)
    before = site.audit.events(EventFilter(), Page(99))
    ann.post("/new-suite", data={"csrf": csrf, "suite": "support"})
    ann.post(
        addresses.case("support", "a"), data={"csrf": csrf, "name": "a", "prompt": "Ho", "base": "0", "do": "save"}
    )
    ann.post(addresses.case("support", "a"), data={"csrf": csrf, "name": "a", "prompt": "Ho", "do": "add-round"})
    ann.post(addresses.case("support", "a", "archive"), data={"csrf": csrf, "base": "7"})
    assert site.audit.events(EventFilter(), Page(99)) == before


def test_the_log_is_read_page_by_page_and_filtered(site: Site, ann: TestClient) -> None:
    for number in range(120):
        by = Actor("Bob" if number % 2 else "<b>Eve", "192.0.2.9", NOW)
        site.audit.add(Event("case-edited", f"support: c{number:03}"), by)
    page = ann.get("/audit?who=Bob").text
    found = re.findall(r"support: (c\d+)", page)
    following = re.search(r'href="([^"]+)" rel="next"', page)
    assert following is not None
    rest = ann.get(following[1].replace("&amp;", "&")).text
    found += re.findall(r"support: (c\d+)", rest)
    assert found == [f"c{number:03}" for number in range(119, 0, -2)]
    assert 'rel="next"' not in rest
    one = ann.get("/audit?about=c007&what=case-edited").text
    assert re.findall(r"support: (c\d+)", one) == ["c007"]
    assert "<b>" not in ann.get("/audit").text
    for odd in ("who=%00", "what='--", "about=%25", "who=" + "x" * 200):
        assert "Nothing of that kind" in ann.get(f"/audit?{odd}").text
    assert ann.get("/audit?after=-1").status_code == ann.get("/audit?who=" + "x" * 300).status_code == 422
