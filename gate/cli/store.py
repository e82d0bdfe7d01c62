"""`gate store`: where the store is, a copy of it, upgrades, and what is deleted after a time."""

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gate.store.sql.info import Info


@click.group()
def store() -> None:
    """Look after the store: copy it, upgrade it, delete what is too old.

    The store is the file .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.

    \b
    Examples:
      gate store info
      gate store backup gate-2026-11-23.db
    """


@store.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
def backup(file: Path) -> None:
    """Copy a store in SQLite into the new FILE, as it is at this moment.

    Others may work on meanwhile. The copy is a store itself: to restore it, end the servers on the store and put it in
    its place. It holds what the store holds: only its owner may read it. For Postgres use pg_dump.

    \b
    Example:
      gate store backup gate-2026-11-23.db
    """
    from gate.bootstrap.store_care import back_up

    back_up(file)


@store.command()
def upgrade() -> None:
    """Bring the tables of the store to the version of this program, or make them.

    A server does that when it starts. Back it up first.
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


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d}"
