"""Cases are tried, and checks and comparisons are begun, watched and cancelled, by the pages of the server."""

import json
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from gate.cases.stored import Page
from gate.record.comparison import Verdict
from gate.record.history import RunFilter
from gate.store.access import EventFilter
from gate.store.sql.suites import Suites
from gate.web import addresses
from gate.web.jobs import worker
from gate.web.jobs.job import JobRequest, StoredJobRun
from tests.support import forked, repository, web_jobs
from tests.support.command import git
from tests.support.model_server import Behaviour, ModelServer
from tests.support.web_jobs import Shop, job_of, judged

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
TWO_ROUNDS = {
    "do": "try",
    "kind": "agent",
    "name": "asks-twice",
    "rounds.1.prompt": "What are my listings?",
    "rounds.2.prompt": "And the first one?",
    "rounds.2.criteria": "Names the first one",
}


@pytest.fixture(scope="module")
def models() -> Iterator[ModelServer]:
    with ModelServer(Behaviour()) as server:
        yield server


@pytest.fixture
def shop(tmp_path: Path, models: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    for name, value in web_jobs.environment(models.url).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GATE_DATABASE_URL", raising=False)
    models.ledger.clear()
    # A fork spares each job a second; `tests/browser/test_product_manager.py` begins one as the server does.
    command = (str(forked.python(tmp_path)), worker.__file__)
    with web_jobs.shop(tmp_path, models, command) as made:
        yield made


@pytest.fixture
def ann(shop: Shop) -> TestClient:
    return shop.browser()


def send(browser: TestClient, address: str, page: str, **fields: str) -> tuple[int, str, str]:
    """Send a form of a page; its status, text and the address that it led to."""
    answer = browser.post(address, data={**fields})
    return answer.status_code, unescape(answer.text), str(answer.url)


def noted(shop: Shop) -> list[tuple[str, str, str]]:
    events = shop.site.audit.events(EventFilter(), Page())
    return [(one.who, one.what, one.about) for one in reversed(events)]


def runs(shop: Shop) -> int:
    return len(shop.site.runs.rows(RunFilter(), Page()))


def test_a_case_is_tried_as_it_is_typed_and_nothing_is_saved(shop: Shop, ann: TestClient) -> None:
    shop.server.behaviour = Behaviour(
        answer=lambda system, user: HOSTILE if "listings" in user else "The first one",
        judgement=lambda system, user: judged(0.9, "It names <b>it</b>"),
    )
    form = ann.get(addresses.new_case("support")).text
    status, offer, _ = send(ann, addresses.case("support", "", "try"), form, **TWO_ROUNDS)
    assert (status, "Try asks-twice" in offer.replace("<bdi>", "")) == (200, True)
    assert "openai:gpt-5-mini: $0.25 and $2.00" in offer
    assert "Estimate without cached answers:" in offer
    entry = offer.split('name="entry" value="')[1].split('">')[0]
    _, _, at = send(ann, "/case/try/begin?suite=support", offer, entry=entry, target="support", do="start")
    job = shop.over(job_of(at))
    assert (job.phase, job.order.label, job.progress.done) == ("done", "asks-twice", 1)
    shown = ann.get(at).text
    assert "✓ Passed" in shown and "It names &lt;b&gt;it&lt;/b&gt;" in shown
    assert "<script>document" not in shown and "&lt;script&gt;document" in shown
    assert [(one.round, one.value) for one in job.opinions] == [(1, 0.9), (2, 0.9)]
    assert shown.count("It names &lt;b&gt;it&lt;/b&gt;") == 2 and "judge, round by round" in shown
    assert noted(shop) == [("Ann", "job-started", "try: asks-twice, on support, at most 200 calls")]
    assert "The first one" in shown and "And the first one?" in shown
    assert "sk-ant" not in shown and "sk-openai" not in shown
    assert (runs(shop), len(Suites(shop.database).case("support", "asks-twice"))) == (0, 0)


@pytest.mark.threat("job-keys")
def test_what_a_provider_refuses_is_told_with_a_remedy(shop: Shop, ann: TestClient) -> None:
    shop.server.behaviour = Behaviour(faults=("401",) * 9)
    offer = ann.get(addresses.case("support", "c1", "try")).text
    entry = unescape(offer.split('name="entry" value="')[1].split('">')[0])
    _, _, at = send(ann, "/case/try/begin?suite=support", offer, entry=entry, target="support", do="start")
    assert shop.over(job_of(at)).phase == "failed"
    shown = ann.get(at).text
    assert "answered 401" in shown and "check OPENAI_API_KEY" in shown and "Ask its administrator" in shown
    assert "sk-openai" not in shown


def test_a_check_and_a_comparison_are_watched_and_their_runs_are_in_the_store(shop: Shop, ann: TestClient) -> None:
    shop.server.behaviour = replace(shop.server.behaviour, latency_s=0.1)
    form = ann.get("/jobs/new").text
    _, reckoned, _ = send(ann, "/jobs/new", form, kind="check", calls="5", do="reckon")
    assert "8 calls, about $" in reckoned and "more than the limit of 5 calls" in reckoned
    _, _, at = send(ann, "/jobs/new", form, kind="check", suite="support", calls="100", do="start")
    repository.write(shop.repo, {web_jobs.PROMPT: "Help them quickly.\n"})
    _, _, next_at = send(ann, "/jobs/new", form, kind="diff", base="released", calls="100", do="start")
    waiting = shop.jobs.find(job_of(next_at))
    assert waiting is not None and (waiting.phase, shop.jobs.place(waiting)) == ("waiting", 1)
    assert "Next in the queue." in ann.get(next_at).text
    with ann.stream("GET", f"{at.partition('?')[0]}/events") as stream:
        told = [line for line in stream.iter_lines() if line.startswith("data: ")]
    assert json.loads(told[0].removeprefix("data: "))["said"] == "Running"
    # Whether the last step is told depends on how soon the job is over.
    assert any(" of 4" in line and "tier=paid" in line for line in told)
    job = shop.over(job_of(at))
    assert isinstance(job.outcome, StoredJobRun) and job.outcome.said == "PASS: 4 of 4 cases passed"
    assert f'href="/runs/{job.outcome.run}"' in ann.get(at).text
    second = shop.over(job_of(next_at))
    assert isinstance(second.outcome, StoredJobRun) and second.outcome.run is not None, second
    row = shop.site.runs.row(second.outcome.run)
    assert row is not None and (row.verdict, row.context.pushed_by) == (Verdict.HOLD, "Ann")
    assert runs(shop) == 2
    assert noted(shop) == [
        ("Ann", "job-started", "check: support, at most 100 calls"),
        ("Ann", "job-started", "diff: all suites against released, at most 100 calls"),
    ]


@pytest.mark.threat("job-ends")
def test_cancelling_stops_calls_and_leaves_no_run(shop: Shop, ann: TestClient) -> None:
    shop.server.behaviour = Behaviour(answer=lambda system, user: "late", latency_s=60)
    job = shop.jobs.begin(JobRequest("check", by="Bob"))
    shop.until(job.id, lambda job: job.progress.total > 0)
    page = ann.get(addresses.job(job.id)).text
    _, shown, _ = send(ann, addresses.job(job.id, "cancel"), page)
    assert "Cancelling" in shown
    assert shop.over(job.id).phase == "cancelled"
    assert "run is not in the store" in ann.get(addresses.job(job.id)).text
    assert (runs(shop), shop.server.ledger) == (0, [])
    send(ann, addresses.job(job.id, "cancel"), page)
    assert noted(shop) == [("Ann", "job-cancelled", "check: all suites, at most 5,000 calls, started by Bob")]


@pytest.mark.threat("job-commit")
def test_the_code_of_a_commit_that_is_nobodys_branch_is_not_run(shop: Shop, ann: TestClient) -> None:
    """Who gets a pull request fetched into the server's clone has not got code onto the server."""
    tree = git(shop.repo, "rev-parse", "HEAD^{tree}")
    foreign = git(shop.repo, "commit-tree", "-m", "evil", tree)
    git(shop.repo, "update-ref", "refs/pull/7/head", foreign)
    for base in (foreign, "refs/pull/7/head"):
        page = ann.get("/jobs/new").text
        status, shown, _ = send(ann, "/jobs/new", page, kind="diff", base=base, calls="100", do="reckon")
        assert (status, "is not a branch, a tag" in shown) == (422, True)
    page = ann.get("/jobs/new").text
    assert send(ann, "/jobs/new", page, kind="diff", base="HEAD", calls="100", do="reckon")[0] == 200


WRONG: tuple[tuple[dict[str, str], str], ...] = (
    ({"kind": "diff", "base": "--upload-pack=x"}, "cannot be a git ref"),
    ({"kind": "diff", "base": " "}, "nothing to compare with"),
    ({"kind": "check", "suite": "../../etc"}, "there is no suite named"),
    ({"kind": "check", "calls": "many"}, "The maximum of calls is not"),
    ({"kind": "sh"}, "Unknown kind of job"),
)


@pytest.mark.threat("job-refs")
def test_what_a_form_names_has_to_be_there(shop: Shop, ann: TestClient) -> None:
    page = ann.get("/jobs/new").text
    for fields, told in WRONG:
        status, shown, _ = send(ann, "/jobs/new", page, **{"calls": "100", "do": "reckon", **fields})
        assert (status, told in shown, shop.jobs.all()) == (422, True, []), fields


@pytest.mark.threat("job-case")
@pytest.mark.parametrize(
    "scorers",
    [
        [{"python": {"function": "evals.checks:polite"}}],
        [{"database": {"url": "GATE_DATABASE_URL", "query": "SELECT 1", "equals": 1}}],
    ],
)
def test_a_case_reaches_no_further_than_its_suite(shop: Shop, ann: TestClient, scorers: list[object]) -> None:
    repository.write(shop.repo, {"evals/checks.py": "def polite(sample):\n    return 1.0\n"})
    offer = ann.get(addresses.case("support", "c1", "try")).text
    entry = json.dumps({"name": "reaches", "prompt": "Hi", "scorers": scorers})
    status, shown, _ = send(ann, "/case/try/begin?suite=support", offer, entry=entry, target="support", do="reckon")
    assert (status, shop.server.ledger) == (422, [])
    assert "which is not allowed for cases of a store" in shown, shown


def test_without_a_configuration_pages_say_how_to_get_one(shop: Shop, ann: TestClient) -> None:
    (shop.repo / "gate.yaml").unlink()
    for address in ("/jobs", "/jobs/new", addresses.case("support", "c1", "try")):
        assert "it has no <code>gate.yaml</code>" in ann.get(address).text


def test_mistakes_in_a_typed_case_are_told_and_nothing_is_asked(shop: Shop, ann: TestClient) -> None:
    form = ann.get(addresses.new_case("support")).text
    status, shown, _ = send(
        ann, addresses.case("support", "", "try"), form, **{**TWO_ROUNDS, "threshold": "7", "do": "try"}
    )
    assert (status, "threshold" in shown, "Go back to the form" in shown) == (422, True, True)
    assert not shop.server.ledger
