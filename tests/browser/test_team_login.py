"""Somebody logs in with OpenID Connect, begins a suite, and leaves; axe looks at what nobody else sees."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from gate.store.sql.database import Database
from gate.web.site import WebSite
from tests.browser.test_axe import serious
from tests.support import oidc_provider, team_login
from tests.support.oidc_provider import Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    with oidc_provider.running() as found:
        found.person = {"sub": "u-1", "email": "eve@example.org", "email_verified": True}
        yield found


@pytest.fixture
def site(database: Database, provider: Provider) -> WebSite:
    # Without an address of its own the server takes that of this machine, which has no TLS.
    login = team_login.oidc(provider.issuer, editors=("@example.org",), viewers=())
    return replace(team_login.server(database, login), url="")


def test_an_editor_logs_in_begins_a_suite_and_leaves(chromium: Browser, server: str, provider: Provider) -> None:
    context = chromium.new_context(base_url=server, bypass_csp=True, viewport={"width": 360, "height": 800})
    eve, found = context.new_page(), {}

    def looked(page: Page) -> None:
        for one in serious(page):
            found[page.url, one[0]] = one
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url

    eve.goto("/new-suite")
    expect(eve.get_by_role("heading", level=1)).to_have_text("Log in")
    looked(eve)
    eve.get_by_role("link", name="Log in with 127.0.0.1").click()
    expect(eve).to_have_url(f"{server}/new-suite")
    eve.get_by_label("Name").fill("support")
    eve.get_by_role("button", name="Create suite").click()
    expect(eve.get_by_role("heading", level=1)).to_have_text("support")
    eve.get_by_role("link", name="Audit log").click()
    expect(eve.get_by_role("row").filter(has_text="suite created")).to_contain_text("eve@example.org")
    looked(eve)
    eve.get_by_role("button", name="Log out").click()
    expect(eve.get_by_role("status")).to_have_text("You are logged out.")
    eve.goto("/")
    expect(eve.get_by_role("heading", level=1)).to_have_text("Log in")

    provider.person = {"sub": "u-2", "email": "bob@example.net", "email_verified": True}
    eve.get_by_role("link", name="Log in with 127.0.0.1").click()
    expect(eve.get_by_role("alert")).to_contain_text("bob@example.net, but you have no access")
    looked(eve)
    context.close()
    assert found == {}
