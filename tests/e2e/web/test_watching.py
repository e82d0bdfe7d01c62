"""What whoever looks after the server sees: health, a log without secrets, metrics."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient

from gate.record.history import Context
from gate.store.access import Scope
from gate.store.sql.access import TokenRequest, Tokens
from gate.store.sql.database import Database
from gate.store.sql.retention import RetentionLimits, prune
from gate.store.sql.runs import Runs
from gate.web import monitoring
from gate.web.app import inner_app, run_daily
from gate.web.error_pages import WatchedApp
from gate.web.login import Login
from gate.web.logs import Fault, log_to
from tests.golden.runs import runs as golden
from tests.support import browsing, stores, team_login

SECRETS = ("s3cret-word", "s3cret-cookie", "s3cret-token", "s3cret-typed")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with stores.with_tables(tmp_path) as database:
        yield database


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


def client(database: Database, lines: io.StringIO, login: Login | None = None, here: str = "127.0.0.1") -> TestClient:
    site = replace(browsing.site(database, "Ann\n\x1b[31m"), log=log_to(lines, "json"), login=login)
    return browsing.browser(browsing.served(site), "https://testserver", client=(here, 5000))


def told(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


@pytest.mark.threat("web-error-page")
def test_each_request_is_a_line_without_what_was_asked(database: Database, lines: io.StringIO) -> None:
    ann = client(database, lines)
    ann.cookies.set("other", "s3cret-cookie")
    headers = {"authorization": "Bearer s3cret-token"}
    answers = [
        ann.get("/suite?name=s3cret-word", headers=headers),
        ann.post("/new-suite", data={"name": "s3cret-typed"}, headers=headers),
        ann.get("/runs/1"),
        ann.get("/nowhere/s3cret-word"),
        ann.get("/static/site.css?v=s3cret-word"),
        ann.request("S3CRET", "/"),
    ]
    found = told(lines)
    assert [(one["method"], one["route"], one["status"]) for one in found] == [
        ("GET", "/suite", 404),
        ("POST", "/new-suite", 422),
        ("GET", "/runs/{id}", 404),
        ("GET", "", 404),
        ("GET", "/static", 200),
        ("other", "/", 405),
    ]
    assert [one["request"] for one in found] == [answer.headers["x-request-id"] for answer in answers]
    assert len({one["request"] for one in found}) == len(found)
    assert found[0]["person"] == "Ann\n\x1b[31m"
    assert "\x1b" not in lines.getvalue()
    assert not [secret for secret in SECRETS if secret in lines.getvalue()]
    assert str(found[2]["request"]) in answers[2].text


@pytest.mark.threat("web-error-page")
def test_a_fault_is_a_plain_page_and_its_traceback_is_in_the_log(database: Database, lines: io.StringIO) -> None:
    ann = client(database, lines)
    Runs(database).add(next(iter(golden().values())), (), Context(), browsing.NOW)
    database.write(lambda db: db.execute(text("UPDATE runs SET verdict = 'no verdict'")))
    answer = ann.get("/runs?s3cret-word=1")
    assert answer.status_code == 500
    last = told(lines)[-1]
    assert str(last["request"]) in answer.text
    assert "Traceback" in str(last["traceback"])
    assert "s3cret-word" not in lines.getvalue()
    assert "no verdict" not in answer.text
    assert answer.headers["content-security-policy"]


def newer(database: Database) -> None:
    database.write(lambda db: db.execute(text("UPDATE alembic_version SET version_num = '9999'")))


def gone(database: Database) -> None:
    assert database.file is not None
    database.close()
    for path in database.file.parent.glob("gate.db*"):
        path.unlink()
    database.file.mkdir()


@pytest.mark.threat("web-readyz")
@pytest.mark.parametrize(("spoil", "reason"), [(newer, "another version"), (gone, "does not answer")])
def test_a_store_that_cannot_be_used_is_told_without_details(
    database: Database, lines: io.StringIO, spoil: Callable[[Database], None], reason: str
) -> None:
    ann = client(database, lines, login=team_login.oidc())
    spoil(database)
    answer = ann.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
    assert reason in answer.json()["reason"]
    assert "gate.db" not in answer.text
    assert ann.get("/healthz").status_code == 200


@pytest.mark.parametrize(("login", "for_people"), [(None, True), (team_login.proxy(), False)])
def test_where_the_store_is_stands_in_the_log_and_is_no_stranger_s_business(
    database: Database, lines: io.StringIO, login: Login | None, for_people: bool
) -> None:
    site = replace(browsing.site(database), log=log_to(lines, "json"), login=login)
    app = inner_app(site)

    @app.get("/asks")
    def asks() -> None:
        database.read(lambda db: db.execute(text("SELECT 1")))

    gone(database)
    watched = WatchedApp(app, site.now, (site.log,))
    answer = browsing.browser(watched).get("/asks")
    assert answer.status_code == 503
    assert ("gate.db" in answer.text) is for_people
    assert "gate.db" in str(told(lines)[-1]["error"])


@pytest.mark.threat("web-readyz")
def test_a_store_that_falls_silent_takes_no_more_than_its_time(
    database: Database, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = threading.Event()
    database.read = lambda work: silent.wait(60)
    monkeypatch.setattr(monitoring, "READY_WITHIN_S", 0.05)
    ann = client(database, lines)
    try:
        assert [ann.get("/readyz").status_code for _ in range(3)] == [503, 503, 503]
    finally:
        silent.set()


def test_metrics_count_what_happened_and_what_is_stored(database: Database, lines: io.StringIO) -> None:
    ann = client(database, lines)
    for path in ("/runs/1", "/runs/2", "/s3cret/1", "/s3cret/2"):
        ann.get(path)
    found = ann.get("/metrics").text
    assert 'gate_requests_total{method="GET",route="/runs/{id}",status="404"} 2.0' in found
    assert 'gate_requests_total{method="GET",route="none",status="404"} 2.0' in found
    assert 'gate_request_seconds_count{method="GET",route="/runs/{id}"} 2.0' in found
    assert "gate_store_runs 0.0" in found
    assert "gate_database_connections_used" in found
    assert "s3cret" not in found


@pytest.mark.threat("web-metrics")
@pytest.mark.parametrize(
    ("login", "here"), [(team_login.oidc(), "127.0.0.1"), (None, "10.1.2.3"), (None, "testclient")]
)
def test_metrics_are_not_for_everybody(database: Database, lines: io.StringIO, login: Login | None, here: str) -> None:
    answer = client(database, lines, login, here).get("/metrics")
    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert "metrics:read" in answer.json()["detail"]
    assert "gate_requests" not in answer.text


@pytest.mark.threat("web-metrics")
def test_metrics_of_a_server_of_many_are_for_a_token_with_their_scope(database: Database, lines: io.StringIO) -> None:
    there = client(database, lines, team_login.oidc(), "10.1.2.3")
    there.base_url = "https://testserver"
    found = {}
    for scope in (Scope.METRICS_READ, Scope.RUNS_READ):
        secret = (
            Tokens(database).create(TokenRequest(scope.value, "prometheus", frozenset({scope})), browsing.NOW).secret
        )
        found[scope] = there.get("/metrics", headers={"authorization": f"Bearer {secret}"})
    assert (found[Scope.METRICS_READ].status_code, "gate_store_up 1.0" in found[Scope.METRICS_READ].text) == (200, True)
    assert (found[Scope.RUNS_READ].status_code, "gate_store_up" in found[Scope.RUNS_READ].text) == (403, False)
    assert there.get("/metrics", headers={"authorization": "Bearer pgate_none"}).status_code == 401


@pytest.mark.threat("web-log-line")
def test_a_text_log_ends_no_line_early_and_survives_a_closed_pipe() -> None:
    out = io.StringIO()
    log = log_to(out, "text")
    log(Fault(browsing.NOW, "warning", "odd\nGET /forged 200 \x1b[31m"))
    assert out.getvalue() == "2026-11-23 09:30:00 warning odd�GET /forged 200 �[31m\n"
    out.close()
    log(Fault(browsing.NOW, "warning", "nobody reads"))


def test_what_retention_removed_is_told_on_its_pages(database: Database, lines: io.StringIO) -> None:
    run = next(run for run in golden().values() if run.suites and run.suites[0].cases)
    runs = Runs(database)
    id = runs.add(run, (), Context(), browsing.NOW).id
    ann, suite = client(database, lines), run.suites[0]
    case = next(case for case in suite.cases if case.candidate_outputs)
    address = f"/runs/{id}/case?{urlencode({'suite': suite.name, 'case': case.id})}"
    assert "retention time" not in ann.get(address).text + ann.get(f"/runs/{id}").text
    prune(database, RetentionLimits(outputs=browsing.NOW), browsing.NOW)
    for page in (ann.get(address), ann.get(f"/runs/{id}")):
        assert page.status_code == 200
        assert "deleted on 2026-11-23" in page.text
    assert str(case.candidate_outputs[0].text)[:20] not in ann.get(address).text.partition("<h2>Answers</h2>")[2]
    add_one = next(other for other in golden().values() if other != run)
    prune(database, RetentionLimits(runs=browsing.NOW), browsing.NOW)
    runs.add(add_one.model_copy(update={"created": "2026-11-23T09:31:00+00:00"}), (), Context(), browsing.NOW)
    assert "1 run made before 2026-11-23 was deleted by retention on 2026-11-23" in ann.get("/runs").text


def test_the_daily_work_is_done_at_once_and_told_where_it_fails(database: Database, lines: io.StringIO) -> None:
    done = threading.Event()

    def work() -> None:
        done.set()
        raise ValueError("the store was away")

    site = replace(browsing.site(database), log=log_to(lines, "json"), daily=work)
    with run_daily(site):
        assert done.wait(10)
    assert told(lines)[0]["error"] == "the daily work failed: the store was away"


def test_it_lives_and_is_ready(database: Database, lines: io.StringIO) -> None:
    ann = client(database, lines, login=team_login.oidc())
    for path in ("/healthz", "/readyz"):
        # Whoever looks after machines calls them by an address.
        answer = ann.get(path, headers={"host": "10.1.2.3:8765"})
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert ann.get("/runs", headers={"host": "10.1.2.3:8765"}).status_code == 400
