"""Commands for the store and its server: `gate serve`, `store` and `tokens`. Loads click only."""

import dataclasses
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from gate.cli.options import json_option, person_option

_PAGE_S = 4.0
"""Time limit for the store when it makes a page."""

SERVE_EXAMPLES = """\b
Examples:
  gate serve
  GATE_DATABASE_URL=postgresql://gate@localhost/gate gate serve
  gate serve --host 0.0.0.0 --url https://gate.example.org
"""


@click.command(epilog=SERVE_EXAMPLES)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, metavar="N", show_default=True, help="0 for any free port."
)
@person_option
@click.option(
    "--jobs", type=click.IntRange(1, 16), default=1, metavar="N", show_default=True, help="Evaluations at a time."
)
@click.option(
    "--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Format of the log."
)
@click.option("--url", default="", metavar="URL", help="Public address of a team server.")
def serve(host: str, port: int, person: str, jobs: int, log_format: Literal["text", "json"], url: str) -> None:
    """Start the web interface.

    Write cases, try them on your models, and read runs in the browser. Models come from gate.yaml. The store is the
    database in GATE_DATABASE_URL, or .gate/gate.db. Without a login, only this machine can connect. For a team server
    with logins, see docs/how-to/serve-for-a-team.md.
    """
    from gate.errors import GateError, with_extra
    from gate.store.local_store import daily_pruning, local_store
    from gate.store.redaction import redactor
    from gate.web.login_settings import CHOICES, team_login_of

    team = team_login_of()
    if url and team is None:
        raise GateError("--url needs a server with logins", CHOICES)
    try:
        from gate.web.app import Address, host_name_of, listen
        from gate.web.jobs.board import Jobs
        from gate.web.login import login_of
        from gate.web.logs import log_to
        from gate.web.requests import LOOPBACK_NAMES
        from gate.web.site import WebSite
    except ImportError as error:
        raise GateError(f"the web interface needs the package {error.name}", with_extra("web")) from None
    hosts = LOOPBACK_NAMES | ({host_name_of(url)} if url else set())
    here = local_store(Path(), person)
    database = here.database.hurried(_PAGE_S)
    site = WebSite(
        database,
        hosts,
        here.now,
        login=None if team is None else login_of(team),
        person=here.person,
        url=url.rstrip("/"),
        log=log_to(sys.stderr, log_format),
        jobs=Jobs(here.root, here.now, jobs),
        clean=redactor(),
        daily=daily_pruning(here.database),
    )
    listening = listen(site, Address(host, port))
    at = f"{listening.url} for {site.url}" if site.url else listening.url
    click.echo(f"Prompt Gate runs at {at}\nStore: {database.label}. Press Ctrl-C to stop.")
    listening.run()


if TYPE_CHECKING:
    from gate.store.sql.maintenance import StoreInfo


@click.group()
def store() -> None:
    """Show, back up, upgrade or prune the store.

    The store is the database in GATE_DATABASE_URL, or the file .gate/gate.db of this repository.
    """


@store.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
def backup(file: Path) -> None:
    """Copy an SQLite store to a new file.

    Servers may keep running. To restore the copy, stop the servers and replace the store with it. Only its owner can
    read the copy. For Postgres use pg_dump.
    """
    from gate.store.local_store import back_up_store

    back_up_store(file)


@store.command()
def upgrade() -> None:
    """Create or upgrade the tables of the store.

    A server does this when it starts. Make a backup first.
    """
    from gate.store.local_store import upgrade_store

    before, now = upgrade_store()
    if before == now:
        click.echo(f"The tables have the newest revision already: {now}.")
    else:
        click.echo(f"Upgraded from revision {before} to {now}." if before else f"Created revision {now}.")


PRUNE_EXAMPLES = """\b
Example:
  GATE_KEEP_OUTPUTS_DAYS=30 GATE_KEEP_RUNS_DAYS=730 gate store prune --dry-run
"""


@store.command(epilog=PRUNE_EXAMPLES)
@click.option("--dry-run", is_flag=True, help="Print what would be deleted; delete nothing.")
def prune(dry_run: bool) -> None:
    """Delete old answers and runs.

    Deletes the answers and reasons of runs older than GATE_KEEP_OUTPUTS_DAYS (figures stay), and whole runs older than
    GATE_KEEP_RUNS_DAYS. A server does this every day.
    """
    from gate.store.local_store import prune_store as delete_old
    from gate.values import counted

    done = delete_old(dry=dry_run)
    verb = "To delete" if dry_run else "Deleted"
    click.echo(f"{verb}: {counted(done.runs, 'run')}, and the answers of {counted(done.texts, 'run')}.")


