"""The HTML report in a browser: sorted, filtered and read with a keyboard; nothing is loaded, and nothing runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from gate.report.page.document import render_page
from gate.report.page.samples import gather_samples
from tests.browser.test_axe import serious
from tests.golden.hostile import hostile
from tests.golden.runs import runs
from tests.support.large_run import answered_run
from tests.support.runs import table_of

CASES = 24
ATTACKS = (
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "javascript:window.ran=1",
    '"><svg onload=window.ran=1><a href="javascript:window.ran=1">x</a>',
    "safe\u202egnirts desrever\u202c",
    "x" * 1_000_000,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("pages")
    run, samples = answered_run(CASES, 9)
    pages = {
        "answered": render_page(run, gather_samples(run, table_of(samples))),
        "agents": render_page(runs()["agents"]),
        "hostile": render_page(hostile(ATTACKS)),
    }
    for name, page in pages.items():
        (found / f"{name}.html").write_text(page, encoding="utf-8", errors="replace")
    return found


@pytest.fixture
def report(chromium: Browser, folder: Path) -> Iterator[Page]:
    """A tab in which a page says nothing to the console, and asks for nothing but itself."""
    context = chromium.new_context()
    tab = context.new_page()
    wrong: list[str] = []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text))
    tab.on("request", lambda asked: None if asked.url.startswith(folder.as_uri()) else wrong.append(asked.url))
    tab.goto((folder / "answered.html").as_uri())
    yield tab
    context.close()
    assert wrong == []


def rows(tab: Page) -> list[str]:
    """Names of the cases that are there to be seen, from the top."""
    visible = "rows => rows.filter(row => !row.hidden && !row.className).map(row => row.cells[0].textContent)"
    found: list[str] = tab.locator("table.cases tbody tr").evaluate_all(visible)
    return found


def test_cases_are_sorted_filtered_and_opened_with_the_keyboard(report: Page) -> None:
    assert len(rows(report)) == CASES
    head = report.locator("table.cases").get_by_role("columnheader", name="Case")
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert rows(report) == sorted(rows(report))
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert rows(report) == sorted(rows(report), reverse=True)
    change = report.locator("table.cases").get_by_role("columnheader", name="Change")
    change.get_by_role("button").press(" ")
    assert head.get_attribute("aria-sort") is None
    fallen = rows(report)[0]
    link = report.get_by_role("link", name=fallen)
    link.press("Enter")
    assert link.get_attribute("aria-expanded") == "true"
    article = report.get_by_role("article", name=f"Case {fallen}")
    expect(article).to_be_visible()
    expect(article.get_by_role("heading", name="Candidate").first).to_be_visible()
    change.get_by_role("button").press("Enter")
    below = link.evaluate("link => link.closest('tr').nextElementSibling.className")
    assert below == "opened"
    link.press("Enter")
    expect(article).to_be_hidden()


def test_what_is_searched_for_stays_and_is_counted(report: Page) -> None:
    report.get_by_role("combobox", name="Slice").select_option(label="lang=de")
    german = rows(report)
    count = report.get_by_role("status")
    assert count.inner_text() == f"{len(german)} of {CASES} cases"
    report.get_by_role("combobox", name="State").select_option("dropped")
    dropped = rows(report)
    assert 0 < len(dropped) < len(german)
    report.get_by_role("spinbutton", name="Change from").fill("-0.5")
    assert {*rows(report)} < {*dropped}
    report.get_by_role("button", name="Clear").click()
    assert count.inner_text() == f"{CASES} cases"
    # Words of an answer are found, too.
    report.get_by_role("searchbox").fill("language of the question")
    assert 0 < len(rows(report)) < CASES
    report.get_by_role("searchbox").fill("no such word")
    assert count.inner_text() == f"0 of {CASES} cases"


def test_without_script_every_answer_can_be_reached(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((folder / "answered.html").as_uri())
    expect(tab.get_by_role("search")).to_have_count(0)
    tab.locator("table.cases a").first.click()
    expect(tab.locator("#case-1")).to_be_visible()
    context.close()


def test_paper_has_the_folds_open_no_controls_and_headings_on_every_page(report: Page, tmp_path: Path) -> None:
    report.emulate_media(media="print")
    report.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(report.locator("#case-1")).to_be_visible()
    expect(report.locator(".filters")).to_be_hidden()
    expect(report.get_by_role("navigation")).to_be_hidden()
    report.evaluate("dispatchEvent(new Event('afterprint'))")
    assert report.locator("details[open]").count() == 0
    paper = tmp_path / "report.pdf"
    report.pdf(path=paper, format="A5")
    text = "\n".join(page.extract_text(extraction_mode="layout") for page in PdfReader(paper).pages)
    heads = [line.split() for line in text.splitlines() if "Before → after" in line and "Slices" in line]
    assert len(heads) > 1
    # A button of a heading is drawn on the first page alone.
    assert all({"Case", "Change", "Cost", "Latency"} <= {*head} for head in heads), heads


def test_an_answer_from_right_to_left_begins_on_the_right(report: Page) -> None:
    report.locator("a[data-open]").first.click()
    answer = report.locator("tr.opened pre").last
    answer.evaluate("pre => { pre.textContent = 'اختر الفاتورة'; }")
    right, edge = answer.evaluate(
        "pre => { const words = document.createRange(); words.selectNodeContents(pre);"
        " return [words.getBoundingClientRect().right, pre.getBoundingClientRect().right]; }"
    )
    assert edge - right < 30


@pytest.mark.threat("page-script")
def test_nothing_of_a_hostile_run_is_executed(report: Page, folder: Path) -> None:
    report.goto((folder / "hostile.html").as_uri())
    for link in report.locator("a[data-open]").all():
        link.click()
    assert report.evaluate("window.ran") is None
    assert report.evaluate("[...document.links].every(link => link.getAttribute('href')[0] === '#')")


def test_axe_finds_nothing_and_no_page_is_wider_than_its_window(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context(color_scheme="light", bypass_csp=True)
    tab = context.new_page()
    for name in ("agents", "answered"):
        tab.goto((folder / f"{name}.html").as_uri())
        tab.locator("a[data-open]").first.click()
        for width in (1280, 360):
            tab.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        assert serious(tab) == []
    # In the dark all but the colours is the same.
    tab.emulate_media(color_scheme="dark")
    assert serious(tab, "color-contrast") == []
    context.close()
