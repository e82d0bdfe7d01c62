"""What axe-core finds wrong with a page for people who use a keyboard, a screen reader, or little contrast."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from gate.cases.case import Case
from gate.cases.reading import put_of
from gate.cases.stored import Archive, Entry
from gate.record.history import Context
from gate.record.transcript import ArmName, Part, Reply, Sample, ToolUse, Transcript, Turn
from gate.store.run_folder import sample_line
from gate.store.sql.database import Database
from gate.store.sql.runs import KeptSample, Runs
from gate.store.sql.suites import Authorship, Suites
from gate.web import addresses
from tests.browser.conftest import AXE
from tests.golden.runs import runs as golden
from tests.support import browsing
from tests.support.run_records import finished
from tests.support.runs import suite, take

TWO: Entry = {
    **{"name": "two", "description": "Both", "test_agent_revival": True, "slices": {"tier": "pro"}, "facts": "none"},
    "rounds": [{"prompt": "Hi", "expected_tools": ["list"]}, {"prompt": "And?", "judge_threshold": 0.5}],
}
LAST = addresses.suite("support", after=50)
GONE = "/suite?name=no"
PAGES = (
    *("/", "/tokens", GONE, LAST, addresses.suite("support", "import")),
    *(addresses.case("support", "two"), addresses.case("support", "two", "history")),
    *("/runs", "/runs/1", "/runs/3/cases", addresses.case_of_run(3, "support", "c001")),
    *("/trends?suite=support", "/flaky?suite=support", "/judges?suite=support", "/overrides"),
)
"""One of each kind."""
COLOURFUL = (LAST, "/runs/1", addresses.case_of_run(3, "support", "c001"), "/trends?suite=support")


def score(case: Case, arm: ArmName, index: int) -> float:
    return float(index if arm is ArmName.CANDIDATE else 1)


def spoken(one: Sample) -> Sample:
    """The same at the end of a conversation in which one tool failed."""
    uses = (ToolUse("find_order", '{"id": 7}', "late"), ToolUse("find_order", '{"id": 8}', "none", failed=True))
    turns = (Turn(0, "Hi", "case", "Hello", uses), Turn(1, "And now?", "case", f"On day {one.index}"))
    assert isinstance(one.reply, Reply)
    text = f"It comes on day {one.index} for {one.arm.value}"
    rounds = tuple(Part("round", f"round {number}", 1.0, reason="It greets back") for number in (1, 2))
    scores = tuple(replace(score, parts=rounds) for score in one.scores)
    return replace(one, reply=replace(one.reply, text=text, transcript=Transcript("s", turns)), scores=scores)


def fill(database: Database) -> None:
    many: list[Entry] = [
        {"id": f"c{number}", "input": "Where is it?", "slices": {"tier": "free"}} for number in range(51)
    ]
    browsing.add(database, "support", TWO, *many, {"id": "gone", "input": "x"})
    suites = Suites(database)
    edited: Entry = {**TWO, "description": "Both of them"}
    suites.change("support", [put_of(edited, 1)], Authorship("Bob", browsing.NOW))
    suites.change("support", [Archive("gone", 1)], browsing.ANN)
    context = Context("acme/shop", "topic", "pull_request", 7, "ci")
    for name in ("judged", "override-refused"):
        Runs(database).add(golden()[name], (), context, browsing.NOW)
    asked = suite([{"tier": "free"}, {"tier": "pro"}], samples=2)
    talks = (KeptSample(one, sample_line(one)) for one in map(spoken, take(asked, score)))
    Runs(database).add(finished([asked], score), talks, Context(), browsing.NOW)


@pytest.fixture
def seen(chromium: Browser, server: str, database: Database) -> Iterator[Page]:
    fill(database)
    context = chromium.new_context(base_url=server, color_scheme="light", bypass_csp=True)
    context.add_init_script(path=AXE)
    yield context.new_page()
    context.close()


def serious(page: Page, *rules: str) -> list[tuple[str, str, list[str]]]:
    """What these rules find, or all of them."""
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    only = {"runOnly": list(rules)} if rules else {}
    found: dict[str, Any] = page.evaluate("only => axe.run({preload: false, ...only})", only)
    return [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]


def test_axe_finds_nothing_on_any_page_and_none_is_wider_than_its_window(seen: Page) -> None:
    """In the dark all but the colours is the same."""
    found = {}
    for address in PAGES:
        answer = seen.goto(address)
        assert answer is not None and answer.status == (404 if address == GONE else 200), address
        for width in (1280, 360):
            seen.set_viewport_size({"width": width, "height": 800})
            assert seen.evaluate("document.documentElement.scrollWidth") <= width, (address, width)
        for one in serious(seen):
            found[address, one[0]] = one
        if address in COLOURFUL:
            seen.emulate_media(color_scheme="dark")
            for one in serious(seen, "color-contrast"):
                found[address, "dark"] = one
            seen.emulate_media(color_scheme="light")
    assert found == {}


def test_axe_finds_nothing_where_something_is_wrong(seen: Page, database: Database) -> None:
    seen.goto(addresses.case("support", "two"))
    seen.get_by_role("textbox", name="Threshold").last.fill("very")
    seen.get_by_role("button", name="Save").click()
    assert "Not saved" in seen.inner_text("main")
    assert serious(seen) == []
    seen.emulate_media(color_scheme="dark")
    assert serious(seen, "color-contrast") == []
    seen.goto(addresses.case("support", "two"))
    newer: Entry = {**TWO, "description": "Bob's"}
    Suites(database).change("support", [put_of(newer, 2)], Authorship("Bob", browsing.NOW))
    seen.get_by_label("Description").fill("Mine")
    seen.get_by_role("button", name="Save").click()
    assert "Bob changed this case in the meantime" in seen.inner_text("main")
    assert serious(seen) == []


def test_axe_is_looking(seen: Page) -> None:
    seen.goto("/")
    bad = "<input><p style='color: #999; background: #aaa'>Some grey words</p>"
    seen.evaluate("bad => document.querySelector('main').innerHTML = bad", bad)
    assert {one[0] for one in serious(seen)} >= {"label", "color-contrast"}
    seen.emulate_media(color_scheme="dark")
    assert {one[0] for one in serious(seen, "color-contrast")} == {"color-contrast"}
