"""The rows about files: the image of the action, and the HTML report."""

import shutil
import time
from pathlib import Path

from benchmarks.speed.rows import Plan, Row, median
from gate.report.page.document import render_page
from gate.report.page.samples import gather_samples
from tests.image.buildah import Buildah
from tests.image.builder import STORAGE, image_name, image_of
from tests.support.large_run import answered_run
from tests.support.runs import table_of

UNPACKED_MB, COMPRESSED_MB = 220, 80
PAGE_MB, OPENED_S = 3, 1.0
PAINTED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


def image(plan: Plan) -> list[Row]:
    """The size of the image that `make image-test` builds, on disk and as it is pushed."""
    buildah, name = Buildah(STORAGE), image_name("action")
    if not shutil.which("buildah") or not STORAGE.is_dir() or buildah.ask("inspect", "--type", "image", name).code:
        plan.note("There is no image: `make image-test`.")
        return []
    built = image_of(buildah, "action")
    return [
        Row("image: unpacked", built.size, UNPACKED_MB, "MB"),
        Row("image: compressed", built.compressed(plan.fresh() / "image"), COMPRESSED_MB, "MB"),
    ]


def page(plan: Plan) -> list[Row]:
    """The HTML report of 6,000 answers of realistic length."""
    cases = 100 if plan.quick else 1_000
    recorded, samples = answered_run(cases, 20)
    html = render_page(recorded, gather_samples(recorded, table_of(samples)))
    file = plan.fresh() / "report.html"
    file.write_text(html, encoding="utf-8")
    rows = [Row(f"report.html: size, {len(samples):,} samples", file.stat().st_size / 1e6, PAGE_MB, "MB")]
    if chromium := shutil.which("chromium") or shutil.which("google-chrome"):
        opened = median(_opened(chromium, file) for _ in range(plan.rounds))
        return [*rows, Row(f"report.html: opened in Chromium, {len(samples):,} samples", opened, OPENED_S)]
    plan.note("Chromium is not installed: the time to open report.html was not measured.")
    return rows


def _opened(chromium: str, file: Path) -> float:
    """Seconds from the address to the painted page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        began = time.monotonic()
        tab.goto(file.as_uri(), wait_until="load")
        tab.evaluate(PAINTED)
        took = time.monotonic() - began
        browser.close()
    return took
