import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from gate.cases.stored import Page
from gate.record.history import Context
from gate.store.access import Event, EventFilter, Scope
from gate.store.run_folder import dump_run
from gate.store.sql.access import TokenRequest, Tokens
from gate.web import addresses
from gate.web.jobs.board import Jobs
from gate.web.site import WebSite
from tests.e2e.web.test_api import AT, CASE, RUN, Program
from tests.e2e.web.test_routes import ROLES
from tests.golden.runs import runs as golden
from tests.support import stores, team_login
from tests.support.browsing import NOW

CI = TokenRequest("deploy", "Ann", frozenset(Scope))
CONFIG = """\
version: 1
suites:
  - {name: s, prompt: p.md, cases: c.jsonl, model: "fake:oracle", scorers: [contains]}
"""


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebSite]:
    with stores.with_tables(tmp_path_factory.mktemp("audit")) as database:
        yield team_login.server(database, team_login.proxy())


@pytest.fixture
def ann(site: WebSite) -> TestClient:
    return team_login.browser(site, "Ann")


LEFT_OUT = {"/case/check", "/case/try", "/logout"}
"""They only answer what was typed; and there is no logout behind a proxy."""


@dataclass(frozen=True)
class Step:
    """A form that somebody sends, and what the log says then."""

    path: str
    fields: Mapping[str, object]
    noted: tuple[str, str]
    asked: str = ""

    @property
    def address(self) -> str:
        """With what is asked for; the path where nothing is."""
        return self.asked or self.path


def steps(run: int, of: str, case: str) -> list[Step]:
    """One or more for each address that changes something."""
    suite, a = partial(addresses.suite, "support"), partial(addresses.case, "support", "a")
    tag = {"do": "set", "dimension": "tier", "value": "x", "case": "a"}
    kept = {"suite": of, "case": case, "into": "support", "name": "kept"}
    tried = {"entry": '{"id": "a", "input": "Hi"}', "target": "s", "do": "start"}
    check = {"kind": "check", "calls": "7", "usd": "2.5", "do": "start"}
    diff = {"kind": "diff", "suite": "s", "base": "main", "calls": "9", "do": "start"}
    return [
        Step("/new-suite", {"suite": "support"}, ("suite-created", "support")),
        Step("/case/new", {"name": "a", "prompt": "Hi"}, ("case-added", "support: a"), addresses.new_case("support")),
        Step("/case", {"name": "a", "prompt": "Hello", "base": "1"}, ("case-edited", "support: a"), a()),
        Step("/suite/tag", tag, ("cases-tagged", "support: set, 1 cases"), suite("tag")),
        Step("/suite/import", {"version": "4"}, ("cases-imported", "support: b.jsonl"), suite("import")),
        Step("/case/archive", {"base": "3"}, ("case-archived", "support: a"), a("archive")),
        Step("/case/restore", {"base": "4", "number": "1"}, ("case-restored", "support: a"), a("restore")),
        Step("/runs/{id}/case", kept, ("case-added", "support: kept"), f"/runs/{run}/case"),
        Step("/case/try/begin", tried, ("job-started", "try: a, on s, at most 200 calls"), a("try/begin")),
        Step("/jobs/new", check, ("job-started", "check: all suites, at most 7 calls and $2.50")),
        Step("/jobs/new", diff, ("job-started", "diff: s against main, at most 9 calls")),
        Step("/jobs/{id}/cancel", {}, ("job-cancelled", "diff: s against main, at most 9 calls, started by Ann")),
        Step("/tokens", {"name": "ci", "scope": "runs:write", "days": "30"}, ("token-created", "1, ci: runs:write")),
        Step("/tokens/revoke", {"id": "1"}, ("token-revoked", "1")),
    ]


@pytest.mark.threat("web-audit")
def test_every_address_that_changes_something_is_in_the_table() -> None:
    found = {path for method, path in ROLES if method != "GET"}
    assert {step.path for step in steps(1, "s", "c")} | LEFT_OUT == found


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Jobs]:
    """Jobs that wait for their end."""
    (tmp_path / "gate.yaml").write_text(CONFIG, "utf-8")
    with Jobs(tmp_path, lambda: NOW, 1, ("sh", "-c", "cat > /dev/null")) as jobs:
        yield jobs


@pytest.mark.threat("web-audit")
def test_whatever_changes_or_takes_something_is_in_the_log(site: WebSite, begun: Jobs) -> None:
    site = replace(site, jobs=begun)
    ann = team_login.browser(site, "Ann")
    record = next(iter(golden().values()))
    run = site.runs.add(record, (), Context(), NOW).id
    suite = record.suites[0]
    for step in steps(run, suite.name, suite.cases[0].id):
        job = begun.all()[0].id if "/jobs/" in step.path else ""
        files = {"file": ("b.jsonl", b'{"id": "b", "input": "Ho"}\n')} if "import" in step.path else None
        data = {"do": "import" if files else "save", **step.fields}
        answer = ann.post(step.address.replace("{id}", job or "2"), data=data, files=files)
        assert answer.status_code in (200, 303), (step, answer.text)
        (newest,) = site.audit.events(EventFilter(), Page(1))
        assert (newest.who, newest.what, newest.about) == ("Ann", *step.noted), step
    assert ann.get(addresses.suite("support", "export", version=2)).status_code == 200
    assert "cases exported" in ann.get("/audit?what=cases-exported").text
    assert "diff: s against main, at most 9 calls, started by Ann" in ann.get("/audit?what=job-cancelled").text


def test_the_log_is_read_page_by_page_and_filtered(site: WebSite, ann: TestClient) -> None:
    for number in range(120):
        who = "Bob" if number % 2 else "<b>Eve"
        site.audit.add(Event(NOW, who, "case-edited", f"support: c{number:03}"))
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
        assert "No entry matches" in ann.get(f"/audit?{odd}").text
    assert ann.get("/audit?after=-1").status_code == ann.get("/audit?who=" + "x" * 300).status_code == 422


@pytest.mark.threat("web-audit")
def test_what_a_program_changes_is_in_the_log(site: WebSite, ann: TestClient) -> None:
    program = Program(site, *Scope)
    program.client = team_login.browser(site)
    program.client.headers["authorization"] = f"Bearer {Tokens(site.database).create(CI, NOW).secret}"
    program.ask("POST", "/suites", 201, {"name": "support"})
    program.ask("POST", "/suites/support/cases", 201, CASE)
    program.ask("PUT", AT, 200, CASE | {"input": "When?"}, if_match="*")
    program.ask("PUT", AT, 412, CASE, if_match='"x"')
    program.ask("DELETE", AT, 204, if_match="*")
    program.push(201, dump_run(RUN).encode())
    program.push(200, dump_run(RUN).encode())
    events = reversed(site.audit.events(EventFilter(), Page(99)))
    assert [(one.who, one.what, one.about) for one in events] == [
        ("Ann (token deploy)", "suite-created", "support"),
        ("Ann (token deploy)", "case-added", "support: a/b 1"),
        ("Ann (token deploy)", "case-edited", "support: a/b 1"),
        ("Ann (token deploy)", "case-archived", "support: a/b 1"),
        ("Ann (token deploy)", "run-pushed", "1"),
    ]
