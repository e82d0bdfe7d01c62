"""The formats of a report. Each loads its modules on first use."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.record.run import RunRecord


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """One format.

    Args:
        render: yields the text of a run; the folder may contain its samples.
    """

    name: str
    ending: str
    render: "Callable[[RunRecord, Path | None], Iterable[str]]"


def _markdown(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.report.markdown.report import render_report

    return (render_report(run),)


def _html(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.app.run_order import page

    return (page(run, folder),)


def _json(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.store.run_folder import dump_run

    return (dump_run(run),)


def _junit(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.app.run_order import junit

    return (junit(run, folder),)


def _sarif(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.action.changed_lines import changed_lines
    from gate.report.exports import sarif

    return (sarif.render(run, changed_lines(run)),)


def _rows(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.errors import GateError
    from gate.report.exports import rows
    from gate.store.run_folder import samples_of

    if folder is None:
        raise GateError("the format jsonl needs samples, and a run.json has none", "name the folder with samples.jsonl")
    # One line at a time: the rows of a large run may not fit in memory.
    return rows.row_lines(run, samples_of(folder))


FORMATS = (
    ReportFormat("md", ".md", _markdown),
    ReportFormat("html", ".html", _html),
    ReportFormat("json", ".json", _json),
    ReportFormat("junit", ".xml", _junit),
    ReportFormat("sarif", ".sarif", _sarif),
    ReportFormat("jsonl", ".jsonl", _rows),
)
"""All but `terminal`."""


def endings_or() -> str:
    """`.md, .html or .jsonl`."""
    *others, last = (form.ending for form in FORMATS)
    return f"{', '.join(others)} or {last}"


def format_of(path: Path) -> ReportFormat | None:
    """The format of a file's ending; None if it has none."""
    return next((form for form in FORMATS if form.ending == path.suffix.lower()), None)


def format_named(name: str) -> ReportFormat | None:
    """None for `terminal`."""
    return next((form for form in FORMATS if form.name == name), None)
