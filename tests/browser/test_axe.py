"""What axe-core finds wrong with a page for people who use a keyboard, a screen reader, or little contrast."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from gate.domain.stored_suite import Archive
from gate.store.sql.engine import Database
from gate.store.sql.suites import By, Suites
from gate.web import addresses
from gate.web.casecheck import put, read_entry
from tests.browser.conftest import AXE
from tests.support import browsing

TWO = {
    **{"name": "two", "description": "Both", "test_agent_revival": True, "slices": {"tier": "pro"}, "facts": "none"},
    "rounds": [{"prompt": "Hi", "expected_tools": ["list"]}, {"prompt": "And?", "judge_threshold": 0.5}],
}
PAGES = [
    *(
        "/",
        "/tokens",
        "/new-suite",
        "/suite?name=no",
        addresses.suite("support"),
        addresses.suite("support", "", q="nothing"),
    ),
    *(addresses.suite("empty"), addresses.suite("support", "history"), addresses.suite("support", "import")),
    *(addresses.new_case("support"), addresses.case("support", "two"), addresses.case("support", "gone")),
    *(addresses.case("support", "two", "history"), addresses.case("support", "two", "duplicate")),
]


def fill(database: Database) -> None:
    many = [{"id": f"c{number}", "input": "Where is it?", "slices": {"tier": "free"}} for number in range(60)]
    browsing.add(database, "support", TWO, *many, {"id": "gone", "input": "x"})
    suites = Suites(database)
    suites.change("empty", [], browsing.ANN)
    edited = {**TWO, "description": "Both of them"}
    suites.change("support", [put(read_entry(edited), edited, 1)], By("Bob", browsing.NOW))  # type: ignore[arg-type]
    suites.change("support", [Archive("gone", 1)], browsing.ANN)


@pytest.fixture
def seen(chromium: Browser, server: str, database: Database, scheme: str) -> Iterator[Page]:
    fill(database)
    context = chromium.new_context(base_url=server, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def serious(page: Page) -> list[tuple[str, str, list[str]]]:
    page.add_script_tag(path=AXE)
    found: dict[str, Any] = page.evaluate("axe.run()")
    return [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical", "moderate")
    ]


def test_axe_finds_nothing_on_any_page(seen: Page) -> None:
    found = {}
    for address in PAGES:
        seen.goto(address)
        for one in serious(seen):
            found[address, one[0]] = one
    assert found == {}


def test_axe_finds_nothing_where_something_is_wrong(seen: Page, database: Database) -> None:
    seen.goto(addresses.case("support", "two"))
    seen.get_by_role("textbox", name="Threshold").last.fill("very")
    seen.get_by_role("button", name="Save").click()
    assert "Not saved yet" in seen.inner_text("main")
    assert serious(seen) == []
    seen.goto(addresses.case("support", "two"))
    newer = {**TWO, "description": "Bob's"}
    Suites(database).change("support", [put(read_entry(newer), newer, 2)], By("Bob", browsing.NOW))  # type: ignore[arg-type]
    seen.get_by_label("Description").fill("Mine")
    seen.get_by_role("button", name="Save").click()
    assert "Bob changed this case meanwhile" in seen.inner_text("main")
    assert serious(seen) == []


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_its_window(seen: Page, width: int) -> None:
    seen.set_viewport_size({"width": width, "height": 800})
    for address in PAGES:
        seen.goto(address)
        assert seen.evaluate("document.documentElement.scrollWidth") <= width, address


def test_axe_is_looking(seen: Page) -> None:
    seen.goto("/")
    bad = "<input><p style='color: #999; background: #aaa'>Some grey words</p>"
    seen.evaluate("bad => document.querySelector('main').innerHTML = bad", bad)
    assert {one[0] for one in serious(seen)} >= {"label", "color-contrast"}
