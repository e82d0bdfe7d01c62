"""`gate cases import`, `export` and `convert`, with the formats of other tools."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from gate.cases.convert import EXPORTS, FORMATS, ImportedCases
from gate.cases.losses import Loss, described_losses, kinds
from gate.cases.stored import Entry
from gate.cli.cases.edits import carry_out_changes
from gate.cli.options import json_option, person_option
from gate.config.documents import printable
from gate.config.values import is_store
from gate.errors import GateError
from gate.store.case_sets import (
    CaseMove,
    is_foreign,
    losses_in_format,
    open_cases,
    plan_move,
    read_foreign_cases,
    write_foreign_cases,
)
from gate.values import counted, listed

Command = Callable[..., Any]


strict_option = click.option("--strict", is_flag=True, help="Exit with 2 if anything would be lost.")


def from_options(command: Command) -> Command:
    """The options of a command that reads another tool's file."""
    for option in (
        json_option,
        strict_option,
        click.option(
            "--slice", "slices", multiple=True, metavar="NAME", help="Use this column as a slice; repeatable."
        ),
        click.option(
            "--from",
            "source_format",
            type=click.Choice(FORMATS),
            metavar="FORMAT",
            help="Format of the input.  [default: detected]",
        ),
    ):
        command = option(command)
    return command


to_option = click.option(
    "--to",
    "target_format",
    type=click.Choice(EXPORTS),
    metavar="FORMAT",
    help="Format of FILE.  [default: gate, by its ending]",
)


def refuse_losses(losses: Sequence[Loss], strict: bool) -> None:
    """Raise if something would be lost and --strict is set."""
    if losses and strict:
        for line in loss_lines(losses):
            click.echo(printable(line), err=True)
        raise GateError("nothing was written, because something would be lost", "leave out --strict to write it anyway")


def loss_lines(losses: Sequence[Loss]) -> list[str]:
    """Their number, and a line for each kind with its first places."""
    return described_losses(losses, "--json lists all of them")


def report_conversion(summary: str, imported: ImportedCases | None, losses: Sequence[Loss], as_json: bool) -> None:
    """Print the result, the meaning of each column, and what was lost.

    Args:
        imported: cases from another tool's file; None for a case file of the gate.
    """
    if as_json:
        rows = [
            {"what": one.what, "count": one.count, "where": list(one.places), "remedy": one.remedy}
            for one in kinds(losses)
        ]
        columns = dict(imported.columns) if imported is not None else {}
        format_ = imported.format if imported is not None else "gate"
        click.echo(
            json.dumps({"done": summary, "from": format_, "columns": columns, "losses": rows}, ensure_ascii=False)
        )
        return
    click.echo(printable(summary))
    if imported is not None and imported.columns:
        named = ", ".join(f"{heading} → {meaning}" for heading, meaning in imported.columns)
        click.echo(printable(f"columns: {named}"))
        if not {"input", "messages", "prompt", "rounds"} & {meaning for _, meaning in imported.columns}:
            click.echo(
                "no column is named input, so all are template variables; rename the one with the user's text to input"
            )
    for line in loss_lines(losses):
        click.echo(printable(line))


IMPORT_EXAMPLES = """\b
Examples:
  gate cases import evals/support/cases.jsonl store:support
  gate cases import questions.csv store:support --slice tier
"""


