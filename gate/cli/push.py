"""`gate push`: a finished run goes into the store, or to a server."""

from pathlib import Path

import click

_EVERY_S = 5.0
"""Between two lines that say how far a large run is."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--to", "url", default="", metavar="URL", help="Send it to the Prompt Gate server at this address.")
@click.option("--insecure", is_flag=True, help="Send the token over a network that is not encrypted.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where it went well.")
def push(run: Path, url: str, insecure: bool, quiet: bool) -> None:
    """Put a finished run into the store, with its samples.

    RUN is a run.json, or the folder that holds one; samples.jsonl beside it goes along. The store is the file
    .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names; with --to, that of a server, which
    is shown the token in GATE_TOKEN. A run that is there already stays as it is, so this can be done again.

    \b
    Examples:
      gate push .gate/last
      GATE_DATABASE_URL=postgresql://gate@db.example/gate gate push report/run.json
      GATE_TOKEN=pgate_… gate push .gate/last --to https://gate.example.org
    """
    if insecure and not url:
        raise click.UsageError("--insecure is for --to.")
    told = _to_server(run, url, insecure, quiet) if url else _to_store(run)
    if not quiet:
        click.echo(told)


def _to_store(run: Path) -> str:
    from gate.bootstrap.pushing import keep_here
    from gate.report.escape import terminal

    kept = keep_here(run)
    again = "" if kept.new else " already"
    return terminal(f"The run is in the store {kept.store}{again}, as number {kept.id}.")


def _to_server(run: Path, url: str, insecure: bool, quiet: bool) -> str:
    import time

    from gate.bootstrap.sending import Manner, send_here
    from gate.report.escape import terminal

    last = time.monotonic()

    def shown(done: int, whole: int) -> None:
        nonlocal last
        if not quiet and time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            click.echo(f"sending: {done / 2**20:.1f} of {whole / 2**20:.1f} MiB", err=True)

    def retried(why: str) -> None:
        click.echo(terminal(f"once more, because {why}"), err=True)

    sent = send_here(run, url, Manner(time.sleep, shown, insecure, retried))
    return terminal(f"The run is {'' if sent.new else 'already '}at {sent.page}")
