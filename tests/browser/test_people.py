"""Somebody gets an account, comes in with it, and works; axe looks at each page on the way."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from gate.domain.people import Role
from gate.store.sql.engine import Database
from gate.web.site import Site
from tests.browser.test_axe import serious
from tests.support import people
from tests.support.people import WORD


@pytest.fixture
def site(database: Database) -> Site:
    found = people.server(database)
    people.add(found, "Ann", Role.ADMIN)
    return found


def log_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_an_admin_invites_an_editor_who_begins_a_suite(chromium: Browser, server: str, scheme: str) -> None:
    small: Any = {"color_scheme": scheme, "viewport": {"width": 360, "height": 800}}
    contexts = [chromium.new_context(base_url=server, bypass_csp=True, **small) for _ in range(2)]
    ann, eve = (context.new_page() for context in contexts)
    found = {}

    def looked(page: Page) -> None:
        for one in serious(page):
            found[page.url, one[0]] = one
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url

    ann.goto("/accounts")
    log_in(ann, "Ann", "wrong")
    expect(ann.get_by_role("alert")).to_contain_text("do not fit together")
    looked(ann)
    log_in(ann, "Ann", WORD)
    expect(ann.get_by_role("heading", level=1)).to_have_text("Accounts")
    ann.get_by_label("Name", exact=True).fill("Eve")
    ann.get_by_label("Role", exact=True).select_option("editor")
    ann.get_by_role("button", name="Make the account").click()
    first = ann.locator(".once").inner_text()
    looked(ann)

    eve.goto("/new-suite")
    log_in(eve, "Eve", first)
    expect(eve.get_by_role("heading", level=1)).to_have_text("Eve")
    looked(eve)
    eve.get_by_label("Password so far").fill(first)
    for label in ("New password", "New password again"):
        eve.get_by_label(label, exact=True).fill("a word of her own")
    eve.get_by_role("button", name="Change the password").click()
    eve.get_by_label("Name").fill("support")
    eve.get_by_role("button", name="Begin the suite").click()
    expect(eve.get_by_role("heading", level=1)).to_have_text("support")

    ann.get_by_role("link", name="What was done").click()
    expect(ann.get_by_role("row").filter(has_text="suite made")).to_contain_text("Eve")
    looked(ann)
    eve.get_by_role("button", name="Log out").click()
    expect(eve.get_by_role("status")).to_have_text("You are logged out.")
    looked(eve)
    for context in contexts:
        context.close()
    assert found == {}
