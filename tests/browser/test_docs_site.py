"""The documentation, read in a browser from a disk: it is searched and turned dark, and asks nobody for anything."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.support.docsite.build import build

PAGES = ("tutorial.html", "statistics.html", "reference/commands.html")


def test_the_site_needs_nobody_else(chromium: Browser, tmp_path: Path) -> None:
    site, _ = build(tmp_path)
    page = chromium.new_page(color_scheme="light")
    asked: list[str] = []
    broken: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: broken.append(f"{request.url}: {request.failure}"))
    page.goto((site / "index.html").as_uri())
    expect(page.get_by_role("heading", level=1)).to_contain_text("Prompt Gate")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    page.get_by_title("Dark colours").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")

    page.keyboard.press("/")
    page.keyboard.type("sign-flip test")
    expect(page.get_by_role("link", name="statistics").first).to_be_visible()

    for name in PAGES:
        page.goto((site / name).as_uri())
        expect(page.locator("article")).to_be_visible()
    page.set_viewport_size({"width": 375, "height": 800})
    # Wide tables and code scroll separately, not with the page.
    for name in ("scorers.html", "inputs.html", "how-to/troubleshooting.html"):
        page.goto((site / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, name

    assert [url for url in asked if not url.startswith(("file://", "data:", "blob:"))] == []
    # Whoever turns a page before its icon is there ends that request: nothing is amiss with the file.
    assert [failure for failure in broken if not failure.endswith("net::ERR_ABORTED")] == []
