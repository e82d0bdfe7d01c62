"""`gate store`: backups, checks and upgrades of the store."""

import dataclasses
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gate.store.sql.backup import Backup
    from gate.store.sql.checking import Info

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group()
def store() -> None:
    """Look after the store: backups, checks, upgrades, and what is forgotten with time.

    The store is the file .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.

    \b
    Examples:
      gate store backup gate-2026-11-23.jsonl.gz
      GATE_DATABASE_URL=postgresql://gate@db.example/gate gate store restore gate-2026-11-23.jsonl.gz
      gate store check
    """


@store.command()
@click.argument("file", type=_FILE, metavar="FILE")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where it went well.")
def backup(file: Path, quiet: bool) -> None:
    """Write the whole store into the new FILE, as it is at this moment.

    Others may work on meanwhile. The file is lines of JSON in gzip, the same for SQLite and Postgres, and ends with a
    checksum. It holds what the store holds, accounts too: only its owner may read it.

    \b
    Example:
      gate store backup gate-2026-11-23.jsonl.gz
    """
    from gate.bootstrap.store_care import back_up

    made = back_up(file)
    if not quiet:
        click.echo(f"{made.rows:,} rows are in {_plain(file)}.")


@store.command()
@click.argument("file", type=_FILE, metavar="FILE")
@click.option("--replace", is_flag=True, help="Forget first what the store holds.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def restore(file: Path, replace: bool, yes: bool) -> None:
    """Bring the backup FILE into an empty store: all of it, or nothing.

    A backup of an older version is brought up to date. End servers on this store before.

    \b
    Examples:
      gate store restore gate-2026-11-23.jsonl.gz
      gate store restore gate-2026-11-23.jsonl.gz --replace
    """
    from gate.bootstrap.store_care import bring_back, look_into

    if replace and not yes:
        found = look_into(file)
        click.echo(f"{_plain(file)} holds {_described(found)}.")
        click.confirm("Forget all that the store holds now?", abort=True)
    made = bring_back(file, replace=replace)
    click.echo(f"The store holds {_described(made)}.")


@store.command()
@click.argument("file", type=_FILE, metavar="[FILE]", required=False)
def check(file: Path | None) -> None:
    """Look the whole store through, or the backup FILE.

    The exit code is 1 where something is wrong with the store.

    \b
    Examples:
      gate store check
      gate store check gate-2026-11-23.jsonl.gz
    """
    from gate.bootstrap.store_care import faults, look_into
    from gate.report.escape import terminal

    if file is not None:
        click.echo(f"{_plain(file)} is whole: {_described(look_into(file))}.")
        return
    found = faults()
    for told in found:
        click.echo(terminal(told), err=True)
    if found:
        hint = "bring a backup into another database (gate store restore), and compare"
        click.echo(f"{len(found)} fault{'s' if len(found) > 1 else ''}: {hint}.", err=True)
        sys.exit(1)
    click.echo("All is well.")


@store.command()
def upgrade() -> None:
    """Bring the tables of the store to the version of this program, or make them.

    A server does that when it starts. Make a backup first.
    """
    from gate.bootstrap.store_care import bring_up_to_date

    before, now = bring_up_to_date()
    if before == now:
        click.echo(f"The tables are of revision {now} already.")
    else:
        click.echo(
            f"The tables were of revision {before}, and are of {now} now." if before else f"Made revision {now}."
        )


@store.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
def prune(dry_run: bool) -> None:
    """Forget what is too old, as GATE_KEEP_OUTPUTS_DAYS and GATE_KEEP_RUNS_DAYS say.

    Of runs older than the first number of days, answers and reasons are forgotten, and figures stay; those older than
    the second are removed. A server does that each day.

    \b
    Examples:
      GATE_KEEP_OUTPUTS_DAYS=30 gate store prune --dry-run
      GATE_KEEP_OUTPUTS_DAYS=30 GATE_KEEP_RUNS_DAYS=730 gate store prune
    """
    from gate.bootstrap.store_care import prune as forget

    done, would = forget(dry=dry_run), "would be " if dry_run else ""
    click.echo(f"Runs {would}removed: {done.runs:,}. Runs whose texts {would or 'are '}forgotten: {done.texts:,}.")


@store.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(as_json: bool) -> None:
    """Say where the store is, and what it holds."""
    from gate.bootstrap.store_care import info as told

    found = told()
    if as_json:
        plain = {**dataclasses.asdict(found), "counts": dict(found.counts)}
        click.echo(json.dumps(plain, indent=2, default=datetime.isoformat))
        return
    for line in _lines(found):
        click.echo(line)


def _lines(found: "Info") -> list[str]:
    from gate.report.escape import terminal

    lines = [f"store: {terminal(found.label)}", f"tables: revision {found.revision or 'none'}"]
    if found.revision != found.newest:
        return [*lines, f"this program has revision {found.newest}: gate store upgrade"]
    lines += [f"{name}: {count:,}" for name, count in found.counts]
    if found.oldest is not None and found.youngest is not None:
        lines.append(f"runs from {_day(found.oldest)} to {_day(found.youngest)}")
    if found.size_bytes is not None:
        lines.append(f"size: {found.size_bytes / 2**20:,.1f} MiB")
    return lines


def _described(found: "Backup") -> str:
    return f"{found.rows:,} rows as they were on {found.made.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


def _plain(file: Path) -> str:
    from gate.report.escape import terminal

    return terminal(str(file))
