"""The folder of a run, with every report that belongs in it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gate.errors import GateError
from gate.record.run import RunRecord
from gate.record.sample import Sample
from gate.report.markdown.report import render_report
from gate.store.run_folder import RunFolder

SARIF = "report.sarif"
"""Written by the action, which knows the changed lines of both sides."""


def run_folder(path: Path) -> RunFolder:
    """A folder for `run.json`, `samples.jsonl`, `report.md`, `report.html` and `junit.xml`."""
    reports = {
        "report.md": render_report,
        "report.html": lambda run: page(run, path),
        "junit.xml": lambda run: _junit(run, path),
    }
    # What these load is not needed before the end.
    return RunFolder(path, reports, beside=(SARIF,))


def page(run: RunRecord, folder: Path | None) -> str:
    """The report for a browser.

    Args:
        folder: may hold the run's `samples.jsonl`; None where there is none.
    """
    from gate.report.page.document import render_page

    if folder is None or not run.evaluated:
        return render_page(run)
    # What takes samples apart takes as long to load as the whole of a run that evaluates nothing.
    from gate.engine.record_parts import transcript_record
    from gate.report.page.cases import SampleSource
    from gate.store.samples import SAMPLES_FILE

    if not (folder / SAMPLES_FILE).is_file():
        return render_page(run)
    return render_page(run, SampleSource(_samples(folder), transcript_record))


def _junit(run: RunRecord, folder: Path) -> str:
    from gate.report.exports import junit

    if not run.evaluated:
        return junit.render(run)
    from gate.store.samples import seconds_of

    return junit.render(run, seconds_of(folder))


def _samples(folder: Path) -> Iterator[Sample]:
    """As many samples as can be read, up to the first bad line."""
    from gate.store.samples import samples_of

    with suppress(GateError):
        yield from samples_of(folder)
