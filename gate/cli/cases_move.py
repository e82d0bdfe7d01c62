"""`gate cases import`, `export` and `convert`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gate.cli.cases_formats import from_options, to_option

if TYPE_CHECKING:
    from gate.domain.stored_suite import Entry
    from gate.flows.case_moves import Move
    from gate.formats.convert import Brought


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
    from gate.bootstrap.case_sets import open_cases
    from gate.cli.cases_edit import carried_out
    from gate.cli.cases_formats import refuse_losses, tell
    from gate.errors import GateError
    from gate.flows.case_moves import planned
    from gate.inputs.problems import printable
    from gate.inputs.storenames import is_store

    if is_store(file) or not is_store(suite):
        raise GateError("import brings a file into the store", "gate cases import FILE store:NAME")
    entries, brought = _brought(file, source_format, slices)
    losses = brought.losses if brought is not None else ()
    refuse_losses(losses, strict)
    there = open_cases(suite, person, new=True)
    move = planned(entries, there)
    changes = move.changes(without_others=archive_others)
    label = carried_out(there, changes, f"imported {file}") if changes else there.label
    tell(_told(move, label, removed=archive_others), brought, losses, as_json)
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
    from gate.errors import GateError
    from gate.inputs.storenames import is_store

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
    from pathlib import Path

    from gate.cli.cases_formats import refuse_losses, tell
    from gate.errors import GateError
    from gate.inputs.storenames import is_store

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
    tell(_moved(entries, source, file, force=force), brought, losses, as_json)


def _is_foreign(target_format: str | None) -> bool:
    from gate.bootstrap.foreign_cases import is_foreign

    return is_foreign(target_format or "")


def _entries(source: str) -> "list[Entry]":
    from gate.bootstrap.case_sets import open_cases

    return [one.entry for one in open_cases(source).cases() if one.entry is not None]


def _brought(file: str, source_format: str | None, slices: Sequence[str]) -> "tuple[Sequence[Entry], Brought | None]":
    """The cases of a file; of one of the gate's own there is nothing more to tell."""
    from pathlib import Path

    from gate.bootstrap.foreign_cases import bring_file, is_foreign
    from gate.errors import GateError

    if not Path(file).exists():
        raise GateError(f"there is no file {file}", "name a case file, or a suite of the store as store:NAME")
    brought = bring_file(file, source_format or "", slices)
    return brought.cases, brought if is_foreign(brought.format) or slices else None


def _to_foreign(
    entries: "Sequence[Entry]",
    brought: "Brought | None",
    target: tuple[str, str],
    *,
    force: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Write a file of another tool."""
    from gate.bootstrap.foreign_cases import put_file, would_lose
    from gate.cli.cases_formats import refuse_losses, tell
    from gate.domain.words import counted

    file, format_ = target
    before = brought.losses if brought is not None else ()
    refuse_losses((*before, *would_lose(entries, file, format_)), strict)
    made = put_file(entries, file, format_, force=force)
    tell(f"{file}: {counted(made.count, 'case')} as {format_}", brought, (*before, *made.losses), as_json)


def _to_file(source: str, file: str, *, force: bool) -> None:
    """Bring a file to hold the cases of a suite of the store, and nothing else."""
    from gate.inputs.problems import printable

    click.echo(printable(_moved(_entries(source), source, file, force=force)))


def _moved(entries: "Sequence[Entry]", source: str, file: str, *, force: bool) -> str:
    """Bring a file to hold these cases, and nothing else; what was done, in a line."""
    from gate.bootstrap.case_sets import open_cases
    from gate.cli.cases_edit import carried_out
    from gate.errors import GateError
    from gate.flows.case_moves import planned
    from gate.inputs.storenames import is_store

    there = open_cases(file, new=True)
    move = planned(entries, there)
    cases = open_cases(source) if is_store(source) else None
    strange = [one.name for one in move.others if cases is None or not cases.case(one.name)]
    if strange and not force:
        told = ", ".join(strange[:5]) + (f" and {len(strange) - 5} more" if len(strange) > 5 else "")
        label = cases.label if cases is not None else source
        raise GateError(f"{label} never had {told} of {file}", "import the file first, or remove them with --force")
    changes = move.changes(without_others=True)
    if changes:
        carried_out(there, changes, "")
    return _told(move, file, removed=True)


def _told(move: "Move", label: str, *, removed: bool) -> str:
    counts = [(len(move.new), "new"), (len(move.edited), "changed"), (move.same, "as they were")]
    if removed:
        counts.insert(2, (len(move.others), "removed"))
    return f"{label}: " + (", ".join(f"{count} {word}" for count, word in counts if count) or "no cases")
