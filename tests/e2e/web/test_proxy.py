"""A reverse proxy names the person in a header, which is believed of the proxy alone."""

from collections.abc import Iterator

import pytest

from gate.store.access import Scope
from gate.store.sql.access import TokenRequest, Tokens
from gate.web.site import WebSite
from tests.support import stores, team_login
from tests.support.browsing import NOW
from tests.support.team_login import HEADER


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebSite]:
    with stores.with_tables(tmp_path_factory.mktemp("proxy")) as database:
        yield team_login.server(database, team_login.proxy(editors=("Ann", "@example.org"), viewers=("Zoë",)))


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("Ann", (200, 200)),
        ("ann", (403, 403)),
        ("@example.org", (403, 403)),
        ("bob@Example.org", (200, 200)),
        ("Zoë", (200, 403)),
        ("example.org", (403, 403)),
        ("", (403, 403)),
        ("A\tb", (403, 403)),
    ],
)
def test_the_lists_say_who_may_do_what(site: WebSite, name: str, statuses: tuple[int, int]) -> None:
    there = team_login.browser(site)
    headers = {HEADER: name.encode()} if name else {}
    pages = ("/", "/new-suite")
    assert tuple(there.get(page, headers=headers).status_code for page in pages) == statuses


@pytest.mark.threat("proxy-header")
def test_a_header_that_comes_twice_names_nobody(site: WebSite) -> None:
    """A client sent one, and the proxy added another instead of replacing it."""
    answer = team_login.browser(site).get("/", headers=[(HEADER, "Ann"), (HEADER, "Bob")])
    assert (answer.status_code, "did not send your user name" in answer.text) == (403, True)


@pytest.mark.threat("proxy-header")
@pytest.mark.parametrize("address", ["127.0.0.1", "::ffff:192.0.2.99", "testclient"])
def test_requests_from_any_other_address_are_refused(site: WebSite, address: str) -> None:
    there = team_login.browser(site, "Ann", address)
    token = Tokens(site.database).create(TokenRequest("ci", "Ann", frozenset(Scope)), NOW).secret
    asked = there.get("/"), there.get("/api/v1/runs", headers={"authorization": f"Bearer {token}"})
    assert [(one.status_code, "only from its proxy" in one.text) for one in asked] == [(403, True)] * 2
    forwarded = there.get("/", headers={"x-forwarded-for": team_login.PROXY})
    assert forwarded.status_code == 403
    assert there.get("/healthz").status_code == there.get("/readyz").status_code == 200