@store.command()
@json_option
def info(as_json: bool) -> None:
    """Show where the store is and what it contains."""
    from gate.store.local_store import store_info

    found = store_info()
    if as_json:
        plain = {**dataclasses.asdict(found), "counts": dict(found.counts)}
        click.echo(json.dumps(plain, indent=2, default=datetime.isoformat))
        return
    for line in _lines(found):
        click.echo(line)


def _lines(found: "StoreInfo") -> list[str]:
    from gate.report.escape import terminal_text

    lines = [f"store: {terminal_text(found.label)}", f"tables: revision {found.revision or 'none'}"]
    if found.revision != found.newest:
        return [*lines, f"this program needs revision {found.newest}; run: gate store upgrade"]
    lines += [f"{name}: {count:,}" for name, count in found.counts]
    if found.oldest is not None and found.youngest is not None:
        lines.append(f"runs from {_day(found.oldest)} to {_day(found.youngest)}")
    if found.size_bytes is not None:
        lines.append(f"size: {found.size_bytes / 2**20:,.1f} MiB")
    return lines


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


SCOPES = ("runs:read", "runs:write", "cases:read", "cases:write", "metrics:read")


@click.group()
def tokens() -> None:
    """Manage the access tokens of a server.

    Tokens are in the store: the database in GATE_DATABASE_URL, or the file .gate/gate.db of this repository.
    """


CREATE_EXAMPLES = """\b
Examples:
  gate tokens create ci --scope runs:write
  gate tokens create ci --scope runs:write | gh secret set GATE_TOKEN
"""


@tokens.command(epilog=CREATE_EXAMPLES)
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    required=True,
    metavar="SCOPE",
    help="runs:read, runs:write, cases:read, cases:write or metrics:read; repeatable.",
)
@click.option(
    "--days", type=click.IntRange(1, 3650), default=90, metavar="N", show_default=True, help="Days until it expires."
)
@click.option("--never", is_flag=True, help="The token never expires.")
@click.option("--owner", default="", metavar="NAME", help="Owner of the token.  [default: from git]")
def create(name: str, scopes: tuple[str, ...], days: int, never: bool, owner: str) -> None:
    """Create a token and print it once.

    Standard output has only the token, so that you can pipe it.
    """
    from gate.report.escape import terminal_text
    from gate.store.local_store import store_tokens

    with store_tokens(owner) as store:
        issued = store.create(name, scopes, None if never else days)
        token = issued.token
        until = f"expires {token.expires:%Y-%m-%d}" if token.expires else "never expires"
        created = f"Token {token.id} ({token.name}, owner {token.owner}) {until}. Store: {store.store}."
    click.echo(terminal_text(f"{created} Copy it now; it is not shown again:"), err=True)
    click.echo(issued.secret)


@tokens.command("list")
@json_option
def show(as_json: bool) -> None:
    """List all tokens of the store, newest first."""
    import json

    from gate.report.escape import terminal_text
    from gate.store.local_store import store_tokens

    with store_tokens() as store:
        found, now = store.tokens.all(), store.now
    if as_json:
        rows = [
            {
                **{"id": one.id, "name": one.name, "owner": one.owner, "scopes": sorted(one.scopes)},
                "good": not one.is_over(now),
                **{
                    name: None if (moment := getattr(one, name)) is None else moment.isoformat()
                    for name in ("created", "expires", "revoked", "used")
                },
            }
            for one in found
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    for one in found:
        state = "revoked" if one.revoked else f"expires {one.expires:%Y-%m-%d}" if one.expires else "never expires"
        used = f"last used {one.used:%Y-%m-%d %H:%M} UTC" if one.used else "never used"
        state = "expired" if one.is_over(now) and not one.revoked else state
        click.echo(
            terminal_text(f"{one.id}  {one.name} (owner {one.owner}): {' '.join(sorted(one.scopes))}; {state}, {used}")
        )
    if not found:
        click.echo("There are no tokens.", err=True)


@tokens.command()
@click.argument("number", type=click.IntRange(1))
def revoke(number: int) -> None:
    """Revoke a token.

    NUMBER is the first column of `gate tokens list`.
    """
    from gate.report.escape import terminal_text
    from gate.store.local_store import store_tokens

    with store_tokens() as store:
        gone = store.revoke(number)
    click.echo(terminal_text(f"Revoked token {gone.id} ({gone.name}, owner {gone.owner})."))
