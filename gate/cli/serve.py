"""`gate serve`: the web interface."""

import sys
from pathlib import Path
from typing import Literal

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
    from gate.bootstrap.redacting import cleaner
    from gate.bootstrap.serving import site_here
    from gate.bootstrap.store_care import forgetting
    from gate.errors import GateError, with_extra
    from gate.settings.team import CHOICES, team_login

    team = team_login()
    if url and team is None:
        raise GateError("--url is for a server where people log in", CHOICES)
    try:
        from gate.web.guards import LOOPBACK_NAMES
        from gate.web.jobs.board import Jobs
        from gate.web.login import login_of
        from gate.web.logs import written_to
        from gate.web.serving import Address, listen, name_in
        from gate.web.site import Site
    except ImportError as error:
        raise GateError(f"the web interface needs the package {error.name}", with_extra("web")) from None
    hosts = LOOPBACK_NAMES | ({name_in(url)} if url else set())
    here = site_here(Path(), person)
    database = here.database.hurried(_PAGE_S)
    site = Site(
        database,
        hosts,
        here.now,
        login=None if team is None else login_of(team),
        person=here.person,
        url=url.rstrip("/"),
        log=written_to(sys.stderr, log_format),
        jobs=Jobs(here.root, here.now, jobs),
        clean=cleaner(),
        daily=forgetting(here.database),
    )
    listening = listen(site, Address(host, port))
    at = f"{listening.url} for {site.url}" if site.url else listening.url
    click.echo(f"Prompt Gate answers at {at}\nThe store is {database.label}. End it with Ctrl-C.")
    listening.run()
