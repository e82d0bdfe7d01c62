"""`gate serve`: the web interface."""

from pathlib import Path

import click


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of this machine to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes any free one.")
@click.option("--person", default="", help="Who you are, for the history.  [default: the name that git knows]")
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Evaluations at a time.")
def serve(host: str, port: int, person: str, jobs: int) -> None:
    """Write cases, try them, and look at runs in the browser.

    Models are asked as the gate.yaml of this repository says. The store is the file .gate/gate.db of this repository,
    or the database that GATE_DATABASE_URL names.

    \b
    Examples:
      gate serve
      GATE_DATABASE_URL=postgresql://gate@localhost/gate gate serve --port 0
    """
    from gate.bootstrap.serving import site_here
    from gate.errors import GateError, with_extra

    try:
        from gate.web.jobs.board import Jobs
        from gate.web.serving import LOOPBACK_NAMES, Address, listen
        from gate.web.site import Site
    except ImportError as error:
        raise GateError(f"the web interface needs the package {error.name}", with_extra("web")) from None
    here = site_here(Path(), person)
    begun = Jobs(here.root, here.now, jobs)
    site = Site(here.database, LOOPBACK_NAMES, here.key, here.now, person=here.person, jobs=begun)
    listening = listen(site, Address(host, port))
    click.echo(f"Prompt Gate answers at {listening.url}\nThe store is {here.database.label}. End it with Ctrl-C.")
    listening.run()
