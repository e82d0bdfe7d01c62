"""Somebody tries a case that is not saved yet, and what they typed is still there afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from gate.store.sql.suites import Suites
from gate.web import addresses
from tests.browser.conftest import AXE, served
from tests.support import web_jobs
from tests.support.model_server import Behaviour, ModelServer
from tests.support.web_jobs import Shop, judged

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with ModelServer(Behaviour()) as models:
        for name, value in web_jobs.environment(models.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("GATE_DATABASE_URL", raising=False)
        with web_jobs.shop(tmp_path, models) as made:
            yield made


@pytest.fixture
def server(shop: Shop) -> Iterator[str]:
    with served(shop.site) as address:
        yield address


def violations(page: Page) -> list[str]:
    # As a file of a page: the policy of ours lets no script in.
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run({preload: false})")["violations"]
    return [one["id"] for one in found if one["impact"] in ("serious", "critical", "moderate")]


def test_a_case_is_tried_from_its_form_and_watched(page: Page, shop: Shop) -> None:
    shop.server.behaviour = Behaviour(
        answer=lambda system, user: HOSTILE, judgement=lambda system, user: judged(0.4, f"Not kind {HOSTILE}")
    )
    page.goto(addresses.new_case("support"))
    page.get_by_label("Name").fill("asks-twice")
    page.get_by_label("User prompt").fill("What are my listings?")
    page.get_by_role("button", name="Add a round").click()
    page.get_by_label("User prompt").last.fill("And the first one?")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Try it").click()
    trying = opened.value
    expect(trying.get_by_role("heading", level=1)).to_have_text("Try asks-twice")
    expect(trying.get_by_text("Estimate without cached answers: 4 calls")).to_be_visible()
    trying.get_by_role("button", name="Try it").click()
    expect(trying.get_by_text("✕ Failed")).to_be_visible()
    expect(trying.get_by_role("list", name="judge, round by round").get_by_role("listitem")).to_have_count(2)
    expect(trying.locator("details.talk").get_by_text("And the first one?")).to_be_visible()
    found = {"tried": violations(trying)}
    assert (trying.title().count("owned"), trying.locator("img[src=x]").count()) == (0, 0)
    for address in ("/jobs", "/jobs/new"):
        trying.goto(address)
        found[address] = violations(trying)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    expect(page.get_by_label("User prompt").last).to_have_value("And the first one?")
    assert Suites(shop.database).case("support", "asks-twice") == ()
