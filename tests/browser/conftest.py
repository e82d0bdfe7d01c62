"""A real browser on a real server; what it needs is Debian's Chromium."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright

from gate.store.sql.database import Database
from gate.web.app import create_app
from gate.web.site import WebSite
from tests.support import browsing, stores

expect.set_options(timeout=60_000)  # a busy machine takes its time
AXE = Path(__file__).parent / "axe" / "axe.min.js"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.fail("the browser tests need Chromium: apt-get install chromium")
    with sync_playwright() as play:
        # In a container there is no user whom the sandbox would protect.
        browser = play.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with stores.with_tables(tmp_path) as found:
        yield found


@pytest.fixture
def site(database: Database) -> WebSite:
    return browsing.site(database)


@contextmanager
def served(site: WebSite) -> Iterator[str]:
    """The address of a site, as long as it is served."""
    config = uvicorn.Config(create_app(site), port=0, log_level="warning", access_log=False)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


@pytest.fixture
def server(site: WebSite) -> Iterator[str]:
    """The address of a site."""
    with served(site) as address:
        yield address


@pytest.fixture
def page(chromium: Browser, server: str) -> Iterator[Page]:
    """A page whose script has no error and that asks no other server for anything."""
    context = chromium.new_context(base_url=server)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("request", lambda asked: None if asked.url.startswith(server) else wrong.append(asked.url))
    yield page
    context.close()
    assert wrong == []
