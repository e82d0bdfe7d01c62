"""Commands for the store and its server: `gate serve`, `store` and `tokens`. Loads click alone."""

import dataclasses
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

_PAGE_S = 4.0
"""For the store to answer a page; then the page says that it does not."""
_LOG = "Format of the log on standard error."


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of this machine to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option("--person", default="", help="Who you are, for the history.  [default: the name that git knows]")
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Evaluations at a time.")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help=_LOG)
@click.option("--url", default="", help="The address of a server for a team, as https://gate.example.org.")
def serve(host: str, port: int, person: str, jobs: int, log_format: Literal["text", "json"], url: str) -> None:
    """Write cases, try them, and look at runs in the browser.

    Models are asked as the gate.yaml of this repository says. The store is the file .gate/gate.db of this repository,
    or the database that GATE_DATABASE_URL names. Without a login only this machine reaches the server. For a team,
    people log in with OpenID Connect (GATE_OIDC_ISSUER, GATE_OIDC_CLIENT_ID, GATE_OIDC_CLIENT_SECRET,
    GATE_SECRET_KEY), or at a reverse proxy (GATE_PROXY_USER_HEADER, GATE_PROXY_ADDRESSES); GATE_EDITORS and
    GATE_VIEWERS say who may do what. See docs/how-to/serve-for-a-team.md.

    \b
    Examples:
      gate serve
      GATE_DATABASE_URL=postgresql://gate@localhost/gate gate serve --port 0
      gate serve --host 0.0.0.0 --url https://gate.example.org
    """
    from gate.errors import GateError, with_extra
    from gate.store.local_store import daily_pruning, local_store
    from gate.store.redaction import redactor
    from gate.web.login_settings import CHOICES, team_login_of

    team = team_login_of()
    if url and team is None:
        raise GateError("--url is for a server where people log in", CHOICES)
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
    click.echo(f"Prompt Gate answers at {at}\nThe store is {database.label}. End it with Ctrl-C.")
    listening.run()


if TYPE_CHECKING:
    from gate.store.sql.maintenance import StoreInfo


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
    from gate.store.local_store import back_up_store

    back_up_store(file)


@store.command()
def upgrade() -> None:
    """Bring the tables of the store to the version of this program, or make them.

    A server does that when it starts. Back it up first.
    """
    from gate.store.local_store import upgrade_store

    before, now = upgrade_store()
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
    from gate.store.local_store import prune_store as forget

    done, would = forget(dry=dry_run), "would be " if dry_run else ""
    click.echo(f"Runs {would}removed: {done.runs:,}. Runs whose texts {would or 'are '}forgotten: {done.texts:,}.")


@store.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(as_json: bool) -> None:
    """Say where the store is, and what it holds."""
    from gate.store.local_store import store_info as told

    found = told()
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
        return [*lines, f"this program has revision {found.newest}: gate store upgrade"]
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
    """Make and revoke the tokens by which programs use a server.

    They are in the store: the file .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.

    \b
    Example, for a workflow that pushes its runs:
      gate tokens create ci --scope runs:write
    """


@tokens.command()
@click.argument("name")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True, help="What it allows.")
@click.option("--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="That it is good for.")
@click.option("--never", is_flag=True, help="It never expires.")
@click.option("--owner", default="", help="Whose it is.  [default: the name that git knows]")
def create(name: str, scopes: tuple[str, ...], days: int, never: bool, owner: str) -> None:
    """Make a token, and show it this once.

    Only the token is written to standard output, so that it can be handed on.

    \b
    Examples:
      gate tokens create ci --scope runs:write
      gate tokens create nightly --scope cases:read --scope cases:write --days 365 | gh secret set GATE_TOKEN
    """
    from gate.report.escape import terminal_text
    from gate.store.local_store import store_tokens

    with store_tokens(owner) as store:
        issued = store.create(name, scopes, None if never else days)
        token = issued.token
        until = f"until {token.expires:%Y-%m-%d}" if token.expires else "for good"
        said = f"Token {token.id} of {token.owner}, named {token.name}, is good {until} in the store {store.store}."
    click.echo(terminal_text(f"{said} It is shown this once:"), err=True)
    click.echo(issued.secret)


@tokens.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def show(as_json: bool) -> None:
    """List all tokens of the store, the newest first.

    \b
    Example:
      gate tokens list --json
    """
    import json

    from gate.report.escape import terminal_text
    from gate.store.local_store import store_tokens

    with store_tokens() as store:
        found, now = store.tokens.all(), store.now
    if as_json:
        rows = [
            {
                **{"id": one.id, "name": one.name, "owner": one.owner, "scopes": sorted(one.scopes)},
                "good": not one.over(now),
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
        state = "revoked" if one.revoked else f"until {one.expires:%Y-%m-%d}" if one.expires else "for good"
        used = f"last used {one.used:%Y-%m-%d %H:%M} UTC" if one.used else "never used"
        state = "expired" if one.over(now) and not one.revoked else state
        click.echo(
            terminal_text(f"{one.id}  {one.name} of {one.owner}: {' '.join(sorted(one.scopes))}; {state}, {used}")
        )
    if not found:
        click.echo("There are no tokens.", err=True)


@tokens.command()
@click.argument("number", type=click.IntRange(1))
def revoke(number: int) -> None:
    """Refuse a token from now on; NUMBER is what the list shows first.

    \b
    Example:
      gate tokens revoke 3
    """
    from gate.report.escape import terminal_text
    from gate.store.local_store import store_tokens

    with store_tokens() as store:
        gone = store.revoke(number)
    click.echo(terminal_text(f"Token {gone.id}, {gone.name} of {gone.owner}, is refused from now on."))
