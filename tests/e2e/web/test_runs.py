"""Runs in the browser, on both databases; what answers say is text."""

import html
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from gate.cases.case import Case
from gate.cases.stored import CaseFilter, CaseWrite, Page
from gate.record.history import Context
from gate.record.run import RunRecord
from gate.record.transcript import ArmName, Part, Reply, Sample, Score, ToolUse, Transcript, Turn
from gate.store.run_folder import sample_line
from gate.store.sql.database import Database
from gate.store.sql.runs import KeptSample
from gate.store.sql.suites import Authorship
from gate.web.site import WebSite
from tests.golden.runs import runs as golden
from tests.support import browsing
from tests.support.run_records import CREATED, finished
from tests.support.runs import suite, take

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
CI = Context("acme/shop", "topic", "pull_request", 7, "ci")
SUITE = suite([{"tier": "free"}, {"tier": "paid"}, {"tier": "paid"}, {"tier": "free"}], samples=2)
HOSTILE = "<script>alert(1)</script><b>x</b> \u202eevil\u202c \x00\x1b[31m \ud800 & \"' }}{{ 7*7 }}"


@dataclass(frozen=True, slots=True)
class Browser:
    """A site, and somebody who looks at it."""

    site: WebSite
    client: TestClient

    def get(self, address: str, status: int = 200) -> str:
        answer = self.client.get(address)
        assert answer.status_code == status, (address, answer.text[:2000])
        return answer.text

    def add(self, record: RunRecord, samples: list[Sample] | None = None, context: Context = CI) -> int:
        kept = (KeptSample(one, sample_line(one)) for one in samples or ())
        return self.site.runs.add(record, kept, context, NOW).id


@pytest.fixture
def browser(database: Database) -> Browser:
    site = WebSite(database, frozenset({"testserver"}), lambda: NOW, person="Ann")
    return Browser(site, browsing.browser(browsing.served(site)))


def score(case: Case, arm: ArmName, index: int) -> float | None:
    if case.id == "c003":
        return None if arm is ArmName.CANDIDATE else 1.0
    worse = arm is ArmName.CANDIDATE and case.id == "c001"
    better = arm is ArmName.BASELINE and case.id == "c002"
    return 0.0 if worse or better else 1.0


def at(minutes: int = 0) -> RunRecord:
    return finished([SUITE], score, CREATED + timedelta(minutes=minutes))


def said(text: str, samples: list[Sample]) -> list[Sample]:
    """The same with another answer of the candidate."""
    return [
        replace(one, reply=replace(one.reply, text=text))
        if one.arm is ArmName.CANDIDATE and isinstance(one.reply, Reply)
        else one
        for one in samples
    ]


def links(page: str, start: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'href="([^"]*)"', page) if found.startswith(start)]


def names(page: str) -> list[str]:
    return re.findall(r"<bdi>(c\d\d\d)</bdi>", page)


def test_where_nothing_is_yet_a_page_says_what_to_do(browser: Browser) -> None:
    assert "gate push" in browser.get("/runs")
    assert "gate push" in browser.get("/trends")
    for address in ("/flaky", "/judges", "/overrides"):
        assert 'class="empty"' in browser.get(address)


def test_every_kind_of_run_is_shown_with_its_cases_and_answers(browser: Browser) -> None:
    kinds = ("agents", "block", "check-block", "judged", "several-suites")
    ids = {name: browser.add(golden()[name]) for name in kinds}
    followed = 0
    for name, id in ids.items():
        page = browser.get(f"/runs/{id}")
        assert f"Prompt Gate: {golden()[name].verdict}" in page
        for cases in links(page, f"/runs/{id}/cases"):
            for address in links(browser.get(cases), f"/runs/{id}/case?")[:1]:
                browser.get(address)
                followed += 1
    assert followed > 2


def test_the_report_is_that_of_the_pull_request(browser: Browser) -> None:
    page = browser.get(f"/runs/{browser.add(golden()['block'])}")
    for told in ("dropped by 0.417", "regression", "lang=de", "</article>", '<td class="right">'):
        assert told in page
    assert "style=" not in page, "the page's own policy has browsers ignore it"
    assert page.count("<h1") == 1
    assert page.index("<h1") < page.index("<h2")