@click.command("import", epilog=IMPORT_EXAMPLES)
@click.argument("file")
@click.argument("suite", metavar="store:NAME")
@click.option("--archive-others", is_flag=True, help="Archive cases that FILE does not have.")
@person_option
@from_options
def import_(
    file: str,
    suite: str,
    archive_others: bool,
    person: str,
    source_format: str | None,
    slices: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Import a file into a suite of the store.

    A new suite is created. FILE may come from another tool; `gate cases convert --help` lists the formats. Importing a
    file again changes nothing.
    """
    if is_store(file) or not is_store(suite):
        raise GateError("import needs a file and a suite of the store", "gate cases import FILE store:NAME")
    entries, imported = _imported(file, source_format, slices)
    losses = imported.losses if imported is not None else ()
    refuse_losses(losses, strict)
    there = open_cases(suite, person, new=True)
    move = plan_move(entries, there)
    changes = move.changes(without_others=archive_others)
    label = carry_out_changes(there, changes, f"imported {file}") if changes else there.label
    report_conversion(_summary(move, label, removed=archive_others), imported, losses, as_json)
    if move.others and not archive_others and not as_json:
        click.echo(
            printable(f"{counted(len(move.others), 'more case')} only in the suite; --archive-others archives them")
        )


EXPORT_EXAMPLES = """\b
Examples:
  gate cases export store:support evals/support/cases.jsonl
  gate cases export store:support tests.yaml --to promptfoo
"""


@click.command(epilog=EXPORT_EXAMPLES)
@click.argument("suite", metavar="store:NAME[@VERSION]")
@click.argument("file")
@click.option("--force", is_flag=True, help="Remove cases of FILE that the suite never had.")
@to_option
@strict_option
@json_option
def export(suite: str, file: str, force: bool, target_format: str | None, strict: bool, as_json: bool) -> None:
    """Write a suite of the store to a file.

    An existing case file keeps its order and its comments; only changed cases change. With --to, FILE is one of
    another tool, and --force replaces it. `gate cases convert --help` lists the formats.
    """
    if is_store(file) or not is_store(suite):
        raise GateError("export needs a suite of the store and a file", "gate cases export store:NAME FILE")
    if _is_foreign(target_format):
        _to_foreign(_entries(suite), None, (file, str(target_format)), force=force, strict=strict, as_json=as_json)
        return
    _to_file(suite, file, force=force)


CONVERT_EXAMPLES = """\b
Examples:
  gate cases convert golden.json cases.yaml
  gate cases convert questions.csv cases.jsonl --slice tier
  gate cases convert cases.jsonl tests.yaml --to promptfoo
"""


@click.command(epilog=CONVERT_EXAMPLES)
@click.argument("source")
@click.argument("file")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@to_option
@from_options
def convert(
    source: str,
    file: str,
    force: bool,
    target_format: str | None,
    source_format: str | None,
    slices: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> None:
    """Convert cases to another format.

    The ending of FILE sets the format of the gate: .jsonl, .json, .yaml, .csv or .prompt.yml. What cannot be converted
    is listed. Formats: gate, csv, promptfoo, openai-evals, openai-items, prompt-yml; and for input only inspect,
    braintrust, langsmith, helm, prompty, deepeval, ragas, pydantic-evals.
    """
    if is_store(file):
        raise GateError("convert writes to a file, not to the store", "run gate cases import FILE store:NAME")
    if Path(file).exists() and not force:
        raise GateError(f"{file} exists", "name another file, or add --force")
    entries, imported = (_entries(source), None) if is_store(source) else _imported(source, source_format, slices)
    if _is_foreign(target_format):
        target = (file, str(target_format))
        _to_foreign(entries, imported, target, force=force, strict=strict, as_json=as_json)
        return
    losses = imported.losses if imported is not None else ()
    refuse_losses(losses, strict)
    report_conversion(_moved(entries, source, file, force=force), imported, losses, as_json)


def _is_foreign(target_format: str | None) -> bool:
    return is_foreign(target_format or "")


def _entries(source: str) -> "list[Entry]":
    return [one.entry for one in open_cases(source).cases() if one.entry is not None]


def _imported(
    file: str, source_format: str | None, slices: Sequence[str]
) -> "tuple[Sequence[Entry], ImportedCases | None]":
    """The cases of a file, with details where it is another tool's."""
    if not Path(file).exists():
        raise GateError(f"there is no file {file}", "name a case file, or a suite of the store as store:NAME")
    imported = read_foreign_cases(file, source_format or "", slices)
    return imported.cases, imported if is_foreign(imported.format) or slices else None


def _to_foreign(
    entries: Sequence[Entry],
    imported: ImportedCases | None,
    target: tuple[str, str],
    *,
    force: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Write a file of another tool."""
    file, format_ = target
    before = imported.losses if imported is not None else ()
    refuse_losses((*before, *losses_in_format(entries, file, format_)), strict)
    made = write_foreign_cases(entries, file, format_, force=force)
    report_conversion(f"{file}: {counted(made.count, 'case')} as {format_}", imported, (*before, *made.losses), as_json)


def _to_file(source: str, file: str, *, force: bool) -> None:
    """Write the cases of a suite of the store to a file."""
    click.echo(printable(_moved(_entries(source), source, file, force=force)))


def _moved(entries: Sequence[Entry], source: str, file: str, *, force: bool) -> str:
    """Make a file contain exactly these cases; returns a summary."""
    there = open_cases(file, new=True)
    move = plan_move(entries, there)
    cases = open_cases(source) if is_store(source) else None
    strange = [one.name for one in move.others if cases is None or not cases.case(one.name)]
    if strange and not force:
        label = cases.label if cases is not None else source
        raise GateError(
            f"{file} has cases that {label} never had: {listed(strange)}",
            "import the file first, or remove them with --force",
        )
    changes = move.changes(without_others=True)
    if changes:
        carry_out_changes(there, changes, "")
    return _summary(move, file, removed=True)


def _summary(move: CaseMove, label: str, *, removed: bool) -> str:
    counts = [(len(move.new), "new"), (len(move.edited), "changed"), (move.same, "unchanged")]
    if removed:
        counts.insert(2, (len(move.others), "removed"))
    return f"{label}: " + (", ".join(f"{count} {word}" for count, word in counts if count) or "no cases")
