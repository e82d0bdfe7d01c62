"""Measures the HTML report of a large run: time to render, size, and time to open and search it in Chromium.

python -m benchmarks.page [--cases 1000] [--slices 30] [--keep PAGE.html]
"""

import argparse
import resource
import shutil
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gate.report.page.document import render_page
from tests.support.large_run import answered_run, source_of

GOAL_BYTES, GOAL_S = 3_000_000, 1.0


def opened(page: str) -> tuple[float, float] | None:
    """Seconds to load the page in Chromium and to search it; None without Chromium."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        return None
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        browser = play.chromium.launch(executable_path=found, args=["--no-sandbox"])
        tab = browser.new_page()
        begin = time.perf_counter()
        tab.goto(file.as_uri(), wait_until="load")
        tab.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        loaded = time.perf_counter() - begin
        begin = time.perf_counter()
        tab.fill("[data-search]", "c00")
        tab.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        searched = time.perf_counter() - begin
        browser.close()
    return loaded, searched


def main() -> None:
    """Render one page, open it, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--slices", type=int, default=30)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    run, samples = answered_run(options.cases, options.slices)
    begin = time.perf_counter()
    page = render_page(run, source_of(samples))
    took = time.perf_counter() - begin
    if options.keep:
        options.keep.write_text(page, encoding="utf-8")
    table = Table("figure", "value", "goal")
    size = len(page.encode())
    table.add_row("cases, samples", f"{options.cases:,}, {len(samples):,}", "")
    table.add_row("time to render", f"{took:.2f} s", "")
    table.add_row("size", f"{size:,} bytes", f"{GOAL_BYTES:,}")
    times = opened(page)
    if times is not None:
        table.add_row("time to open in Chromium", f"{times[0]:.2f} s", f"{GOAL_S:.1f} s")
        table.add_row("time to search", f"{times[1]:.2f} s", "")
    table.add_row("peak memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB", "")
    Console().print(table)


if __name__ == "__main__":
    main()