def test_runs_are_filtered_and_wrong_filters_are_told(browser: Browser) -> None:
    mine = browser.add(at())
    other = browser.add(at(1), context=Context("acme/other", "main", "push"))
    assert f'"/runs/{mine}"' in browser.get("/runs?pull_request=%237&verdict=&suite=&repository=&branch=")
    assert f'"/runs/{other}"' not in browser.get("/runs?pull_request=7")
    assert f'"/runs/{other}"' in browser.get("/runs?branch=main")
    assert "No run matches" in browser.get("/runs?repository=' OR ''='")
    assert "No run matches" in browser.get("/runs?suite=%00%F0%9F&branch=%FF")
    assert "must be a number" in browser.get("/runs?pull_request=seven", 422)
    assert "must be a number" in browser.get(f"/runs?pull_request={'9' * 40}", 422)
    assert "no such verdict" in browser.get("/runs?verdict=RED", 422)
    browser.get(f"/runs?after={10**30}", 422)


def test_cases_are_ordered_and_chosen(browser: Browser) -> None:
    cases = f"/runs/{browser.add(at())}/cases?suite=support"
    assert names(browser.get(cases)) == ["c001", "c000", "c002", "c003"]
    assert names(browser.get(f"{cases}&sort=best")) == ["c002", "c000", "c001", "c003"]
    assert names(browser.get(f"{cases}&sort=case")) == ["c000", "c001", "c002", "c003"]
    assert names(browser.get(f"{cases}&which=worse")) == ["c001"]
    assert names(browser.get(f"{cases}&which=better")) == ["c002"]
    assert names(browser.get(f"{cases}&which=failed")) == ["c003"]
    assert names(browser.get(f"{cases}&slice=tier%3Dfree")) == ["c000", "c003"]
    assert "No case matches" in browser.get(f"{cases}&slice=tier%3Dnone")
    assert "No case matches" in browser.get(f"{cases}&page=9")


def test_differences_are_marked_word_by_word(browser: Browser) -> None:
    id = browser.add(at(), said("yes indeed", take(SUITE, score)))
    page = browser.get(f"/runs/{id}/case?suite=support&case=c001")
    assert "yes<ins> indeed</ins>" in page
    assert "question 1" in page


@pytest.mark.threat("web-answer")
def test_what_an_answer_says_is_text(browser: Browser) -> None:
    scored = [
        replace(one, scores=(Score("<i>judge", 0.5, HOSTILE, parts=(Part("judge", "<u>m", 0.5),)),))
        if isinstance(one.score, float)
        else one
        for one in said(HOSTILE, take(SUITE, score))
    ]
    id = browser.add(at(), scored)
    page = browser.get(f"/runs/{id}/case?suite=support&case=c001")
    assert "&lt;script&gt;alert(1)" in page.replace("<ins>", "").replace("</ins>", "")
    assert not re.search(r"<script|<b>|<i>|<u>", page)
    assert not re.search("[\u202e\x00\x1b]", page)
    assert "⟨U+202E⟩" in page
    assert "49" not in re.sub(r"<[^>]*>", "", page[page.index("Answers") : page.index("Save")])


def test_an_answer_of_a_megabyte_is_cut_and_had_whole_as_a_file(browser: Browser) -> None:
    long = "word " * 200_000 + "the end"
    id = browser.add(at(), said(long, take(SUITE, score)))
    page = browser.get(f"/runs/{id}/case?suite=support&case=c001")
    assert len(page) < 300_000
    assert "characters left out" in page
    file = browser.client.get(links(page, f"/runs/{id}/text")[0])
    assert file.text == long
    assert file.headers["content-disposition"].startswith("attachment")


def test_tools_and_rounds_of_a_conversation_are_shown(browser: Browser) -> None:
    use = ToolUse("get_listings", '{"city": "Rome"}', "<none>", failed=True)
    turns = (Turn(0, "Hello", "case", "Hi", (use,)), Turn(1, "And in Rome?", "case", "None"))
    parts = (Part("round", "round 1", 1.0, reason="greets <b>back</b>"), Part("round", "round 2", 0.25))
    older = tuple(replace(part, reason="") for part in parts)
    talks = [
        replace(
            one,
            reply=replace(one.reply, text="None", transcript=Transcript("s", turns)),
            scores=(Score("judge", 0.5, "round 2: too short", parts=older if one.arm is ArmName.BASELINE else parts),),
        )
        if isinstance(one.reply, Reply)
        else one
        for one in take(SUITE, score)
    ]
    id = browser.add(at(), talks)
    page = browser.get(f"/runs/{id}/case?suite=support&case=c001")
    for told in ("get_listings(", "failed:", "&lt;none&gt;", "And in Rome?", "<strong>Round 2</strong> 0.250"):
        assert told in page
    before, after = page.split('aria-label="Candidate, sample 1"')
    assert ("round 2: too short" in before, "greets" in before) == (True, False)
    after = after.split("</section>")[0]
    assert ("round 2: too short" in after, "greets &lt;b&gt;back&lt;/b&gt;" in after) == (False, True)
    browser.site.suites.change("support", [CaseWrite("x", {"id": "x", "input": "y"})], Authorship("Ann", NOW))
    assert keep(browser, id, name="kept").status_code == 303
    entry = browser.site.suites.case("support", "kept")[0].entry
    assert entry is not None
    assert entry["rounds"] == [{"prompt": "Hello"}, {"prompt": "And in Rome?"}]


