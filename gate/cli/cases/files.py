"""`gate cases import`, `export` and `convert`, and what they say about the formats of other tools."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from gate.cases.convert import FORMATS, ImportedCases
from gate.cases.losses import Loss, described_losses, kinds
from gate.cases.stored import Entry
from gate.cli.cases.edits import carry_out_changes
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
from gate.values import counted

Command = Callable[..., Any]


def from_options(command: Command) -> Command:
    """The options of what reads another tool's file."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print what was done and lost as JSON."),
        click.option("--strict", is_flag=True, help="Do nothing where anything would be lost (exit 2)."),
        click.option("--slice", "slices", multiple=True, metavar="NAME", help="This variable is a slice. Repeatable."),
        click.option("--from", "source_format", type=click.Choice(FORMATS), help="Format.  [default: by content]"),
    ):
        command = option(command)
    return command


def to_option(command: Command) -> Command:
    """The option of what writes another tool's file."""
    return click.option(
        "--to",
        "target_format",
        type=click.Choice(FORMATS[:-1]),
        help="Format.  [default: the gate's own, by the ending]",
    )(command)


def refuse_losses(losses: Sequence[Loss], strict: bool) -> None:
    """End where something would be lost and nothing may be."""
    if losses and strict:
        for line in loss_lines(losses):
            click.echo(printable(line), err=True)
        raise GateError("nothing was done, since something would be lost", "leave out --strict to do it all the same")


def loss_lines(losses: Sequence[Loss]) -> list[str]:
    """How many there are, and a line for each kind with its first places."""
    return described_losses(losses, "--json has all of them")


def report_conversion(told: str, brought: ImportedCases | None, losses: Sequence[Loss], as_json: bool) -> None:
    """Print what was done, what each column became, and what was lost.

    Args:
        brought: what was read of another tool; None for the gate's own files.
    """
    if as_json:
        rows = [
            {"what": one.what, "count": one.count, "where": list(one.places), "remedy": one.remedy}
            for one in kinds(losses)
        ]
        columns = dict(brought.columns) if brought is not None else {}
        format_ = brought.format if brought is not None else "gate"
        click.echo(json.dumps({"done": told, "from": format_, "columns": columns, "losses": rows}, ensure_ascii=False))
        return
    click.echo(printable(told))
    if brought is not None and brought.columns:
        named = ", ".join(f"{heading} → {meaning}" for heading, meaning in brought.columns)
        click.echo(printable(f"columns: {named}"))
        if not {"input", "messages", "prompt", "rounds"} & {meaning for _, meaning in brought.columns}:
            click.echo(
                "no column is the input: each is a value for a template; if one is what people send, call it input"
            )
    for line in loss_lines(losses):
        click.echo(printable(line))


@click.command("import")
@click.argument("file")
@click.argument("suite", metavar="store:NAME")
@click.option("--archive-others", is_flag=True, help="Archive the suite's cases that the file does not have.")
@click.option("--person", default="", help="Who you are, for the history.  [default: the name that git knows]")
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
    """Bring the cases of FILE into a suite of the store, which is made where there is none.

    FILE may be one of another tool, or a table. The same file twice is brought in once.

    \b
    Example:
      gate cases import evals/support/cases.jsonl store:support
      gate cases import questions.csv store:support --slice tier
    """
    if is_store(file) or not is_store(suite):
        raise GateError("import brings a file into the store", "gate cases import FILE store:NAME")
    entries, brought = _brought(file, source_format, slices)
    losses = brought.losses if brought is not None else ()
    refuse_losses(losses, strict)
    there = open_cases(suite, person, new=True)
    move = plan_move(entries, there)
    changes = move.changes(without_others=archive_others)
    label = carry_out_changes(there, changes, f"imported {file}") if changes else there.label
    report_conversion(_told(move, label, removed=archive_others), brought, losses, as_json)
    if move.others and not archive_others and not as_json:
        click.echo(printable(f"{len(move.others)} more are in the suite alone; --archive-others archives them"))


