"""`gate serve`: the web interface."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from gate.bootstrap.serving import Here
    from gate.web.entrance import Door
    from gate.web.site import Site

_DEFAULT_HOST = "127.0.0.1"
_PAGE_S = 4.0
"""For the store to answer a page; then the page says that it does not."""
_LOG = "How each request is told, on standard error."


@click.command()
@click.option("--host", default=_DEFAULT_HOST, show_default=True, help="Address of this machine to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option("--person", default="", help="Who you are, for the history.  [default: the name that git knows]")
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Evaluations at a time.")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help=_LOG)
@click.option("--accounts", is_flag=True, help="For many people: everybody logs in, and may do what their role allows.")
@click.option("--name", "names", multiple=True, help="A name that browsers call this server by, as gate.example.org.")
@click.option("--proxy", "proxies", multiple=True, metavar="ADDRESS", help="The TLS proxy, or its network: believed.")
@click.option("--plain-http", is_flag=True, help="Take passwords without TLS: for a network that encrypts by itself.")
@click.option("--oidc-issuer", default="", metavar="URL", help="A service of OpenID Connect that says who people are.")
@click.option("--oidc-client", default="", metavar="ID", help="What it calls this server; see GATE_OIDC_SECRET.")
@click.option("--oidc-role", type=click.Choice(["viewer", "editor"]), help="Of whom it alone knows.  [default: viewer]")
@click.option("--oidc-known-only", is_flag=True, help="Let in only whom it knows and who has an account here.")
def serve(
    host: str, port: int, person: str, jobs: int, log_format: Literal["text", "json"], accounts: bool, **door: Any
) -> None:
    """Write cases, try them, and look at runs in the browser.

    Models are asked as the gate.yaml of this repository says. The store is the file .gate/gate.db of this repository,
    or the database that GATE_DATABASE_URL names. With --accounts others can use it, too: gate users makes the first
    account, and a TLS proxy stands before it.

    \b
    Examples:
      gate serve
      GATE_DATABASE_URL=postgresql://gate@localhost/gate gate serve --port 0
      gate serve --accounts --name gate.example.org --proxy 127.0.0.1
    """
    from gate.bootstrap.redacting import cleaner
    from gate.bootstrap.serving import site_here
    from gate.bootstrap.store_care import forgetting
    from gate.errors import GateError, with_extra

    try:
        from gate.web.entrance import Door
        from gate.web.jobs.board import Jobs
        from gate.web.logs import written_to
        from gate.web.serving import Address, listen
    except ImportError as error:
        raise GateError(f"the web interface needs the package {error.name}", with_extra("web")) from None
    if not accounts and any(door.values()):
        raise GateError("--name, --proxy, --plain-http and --oidc-… are for a server of many people", "add --accounts")
    patient = site_here(Path(), person)
    here = replace(patient, database=patient.database.hurried(_PAGE_S))
    site = _for_many(here, host, Door(**door)) if accounts else _for_one(here)
    log, begun = written_to(sys.stderr, log_format), Jobs(here.root, here.now, jobs)
    site = replace(site, log=log, jobs=begun, clean=cleaner(), daily=forgetting(patient.database))
    listening = listen(site, Address(host, port))
    click.echo(f"Prompt Gate answers at {listening.url}\nThe store is {here.database.label}. End it with Ctrl-C.")
    listening.run()


def _for_one(here: "Here") -> "Site":
    from gate.web.guards import LOOPBACK_NAMES
    from gate.web.site import Site

    return Site(here.database, LOOPBACK_NAMES, here.key, here.now, person=here.person)


def _for_many(here: "Here", host: str, door: "Door") -> "Site":
    from gate.bootstrap.serving import shared_key
    from gate.errors import GateError
    from gate.settings.storage import oidc_secret
    from gate.web.entrance import entrance_of, server_name
    from gate.web.guards import LOOPBACK_NAMES
    from gate.web.site import Site

    hosts = LOOPBACK_NAMES | {server_name(name) for name in door.names}
    if host != _DEFAULT_HOST and not door.names:
        raise GateError("others need a name for this server", "name it as their browsers will: --name gate.example.org")
    entrance, key = entrance_of(door, oidc_secret), shared_key(here.database)
    site = Site(here.database, hosts, key, here.now, mode="server", person="", entrance=entrance)
    if not site.accounts.has_admin():
        raise GateError("nobody could manage this server yet", "make an admin: gate users add NAME --role admin")
    return site
