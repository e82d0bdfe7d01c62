"""Options that several commands share, and the formats of a report. Loads click only; a format loads its modules."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gate.record.run import RunRecord

Command = Callable[..., Any]


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
    from gate.store.run_folder import saved_samples

    return (page(run, lambda: saved_samples(folder) if folder else None),)


def _json(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.store.run_folder import dump_run

    return (dump_run(run),)


def _junit(run: "RunRecord", folder: Path | None) -> Iterable[str]:
    from gate.app.run_order import junit
    from gate.store.run_folder import saved_samples

    return (junit(run, lambda: saved_samples(folder) if folder else None),)


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


class Share(click.FloatRange):
    """A number in a range. Unlike its parent it refuses NaN, which passes every comparison."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


config_option = click.option(
    "--config",
    default="gate.yaml",
    show_default=True,
    metavar="FILE",
    help="Configuration, from the repository's root.",
)
suites_option = click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; repeatable.")
cases_option = click.option(
    "--case", "only", multiple=True, metavar="ID", help="Only cases with this id; * is allowed; repeatable."
)
refresh_option = click.option("--refresh", is_flag=True, help="Ignore cached answers and replace them.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
person_option = click.option("--person", default="", metavar="NAME", help="Author in the history.  [default: from git]")


def samples_option(usual: str) -> Callable[[Command], Command]:
    """`--samples`; `usual` is the default as the help shows it."""
    kind = click.IntRange(1, 100)
    return click.option(
        "--samples", type=kind, metavar="N", help=f"Answers per case and prompt version.  [default: {usual}]"
    )


def out_option(usual: str) -> Callable[[Command], Command]:
    """`--out` of a command that writes a run; `usual` is the default folder."""
    kinds = " ".join(form.ending for form in FORMATS)
    return click.option("--out", type=click.Path(path_type=Path), help=f"Folder, or file: {kinds}  [default: {usual}]")


def quiet_option(text: str) -> Callable[[Command], Command]:
    """`--quiet`; `text` names what is still printed."""
    return click.option("--quiet", "-q", is_flag=True, help=text)
