"""`gate serve`: the web interface."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

_LOG = "How each request is told, on standard error."


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of this machine to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option("--person", default="", help="Who you are, for the history.  [default: the name that git knows]")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help=_LOG)
def serve(host: str, port: int, person: str, log_format: Literal["text", "json"]) -> None:
    """Write cases and look at runs in the browser.

    The store is the file .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names.

    \b
    Examples:
      gate serve
      GATE_DATABASE_URL=postgresql://gate@localhost/gate gate serve --port 0
    """
    from gate.bootstrap.redacting import cleaner
    from gate.bootstrap.serving import site_here
    from gate.bootstrap.store_care import forgetting
    from gate.errors import GateError, with_extra

    try:
        from gate.web.logs import written_to
        from gate.web.serving import LOOPBACK_NAMES, Address, listen
        from gate.web.site import Site
    except ImportError as error:
        raise GateError(f"the web interface needs the package {error.name}", with_extra("web")) from None
    here = site_here(Path(), person)
    log = written_to(sys.stderr, log_format)
    site = Site(here.database, LOOPBACK_NAMES, here.key, here.now, person=here.person, log=log)
    site = replace(site, clean=cleaner(), daily=forgetting(here.database))
    listening = listen(site, Address(host, port))
    click.echo(f"Prompt Gate answers at {listening.url}\nThe store is {here.database.label}. End it with Ctrl-C.")
    listening.run()