def keep(browser: Browser, id: int, **form: str):
    fields = {"suite": "support", "case": "c001", "into": "support"} | form
    return browser.client.post(f"/runs/{id}/case", data=fields, follow_redirects=False)


def test_a_case_is_made_of_a_sample_once(browser: Browser) -> None:
    id = browser.add(at(), take(SUITE, score))
    assert "no suites in the store" in browser.get(f"/runs/{id}/case?suite=support&case=c001")
    browser.site.suites.change("support", [CaseWrite("x", {"id": "x", "input": "y"})], Authorship("Ann", NOW))
    answer = keep(browser, id, name="kept")
    assert answer.status_code == 303
    made = browser.get(answer.headers["location"])
    assert "was added to the suite" in made
    assert browser.get(links(made, "/case?")[0]).count("From run")
    version = browser.site.suites.case("support", "kept")[0]
    assert version.author == "Ann"
    assert version.entry == {
        "id": "kept",
        "description": f"From run {id}, case c001 of suite support",
        "input": "question 1",
        "expected": "yes",
        "slices": {"tier": "paid"},
    }
    found = browser.site.suites.cases("support", CaseFilter(("question",), {"tier": "paid"}), Page())
    assert [one.version.name for one in found] == ["kept"]


def test_a_case_that_cannot_be_made_is_told_and_nothing_is_lost(browser: Browser) -> None:
    id = browser.add(at(), take(SUITE, score))
    browser.site.suites.change("support", [CaseWrite("x", {"id": "x", "input": "y"})], Authorship("Ann", NOW))
    for form, told in (
        ({"name": "x"}, "already has a case x"),
        ({"name": ""}, "id"),
        ({"name": "new", "into": "gone"}, "has no suite"),
    ):
        answer = keep(browser, id, **form)
        assert (answer.status_code, told in answer.text) == (422, True)
        assert f'name="name" value="{form["name"]}"' in answer.text
    assert keep(browser, id, name="new", case="none").status_code == 404
    newest = browser.site.suites.newest("support")
    assert newest is not None
    assert newest.number == 1


def test_trends_draw_a_point_for_each_run_and_the_same_in_a_table(browser: Browser) -> None:
    browser.add(at(0))
    assert "needs two runs" in browser.get("/trends?suite=support")
    ids = [browser.add(at(1), context=replace(CI, event="push")), browser.add(at(2))]
    page = browser.get("/trends?suite=support&slice=tier%3Dpaid")
    chart, table = page[page.index("<svg") : page.index("</svg>")], page[page.index("Figures") :]
    for id in ids:
        assert f'href="/runs/{id}"' in chart
        assert f'href="/runs/{id}"' in table
    assert chart.count("<a ") == 3
    assert chart.count('class="merged"') == 1
    assert 'class="whisker"' in chart
    assert "$0.0010" in browser.get("/trends?suite=support&axis=cost")
    assert "has this figure" in browser.get("/trends?suite=none")
    browser.get("/trends?axis=beauty", 422)


def test_cases_over_time_judges_and_overrides_are_shown(browser: Browser) -> None:
    def varied(case: Case, arm: ArmName, index: int) -> float:
        return float(index) if case.id == "c000" else 1.0

    for minutes in range(2):
        browser.add(finished([SUITE], varied, CREATED + timedelta(minutes=minutes)))
    page = browser.get("/flaky?suite=support")
    flaky, mute = page[page.index("Flaky") : page.index("never differ")], page[page.index("never differ") :]
    assert names(flaky) == ["c000"]
    assert "0.707" in flaky
    assert names(mute) == ["c000", "c001", "c002", "c003"]
    assert "always 1" in mute
    browser.add(golden()["judged"])
    assert "with each other" in browser.get(f"/judges?suite={golden()['judged'].suites[0].name}")
    browser.add(golden()["override-run"])
    page = browser.get("/overrides")
    assert "olivia" in page
    assert "see &lt;b&gt;#12&lt;/b&gt;" in page
