"""`gate cases import`, `export` and `convert`."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gate.flows.case_moves import Move


@click.command("import")
@click.argument("file")
@click.argument("suite", metavar="store:NAME")
@click.option("--archive-others", is_flag=True, help="Archive the suite's cases that the file does not have.")
@click.option("--person", default="", help="Who you are, for the history.  [default: the name that git knows]")
def import_(file: str, suite: str, archive_others: bool, person: str) -> None:
    """Bring the cases of FILE into a suite of the store, which is made where there is none.

    The same file twice is brought in once.

    \b
    Example:
      gate cases import evals/support/cases.jsonl store:support
    """
    from gate.bootstrap.case_sets import open_cases
    from gate.cli.cases_edit import carried_out
    from gate.errors import GateError
    from gate.flows.case_moves import planned
    from gate.inputs.problems import printable
    from gate.inputs.storenames import is_store

    if is_store(file) or not is_store(suite):
        raise GateError("import brings a file into the store", "gate cases import FILE store:NAME")
    there = open_cases(suite, person, new=True)
    move = planned([one.entry for one in open_cases(file).cases() if one.entry is not None], there)
    changes = move.changes(without_others=archive_others)
    label = carried_out(there, changes, f"imported {file}") if changes else there.label
    click.echo(printable(_told(move, label, removed=archive_others)))
    if move.others and not archive_others:
        click.echo(printable(f"{len(move.others)} more are in the suite alone; --archive-others archives them"))


@click.command()
@click.argument("suite", metavar="store:NAME[@VERSION]")
@click.argument("file")
@click.option("--force", is_flag=True, help="Take cases out of FILE that the suite never had.")
def export(suite: str, file: str, force: bool) -> None:
    """Write a suite of the store to FILE, whose ending gives the format.

    A case file that is there is changed where it differs, and all the rest of it stays as it is to the byte, so that a
    pull request shows what was changed.

    \b
    Example:
      gate cases export store:support evals/support/cases.jsonl
    """
    from gate.errors import GateError
    from gate.inputs.storenames import is_store

    if is_store(file) or not is_store(suite):
        raise GateError("export writes the store's cases to a file", "gate cases export store:NAME FILE")
    _to_file(suite, file, force=force)


@click.command()
@click.argument("source")
@click.argument("file")
@click.option("--force", is_flag=True, help="Change FILE where it is there already.")
def convert(source: str, file: str, force: bool) -> None:
    """Write the cases of SOURCE to FILE in the form that its ending says: JSON Lines, JSON, YAML or .prompt.yml.

    \b
    Example:
      gate cases convert golden.json cases.yaml
    """
    from pathlib import Path

    from gate.errors import GateError
    from gate.inputs.storenames import is_store

    if is_store(file):
        raise GateError("convert writes a file", "gate cases import FILE store:NAME brings cases into the store")
    if Path(file).exists() and not force:
        raise GateError(f"{file} is there already", "name another file, or give --force")
    _to_file(source, file, force=force)


def _to_file(source: str, file: str, *, force: bool) -> None:
    """Bring a file to hold the cases of a set, and nothing else."""
    from gate.bootstrap.case_sets import open_cases
    from gate.cli.cases_edit import carried_out
    from gate.errors import GateError
    from gate.flows.case_moves import planned
    from gate.inputs.problems import printable

    cases = open_cases(source)
    there = open_cases(file, new=True)
    move = planned([one.entry for one in cases.cases() if one.entry is not None], there)
    strange = [one.name for one in move.others if not cases.case(one.name)]
    if strange and not force:
        told = ", ".join(strange[:5]) + (f" and {len(strange) - 5} more" if len(strange) > 5 else "")
        raise GateError(
            f"{cases.label} never had {told} of {file}", "import the file first, or remove them with --force"
        )
    changes = move.changes(without_others=True)
    if changes:
        carried_out(there, changes, "")
    click.echo(printable(_told(move, file, removed=True)))


def _told(move: "Move", label: str, *, removed: bool) -> str:
    counts = [(len(move.new), "new"), (len(move.edited), "changed"), (move.same, "as they were")]
    if removed:
        counts.insert(2, (len(move.others), "removed"))
    return f"{label}: " + (", ".join(f"{count} {word}" for count, word in counts if count) or "no cases")
