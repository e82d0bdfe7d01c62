"""The interface for programs: who may do what, pages, tags, and two editors of one case."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.params import Security
from fastapi.routing import APIRoute

from gate.cases.stored import CaseFilter, Page
from gate.record.history import Context, RunFilter
from gate.store.access import Scope
from gate.store.run_folder import dump_run, sample_line
from gate.store.sql.access import TokenRequest, Tokens
from gate.store.sql.database import Database
from gate.store.sql.retention import RetentionLimits, prune
from gate.web.api.http import API
from gate.web.api.operations import ROUTERS
from gate.web.site import WebSite
from tests.golden.runs import runs as golden
from tests.support import browsing, stores, team_login
from tests.support.browsing import NOW
from tests.support.run_records import finished
from tests.support.runs import suite, take

ONE = "/suites/{suite}/cases/{case:path}"
SCOPES = {
    ("GET", ""): None,
    ("GET", "/runs"): Scope.RUNS_READ,
    ("POST", "/runs"): Scope.RUNS_WRITE,
    ("GET", "/runs/{id}"): Scope.RUNS_READ,
    ("GET", "/suites"): Scope.CASES_READ,
    ("POST", "/suites"): Scope.CASES_WRITE,
    ("GET", "/suites/{suite}"): Scope.CASES_READ,
    ("GET", "/suites/{suite}/cases"): Scope.CASES_READ,
    ("POST", "/suites/{suite}/cases"): Scope.CASES_WRITE,
    ("GET", ONE): Scope.CASES_READ,
    ("PUT", ONE): Scope.CASES_WRITE,
    ("DELETE", ONE): Scope.CASES_WRITE,
}
"""A new operation has to be written down here before it is served."""
SUITE = suite([{"tier": "free"}, {"tier": "paid"}, {"tier": "free"}], samples=2)
RUN = finished([SUITE], lambda case, arm, index: 0.5)
SAMPLES = b"".join(sample_line(one) for one in take(SUITE, lambda case, arm, index: 0.5))
CASE = {"id": "a/b 1", "input": "Where?", "slices": {"tier": "free"}, "vars": {"n": 2.0}}
BASE = "https://testserver"
"""As a browser reaches a server for a team."""
AT = "/suites/support/cases/a%2Fb%201"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with stores.with_tables(tmp_path) as found:
        yield found


class Program:
    """A program that asks a server of several people."""

    def __init__(self, site: WebSite, *scopes: Scope) -> None:
        self.site = site
        self.client = browsing.browser(browsing.served(site), BASE)
        if scopes:
            wish = TokenRequest("ci", "Ann", frozenset(scopes))
            self.client.headers["authorization"] = f"Bearer {Tokens(site.database).create(wish, NOW).secret}"

    def ask(self, method: str, path: str, status: int, body: Any = None, **headers: str) -> Any:
        said = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.client.request(method, f"{API}{path}", json=body, headers=said)
        assert answer.status_code == status, (method, path, answer.text[:1000])
        self.headers = answer.headers
        if status >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["status"] == status
        return answer.json() if answer.content else None

    def push(self, status: int, run: bytes, samples: bytes | None = None, **fields: str) -> Any:
        files = {"run": ("run.json", run)} | ({} if samples is None else {"samples": ("samples.jsonl", samples)})
        answer = self.client.post(f"{API}/runs", files=files, data=fields)
        assert answer.status_code == status, answer.text[:1000]
        return answer.json()


def server(database: Database) -> WebSite:
    return replace(browsing.site(database), login=team_login.oidc())


@pytest.fixture
def program(database: Database) -> Program:
    return Program(server(database), *Scope)


@pytest.fixture
def local(database: Database) -> Program:
    return Program(browsing.site(database))


@pytest.mark.threat("web-role")
def test_every_operation_needs_the_scope_of_the_table() -> None:
    found = {}
    for route in (route for router in ROUTERS for route in router.routes):
        assert isinstance(route, APIRoute)
        (needed,) = [one for one in route.dependencies if isinstance(one, Security)]
        for method in route.methods or ():
            found[method, route.path.removeprefix(API)] = next(iter(needed.scopes or ()), None)
    assert found == SCOPES


def address(path: str) -> str:
    return path.replace("{id}", "1").replace("{suite}", "support").replace("{case:path}", "a")


@pytest.mark.threat("token-scopes")
def test_a_token_does_what_its_scopes_allow_and_nothing_else(database: Database) -> None:
    program = Program(server(database))
    for held in Scope:
        issued = Tokens(database).create(TokenRequest(held.value, "Ann", frozenset({held})), NOW)
        program.client.headers["authorization"] = f"Bearer {issued.secret}"
        for (method, path), needed in SCOPES.items():
            answer = program.client.request(method, API + address(path))
            allowed = needed in (held, None)
            assert (answer.status_code == 403) is not allowed, (held, method, path, answer.text)
            assert allowed or needed.value in answer.json()["detail"]
            assert answer.status_code != 401


@pytest.mark.threat("token-needed")
def test_without_a_good_token_a_server_tells_nothing(database: Database) -> None:
    program, tokens = Program(server(database)), Tokens(database)
    browsing.add(database, "support", {"id": "a", "input": "secret words"})
    good = tokens.create(TokenRequest("a", "Ann", frozenset(Scope)), NOW).secret
    old = tokens.create(TokenRequest("b", "Ann", frozenset(Scope), days=1), NOW - timedelta(days=1)).secret
    gone = tokens.create(TokenRequest("c", "Ann", frozenset(Scope)), NOW)
    tokens.revoke(gone.token.id, NOW)
    refused = [None, "", "Bearer", "Bearer pgate_", f"Bearer {old}", f"Bearer {gone.secret}", f"Basic {good}", good]
    other = "y" if good.endswith("x") else "x"
    for value in [*refused, f"Bearer {good[:-1]}{other}"]:
        headers = {} if value is None else {"authorization": value}
        for method, path in SCOPES if value is None else [("GET", "/suites"), ("POST", "/runs")]:
            answer = program.client.request(method, API + address(path), headers=headers)
            assert (answer.status_code, "Bearer" in answer.headers["www-authenticate"]) == (401, True), value
            assert "secret" not in answer.text
    assert program.client.get(f"{API}/suites", headers={"authorization": f"bearer {good}"}).status_code == 200


@pytest.mark.threat("token-scopes")
def test_a_token_opens_no_page_and_wins_over_whoever_sits_there(database: Database, local: Program) -> None:
    only = Tokens(database).create(TokenRequest("ci", "Ann", frozenset({Scope.RUNS_READ})), NOW).secret
    page = browsing.browser(browsing.served(server(database)), BASE, follow_redirects=False).get(
        "/", headers={"authorization": f"Bearer {only}"}
    )
    assert page.status_code in (401, 303)
    local.client.headers["authorization"] = f"Bearer {only}"
    local.ask("POST", "/suites", 403, {"name": "support"})
    local.client.headers["authorization"] = "Bearer nobody"
    local.ask("GET", "/runs", 401)


@pytest.mark.threat("token-site")
@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}])
def test_on_this_machine_another_site_changes_nothing(local: Program, headers: Mapping[str, str]) -> None:
    local.ask("POST", "/suites", 201, {"name": "mine"}, origin=BASE)
    local.client.headers.update(headers)
    local.ask("POST", "/suites", 403, {"name": "theirs"})
    assert local.client.post(f"{API}/runs", files={"run": b"{}"}).status_code == 403
    assert [one.suite for one in local.site.suites.names()] == ["mine"]


@pytest.mark.threat("token-site")
def test_what_a_form_of_another_page_could_send_is_no_json(local: Program) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = local.client.post(f"{API}/suites", content=b'{"name": "x"}', headers={"content-type": kind})
        assert answer.status_code == 415
    assert local.site.suites.names() == ()


def test_a_case_from_its_first_version_to_the_archive(program: Program) -> None:
    assert program.ask("POST", "/suites", 201, {"name": "support"})["label"] == "store:support@1"
    program.ask("POST", "/suites", 409, {"name": "support"})
    made = program.ask("POST", "/suites/support/cases", 201, CASE)
    assert (program.headers["location"], made["entry"]) == (API + AT, CASE)
    assert program.ask("GET", AT, 200) == made
    tag = program.headers["etag"]
    program.ask("GET", AT, 304, if_none_match=f'W/"x", {tag}')
    program.ask("POST", "/suites/support/cases", 409, CASE)
    edited = program.ask("PUT", AT, 200, CASE | {"input": "When?"}, if_match=tag)
    assert (edited["version"], edited["author"]) == (2, "Ann (token ci)")
    program.ask("GET", AT, 200, if_none_match=tag)
    program.ask("DELETE", AT, 412, if_match=tag)
    program.ask("DELETE", AT, 204, if_match=edited["etag"])
    program.ask("GET", AT, 404)
    (gone,) = program.ask("GET", "/suites/support/cases?archived=true", 200)["cases"]
    assert (gone["name"], gone["entry"]) == ("a/b 1", None)
    program.ask("PUT", AT, 404, CASE, if_match="*")
    assert program.ask("POST", "/suites/support/cases", 201, CASE)["version"] == 4
    assert program.ask("GET", "/suites/support", 200)["version"] == 5


def test_the_second_of_two_editors_is_told_and_nothing_is_lost(program: Program) -> None:
    browsing.add(program.site.database, "support", CASE)
    seen = program.ask("GET", AT, 200)["etag"]
    program.ask("PUT", AT, 428, CASE | {"input": "Mine"})
    program.ask("PUT", AT, 200, CASE | {"input": "Theirs"}, if_match=seen)
    for stale in (seen, '"1"', "1", "W/" + seen, "x", ""):
        program.ask("PUT", AT, 412, CASE | {"input": "Mine"}, if_match=stale)
    now = program.ask("GET", AT, 200)
    assert (now["entry"]["input"], now["version"]) == ("Theirs", 2)
    assert program.ask("PUT", AT, 200, CASE | {"input": "Mine"}, if_match=f'"x", {now["etag"]}')["version"] == 3
    again = program.ask("PUT", AT, 200, CASE | {"input": "Mine"}, if_match="*")
    assert again["version"] == 3
    program.ask("DELETE", AT, 428)


def test_mistakes_of_a_case_are_all_told_and_nothing_is_done(program: Program) -> None:
    browsing.add(program.site.database, "support", CASE)
    for body, words in (
        ({"id": "x", "input": 3, "slices": {"a=b": 1}}, "slice"),
        ({"id": "", "input": "x"}, "id"),
        ({"id": "x"}, "input"),
    ):
        told = program.ask("POST", "/suites/support/cases", 422, body)
        assert words in json.dumps(told["errors"]), told
    program.ask("PUT", AT, 422, CASE | {"id": "other"}, if_match="*")
    program.ask("PUT", AT, 422, CASE | {"input": 3}, if_match='"stale"')
    program.ask("POST", "/suites", 422, {"name": "a/b"})
    program.ask("POST", "/suites", 422, {"name": 3})
    program.ask("POST", "/suites/none/cases", 404, CASE)
    for content, status in (
        (b'{"id": "x", "input": "\xff"}', 400),
        (b'{"id": "x", "input": "\\ud800"}', 400),
        (b'{"id": "x", "id": "y", "input": "z"}', 400),
        (b'{"id": "x", "input": NaN}', 400),
        (b"[" * 10_000, 400),
        (b"[]", 422),
        (b'{"input": "' + b"x" * 2**21 + b'"}', 413),
    ):
        headers = {"content-type": "application/json; charset=utf-8"}
        answer = program.client.post(f"{API}/suites/support/cases", content=content, headers=headers)
        assert (answer.status_code, answer.json()["status"]) == (status, status), content[:40]
    assert program.site.suites.count("support", CaseFilter()) == 1


def test_cases_are_found_and_come_in_pages(program: Program) -> None:
    tiers = ["free", "paid"]
    entries = [{"id": f"c{at}", "input": f"Word{at % 3}", "slices": {"tier": tiers[at % 2]}} for at in range(9)]
    browsing.add(program.site.database, "support", *entries)
    assert _pages(program, "/suites/support/cases?limit=4", "cases") == [[0, 1, 2, 3], [4, 5, 6, 7], [8]]
    found = _pages(program, "/suites/support/cases?slice=tier%3Dpaid&q=word1&limit=1", "cases")
    assert found == [[1], [7]]
    for query in ("limit=0", "limit=201", "after=-1", "slice=tier", "sliec=a=b", f"after={2**31}", "archived=x"):
        told = program.ask("GET", f"/suites/support/cases?{query}", 422)
        assert told["errors"][0]["where"].startswith("query."), told


def _pages(program: Program, path: str, what: str) -> list[list[int]]:
    pages = []
    while path:
        rows = program.ask("GET", path, 200)[what]
        pages.append([int(row["name"][1:]) if what == "cases" else row["id"] for row in rows])
        link = program.headers.get("link", "")
        path = link[1 : link.index(">")].removeprefix(API) if link else ""
    return pages


def test_runs_are_found_and_come_in_pages(program: Program) -> None:
    ids = {}
    for name, record in list(golden().items())[:18]:
        context = Context("acme/shop" if len(ids) % 2 else "acme/bot", "topic", "pull_request", len(ids) + 1)
        ids[name] = program.site.runs.add(record, (), context, NOW).id
    order = [row.id for row in program.site.runs.rows(RunFilter(), Page(1000))]
    seen = _pages(program, "/runs?limit=7", "runs")
    assert [one for part in seen for one in part] == order
    assert {len(part) for part in seen[:-1]} == {7}
    shop = _pages(program, "/runs?limit=7&repository=acme%2Fshop", "runs")
    assert {one for part in shop for one in part} == set(list(ids.values())[1::2])
    (one,) = program.ask("GET", "/runs?pull_request=3", 200)["runs"]
    assert one["id"] == list(ids.values())[2]
    blocked = program.ask("GET", "/runs?verdict=BLOCK&limit=200", 200)["runs"]
    assert {one["verdict"] for one in blocked} == {"BLOCK"}
    tag = program.headers["etag"]
    program.ask("GET", "/runs?verdict=BLOCK&limit=200", 304, if_none_match=tag)
    gone = seen[0][-1]
    prune(program.site.database, RetentionLimits(runs=NOW + timedelta(1)), NOW)
    assert "first page" in program.ask("GET", f"/runs?after={gone}", 404)["hint"]
    program.ask("GET", f"/runs/{gone}", 404)
    for bad in ("verdict=GREAT", "limit=x", f"after={2**63}", "pull_request=0", f"pull_request={2**31}", "x=1"):
        program.ask("GET", f"/runs?{bad}", 422)
    for bad in ("0", "x", str(2**63)):
        program.ask("GET", f"/runs/{bad}", 422)


def test_a_run_goes_in_once_and_comes_out_as_it_was(program: Program) -> None:
    text = dump_run(RUN).encode()
    origin = {"repository": "acme/shop", "branch": "topic", "event": "push"}
    first = program.push(201, text, SAMPLES, origin=json.dumps(origin))
    assert program.push(200, text, SAMPLES) == first | {"new": False}
    assert program.push(200, text) == first | {"new": False}
    assert "more samples" in program.push(409, text, SAMPLES[: SAMPLES.rindex(b"\n", 0, -1) + 1])["detail"]
    (row,) = program.ask("GET", "/runs", 200)["runs"]
    assert (row["samples"], row["pushed_by"], row["branch"]) == (12, "Ann (token ci)", "topic")
    whole = program.ask("GET", f"/runs/{first['id']}", 200)
    assert whole["record"] == json.loads(text)
    program.ask("GET", f"/runs/{first['id']}", 304, if_none_match=program.headers["etag"])
    assert len(program.site.runs.samples(first["id"], SUITE.name, "c001")) == 4


def created(moment: str) -> bytes:
    return dump_run(RUN).replace(RUN.created, moment).encode()


def test_what_is_no_whole_run_leaves_nothing_behind(program: Program) -> None:
    text = dump_run(RUN).encode()
    newer = text.replace(b"prompt-gate/run/1", b"prompt-gate/run/9")
    for run, samples, said in (
        (text[: len(text) // 2], None, "not JSON"),
        (newer, None, "and this version reads"),
        (text, SAMPLES[:-20], "cut off"),
        (text, SAMPLES + SAMPLES.splitlines(keepends=True)[0], "more samples"),
        # In UTC these are of the years 0 and 10000.
        (created("0001-01-01T00:00:00+23:59"), None, "is not a time"),
        (created("9999-12-31T23:59:59-23:59"), None, "is not a time"),
        (created("2026-11-23T09:30:00"), None, "no time zone"),
    ):
        told = program.push(422, run, samples)
        assert said in told["detail"], told
    for origin in ("{", '{"event": "A B"}', '{"evil": 1}'):
        program.push(422, text, origin=origin)
    assert program.site.runs.rows(RunFilter(), Page()) == ()


def form(run: bytes, samples: bytes) -> bytes:
    part = b'--edge\r\ncontent-disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n'
    return part % (b"run", b"run.json", run) + part % (b"samples", b"samples.jsonl", samples) + b"--edge--\r\n"


@pytest.mark.threat("push-cut")
def test_a_form_that_is_cut_off_anywhere_is_not_a_smaller_run(program: Program) -> None:
    whole = form(dump_run(RUN).encode(), SAMPLES)
    last = whole.index(b'name="samples"')
    headers = {"content-type": "multipart/form-data; boundary=edge"}
    for end in (10, 300, last - 60, last - 40, last, last + 200, len(whole) - 12, len(whole) - 4):
        answer = program.client.post(f"{API}/runs", content=whole[:end], headers=headers)
        assert answer.status_code == 400, (end, answer.text)
    assert program.site.runs.rows(RunFilter(), Page()) == ()
    for content, kind, status in (
        (whole, "multipart/form-data", 400),
        (whole, "text/plain", 415),
        (whole.replace(b'"samples"', b'"run"'), headers["content-type"], 422),
        (whole.replace(b'"samples"', b'"other"'), headers["content-type"], 422),
        (b"--edge--\r\n", headers["content-type"], 422),
    ):
        answer = program.client.post(f"{API}/runs", content=content, headers={"content-type": kind})
        assert (answer.status_code, answer.json()["status"]) == (status, status), kind
    assert program.client.post(f"{API}/runs", content=whole, headers=headers).status_code == 201


def test_a_store_that_is_away_is_told(tmp_path: Path, program: Program) -> None:
    secret = program.client.headers["authorization"]
    away = Program(server(Database(f"sqlite:///{tmp_path}/no/such/folder/gate.db")))
    away.client.headers["authorization"] = secret
    away.ask("GET", "/runs", 503)
    assert away.headers["retry-after"]
