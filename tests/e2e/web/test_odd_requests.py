"""Requests that are broken, cut off or in other letters get an answer below 500, and headers hold any name."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

import httpx2
import pytest
import uvicorn
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from gate.cases.reading import parse
from gate.store.sql.database import Database
from gate.store.sql.suites import Suites
from gate.web.api.http import API
from gate.web.api.operations import ROUTERS
from gate.web.app import PAGES, create_app
from gate.web.logs import AnsweredRequest, Fault
from tests.support import browsing
from tests.support.stores import BOTH

NAMES = (
    *("Поддержка", "日本語", "Zoë", "e\u0301", "😀", "שלום", 'a"b', "a\\b", "a;b=c", "a, b", "a%2Fb", "a%20b", "a+b"),
    *("a#b?c&d=e", "<b>", "a'b", "İ", "\u2126", "a:b", "*"),
)
CASE_NAMES = (*NAMES, "a/b", "/")


@pytest.mark.threat("web-scorers")
def test_many_equal_scorers_are_numbered_at_once(ann: TestClient, database: Database) -> None:
    """With a name that is looked for from 2 each time, this takes minutes for every viewer."""
    count = 10_000
    named = [{"contains": "x", "name": f"contains-{number}"} for number in range(2, 1_000)]
    entry = {"id": "a", "input": "x", "scorers": ["contains"] * count, "extra_scorers": [*named, *["contains"] * count]}
    ann.post(f"{API}/suites", json={"name": "support"})
    assert ann.post(f"{API}/suites/support/cases", json=entry).status_code == 201
    for page in ("/case?suite=support&name=a", "/suite?name=support"):
        assert ann.get(page).status_code == 200
    (case,) = parse(ann.get("/suite/export?name=support&version=2").text, "cases.jsonl")
    assert case.scorers is not None
    assert [case.scorers[at].name for at in (0, 1, -1)] == ["contains", "contains-2", f"contains-{count}"]
    extra = [spec.name for spec in case.extra_scorers]
    assert len({*extra}) == len(extra) and extra[-1] == f"contains-{count + 998}"


@dataclass
class Door:
    """A server on this machine, with its log."""

    port: int
    log: list[AnsweredRequest | Fault]


@pytest.fixture
def door(database: Database) -> Iterator[Door]:
    log: list[AnsweredRequest | Fault] = []
    app = create_app(replace(browsing.site(database), log=log.append))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield Door(listening.getsockname()[1], log)
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_and_its_cases_of_any_name(door: Door, name: str) -> None:
    with httpx2.Client(base_url=f"http://127.0.0.1:{door.port}") as program:
        suite = f"{API}/suites/{quote(name, safe='')}"
        assert program.post(f"{API}/suites", json={"name": name}).status_code == 201
        for case in CASE_NAMES:
            made = program.post(f"{suite}/cases", json={"id": case, "input": "Hi"})
            assert made.status_code == 201, (case, made.text)
            assert made.json() == program.get(made.headers["location"]).json()
            assert program.post(f"{suite}/cases", json={"id": case, "input": "Hi"}).status_code == 409
        seen: list[str] = []
        address = f"{suite}/cases?limit=5"
        while address:
            found = program.get(address)
            seen += [one["name"] for one in found.json()["cases"]]
            address = found.links.get("next", {}).get("url", "")
        assert sorted(seen) == sorted(CASE_NAMES)
        query = urlencode({"name": name})
        for page in (f"/suite?{query}", f"/suite/history?{query}", f"/suite/import?{query}", f"/?q={quote(name)}"):
            assert program.get(page).status_code == 200, page
        for form in ("jsonl", "yaml", "csv"):
            exported = program.get(f"/suite/export?{query}&version=2&form={form}")
            assert exported.status_code == 200 and quote(name, safe="") in exported.headers["content-disposition"]
        file = {"file": (f"{name}.jsonl", b'{"id": "new", "input": "x"}\n')}
        assert program.post(f"/suite/import?{query}", files=file).status_code == 200
        for part in ("", "/history", "/duplicate"):
            at = urlencode({"suite": name, "name": CASE_NAMES[0]})
            assert program.get(f"/case{part}?{at}").status_code == 200, part
        assert program.post("/new-suite", data={"suite": f"{name} 2"}).status_code == 303


FORMS = tuple(
    sorted({(route.path, method) for router in PAGES for route in router.routes if isinstance(route, APIRoute)
            for method in route.methods or () if method == "POST"})
)  # fmt: skip
OPERATIONS = tuple(
    sorted({(route.path, method) for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)
            for method in route.methods or () if method in ("POST", "PUT")})
)  # fmt: skip
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=edge"
PART = b'--edge\r\ncontent-disposition: form-data; name="%s"\r\n\r\n%s\r\n'
FILE = b'--edge\r\ncontent-disposition: form-data; name="file"; filename="%s"\r\n\r\n%s\r\n'
WHOLE = PART % (b"name", b"x") + FILE % (b"a.jsonl", b'{"id": "new", "input": "x"}\n') + b"--edge--\r\n"
BROKEN: dict[str, tuple[str, bytes]] = {
    **{f"multipart cut off after {end}": (MULTIPART, WHOLE[:end]) for end in range(0, len(WHOLE) - 2, 7)},
    "multipart without a boundary": ("multipart/form-data", WHOLE),
    "multipart with an empty boundary": ("multipart/form-data; boundary=", WHOLE),
    "multipart with another boundary": ("multipart/form-data; boundary=other", WHOLE),
    "multipart with a long boundary": (f"multipart/form-data; boundary={'e' * 5_000}", WHOLE),
    "multipart with an open quote": ('multipart/form-data; boundary="edge', WHOLE),
    "multipart with odd parameters": ("multipart/form-data; boundary*=utf-8''%ff; boundary*0=e; charset*=x''y", WHOLE),
    "multipart without names": (MULTIPART, b"--edge\r\n\r\nx\r\n--edge--\r\n"),
    "multipart with two files": (MULTIPART, FILE % (b"a", b"x") + FILE % (b"b", b"y") + b"--edge--\r\n"),
    "multipart with many fields": (MULTIPART, PART % (b"a", b"x") * 20_001 + b"--edge--\r\n"),
    "multipart with other letters": (MULTIPART, PART % (b"name", b"\xff\xfe") + b"--edge--\r\n"),
    "multipart with a name in other letters": (MULTIPART, PART % (b"\xe9", b"x") + b"--edge--\r\n"),
    "multipart with a file named in other letters": (MULTIPART, FILE % (b"\xe9.csv", b"x") + b"--edge--\r\n"),
    "multipart with half a pair": (MULTIPART, PART % (b"name", b"\xed\xa0\x80") + b"--edge--\r\n"),
    "a form with other letters": (URLENCODED, b"name=%ff"),
    "a form with bytes": (URLENCODED, b"name=\xff"),
    "a form with half a pair": (URLENCODED, b"name=%ed%a0%80"),
    "a form with many fields": (URLENCODED, b"a=1&" * 20_001),
    "a form in UTF-16": (f"{URLENCODED}; charset=utf-16", "name=x".encode("utf-16")),
    "a form as JSON": ("application/json", b'{"name": "x"}'),
    "a form as text": ("text/plain", b"name=x"),
    "a form of no type": ("", b"name=x"),
    "a form of an odd type": ("\xff/;;==", b"name=x"),
}


@pytest.mark.threat("web-form-broken")
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_form_is_refused_by_every_page_that_takes_one(ann: TestClient, database: Database, what: str) -> None:
    kind, body = BROKEN[what]
    if not body and "multipart" not in kind:
        return
    browsing.add(database, "support", {"id": "a", "input": "Hi"})
    before = Suites(database).names()
    taking = 0
    for path, _ in FORMS:
        address = f"{path.replace('{id}', '1')}?suite=support&name=a"
        answer = ann.post(
            address, content=body, headers={"content-type": kind.encode("latin-1")}, follow_redirects=False
        )
        assert answer.status_code < 500, (path, answer.text)
        taking += answer.status_code in (400, 413, 415)
    assert taking >= 10
    assert Suites(database).names() == before


JSON = "application/json"
BODIES: dict[str, tuple[str, bytes]] = {
    "cut off": (JSON, b'{"id": "a", "inp'),
    "no JSON": (JSON, b"id=a"),
    "nothing": (JSON, b""),
    "UTF-16": (JSON, '{"id": "a"}'.encode("utf-16")),
    "said to be UTF-16": (f"{JSON}; charset=utf-16", b'{"id": "a", "input": "x"}'),
    "Latin-1": (JSON, '{"id": "ä", "input": "x"}'.encode("latin-1")),
    "a mark": (JSON, b'\xef\xbb\xbf{"id": "a", "input": "x"}'),
    "a list": (JSON, b"[]"),
    "deep": (JSON, b'{"id": "a", "vars": ' + b'{"a": ' * 5_000 + b"1" + b"}" * 5_001),
    "deep lists": (JSON, b'{"id": "a", "input": ' + b"[" * 100_000),
    "a large number": (JSON, b'{"id": "a", "input": "x", "threshold": 1' + b"0" * 5_000 + b"}"),
    "no number": (JSON, b'{"id": "a", "input": "x", "threshold": NaN}'),
    "infinite": (JSON, b'{"id": "a", "input": "x", "threshold": 1e999}'),
    "twice": (JSON, b'{"id": "a", "id": "b", "input": "x"}'),
    "half a pair": (JSON, b'{"id": "\\ud800", "input": "x"}'),
    "a control character": (JSON, b'{"id": "a\\u0000", "input": "x"}'),
    "many keys": (JSON, json.dumps({f"k{number}": 1 for number in range(50_000)}).encode()),
    "a form": (URLENCODED, b"id=a"),
    "multipart": (MULTIPART, WHOLE),
    "no type": ("", b'{"id": "a", "input": "x"}'),
}


@pytest.mark.threat("web-form-broken")
@BOTH
@pytest.mark.parametrize("what", BODIES)
def test_a_broken_body_is_refused_by_every_operation(ann: TestClient, database: Database, what: str) -> None:
    kind, body = BODIES[what]
    browsing.add(database, "support", {"id": "a", "input": "Hi"})
    for path, method in OPERATIONS:
        address = path.replace("{suite}", "support").replace("{case:path}", "a")
        answer = ann.request(method, address, content=body, headers={"content-type": kind, "if-match": "*"})
        assert 400 <= answer.status_code < 500, (path, answer.text[:300])
        assert answer.headers["content-type"] in ("application/problem+json", "text/plain; charset=utf-8")
    assert [one.number for one in Suites(database).names()] == [1]


@BOTH
@pytest.mark.parametrize("odd", ["\\u0000", "\\ud800", "\\udc00\\ud800", "\\u2028", "\\uffff"])
def test_odd_characters_in_texts_are_kept_or_refused(ann: TestClient, database: Database, odd: str) -> None:
    browsing.add(database, "support", {"id": "a", "input": "Hi"})
    for key in ("input", "expected", "description", "vars"):
        value = f'{{"x": "{odd}"}}' if key == "vars" else f'"a{odd}b"'
        body = f'{{"id": "new-{key}", "input": "x", "{key}": {value}}}'.replace('"input": "x", "input"', '"input"')
        answer = ann.post(f"{API}/suites/support/cases", content=body, headers={"content-type": JSON})
        assert answer.status_code in (201, 400, 422), (key, answer.text)
        typed = {"suite": "support", "kind": "text", "name": f"page-{key}", "prompt": json.loads(f'"{odd}"')}
        body = urlencode({name: text.encode("utf-8", "surrogatepass") for name, text in typed.items()})
        sent = ann.post("/case/new?suite=support", content=body.encode(), headers={"content-type": URLENCODED})
        assert sent.status_code < 500, (key, sent.text)
    assert ann.get("/suite?name=support").status_code == 200
    assert ann.get(f"{API}/suites/support/cases").status_code == 200


@pytest.mark.parametrize(
    "path", ["/new-suite", "/suite/import?name=s", "/case/new?suite=s", f"{API}/suites", f"{API}/runs"]
)
def test_a_client_that_goes_away_leaves_no_fault(database: Database, door: Door, path: str) -> None:
    browsing.add(database, "s", {"id": "a", "input": "Hi"})
    bodies = {URLENCODED: b"suite=x", MULTIPART: WHOLE[:60], JSON: b'{"name": "x"'}
    for kind, body in bodies.items():
        for length in (f"content-length: {len(body) + 100}", "transfer-encoding: chunked"):
            sent = body if "length" in length else b"%x\r\n%s\r\n" % (len(body), body)
            before = len(door.log)
            with socket.create_connection(("127.0.0.1", door.port)) as line:
                head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n{length}\r\n\r\n"
                line.sendall(head.encode() + sent)
            end = time.monotonic() + 20
            while len(door.log) == before and time.monotonic() < end:
                time.sleep(0.005)
            event = door.log[before]
            assert isinstance(event, AnsweredRequest)
            assert event.traceback == "" and event.status in (400, 415), (kind, length, event)
    assert len(Suites(database).names()) == 1