@click.command()
@click.argument("suite", metavar="store:NAME[@VERSION]")
@click.argument("file")
@click.option("--force", is_flag=True, help="Take cases out of FILE that the suite never had; with --to, replace FILE.")
@to_option
@click.option("--strict", is_flag=True, help="Do nothing where anything would be lost (exit 2).")
@click.option("--json", "as_json", is_flag=True, help="Print what was done and lost as JSON.")
def export(suite: str, file: str, force: bool, target_format: str | None, strict: bool, as_json: bool) -> None:
    """Write a suite of the store to FILE, whose ending gives the format.

    A case file that is there is changed where it differs, and its comments and its order stay, so that a
    pull request shows what was changed. With --to, the file is one of another tool.

    \b
    Example:
      gate cases export store:support evals/support/cases.jsonl
      gate cases export store:support dataset.jsonl --to langsmith
    """
    if is_store(file) or not is_store(suite):
        raise GateError("export writes the store's cases to a file", "gate cases export store:NAME FILE")
    if _is_foreign(target_format):
        _to_foreign(_entries(suite), None, (file, str(target_format)), force=force, strict=strict, as_json=as_json)
        return
    _to_file(suite, file, force=force)


@click.command()
@click.argument("source")
@click.argument("file")
@click.option("--force", is_flag=True, help="Change FILE where it is there already.")
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
    """Write the cases of SOURCE to FILE in the form that its ending says: JSON Lines, JSON, YAML, CSV or .prompt.yml.

    SOURCE may be a file of promptfoo, OpenAI evals, Inspect, Braintrust, LangSmith or HELM, or a table; what cannot be
    brought along is named. With --to, FILE is one of those.

    \b
    Examples:
      gate cases convert golden.json cases.yaml
      gate cases convert questions.csv cases.jsonl --slice tier
      gate cases convert cases.jsonl dataset.csv --to langsmith
    """
    if is_store(file):
        raise GateError("convert writes a file", "gate cases import FILE store:NAME brings cases into the store")
    if Path(file).exists() and not force:
        raise GateError(f"{file} is there already", "name another file, or give --force")
    entries, brought = (_entries(source), None) if is_store(source) else _brought(source, source_format, slices)
    if _is_foreign(target_format):
        target = (file, str(target_format))
        _to_foreign(entries, brought, target, force=force, strict=strict, as_json=as_json)
        return
    losses = brought.losses if brought is not None else ()
    refuse_losses(losses, strict)
    report_conversion(_moved(entries, source, file, force=force), brought, losses, as_json)


def _is_foreign(target_format: str | None) -> bool:
    return is_foreign(target_format or "")


def _entries(source: str) -> "list[Entry]":
    return [one.entry for one in open_cases(source).cases() if one.entry is not None]


def _brought(
    file: str, source_format: str | None, slices: Sequence[str]
) -> "tuple[Sequence[Entry], ImportedCases | None]":
    """The cases of a file; of one of the gate's own there is nothing more to tell."""
    if not Path(file).exists():
        raise GateError(f"there is no file {file}", "name a case file, or a suite of the store as store:NAME")
    brought = read_foreign_cases(file, source_format or "", slices)
    return brought.cases, brought if is_foreign(brought.format) or slices else None


def _to_foreign(
    entries: Sequence[Entry],
    brought: ImportedCases | None,
    target: tuple[str, str],
    *,
    force: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Write a file of another tool."""
    file, format_ = target
    before = brought.losses if brought is not None else ()
    refuse_losses((*before, *losses_in_format(entries, file, format_)), strict)
    made = write_foreign_cases(entries, file, format_, force=force)
    report_conversion(f"{file}: {counted(made.count, 'case')} as {format_}", brought, (*before, *made.losses), as_json)


def _to_file(source: str, file: str, *, force: bool) -> None:
    """Bring a file to hold the cases of a suite of the store, and nothing else."""
    click.echo(printable(_moved(_entries(source), source, file, force=force)))


def _moved(entries: Sequence[Entry], source: str, file: str, *, force: bool) -> str:
    """Bring a file to hold these cases, and nothing else; what was done, in a line."""
    there = open_cases(file, new=True)
    move = plan_move(entries, there)
    cases = open_cases(source) if is_store(source) else None
    strange = [one.name for one in move.others if cases is None or not cases.case(one.name)]
    if strange and not force:
        told = ", ".join(strange[:5]) + (f" and {len(strange) - 5} more" if len(strange) > 5 else "")
        label = cases.label if cases is not None else source
        raise GateError(f"{label} never had {told} of {file}", "import the file first, or remove them with --force")
    changes = move.changes(without_others=True)
    if changes:
        carry_out_changes(there, changes, "")
    return _told(move, file, removed=True)


def _told(move: CaseMove, label: str, *, removed: bool) -> str:
    counts = [(len(move.new), "new"), (len(move.edited), "changed"), (move.same, "as they were")]
    if removed:
        counts.insert(2, (len(move.others), "removed"))
    return f"{label}: " + (", ".join(f"{count} {word}" for count, word in counts if count) or "no cases")
