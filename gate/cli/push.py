"""`gate push`: a finished run goes into the store."""

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where it went well.")
def push(run: Path, quiet: bool) -> None:
    """Put a finished run into the store, with its samples.

    RUN is a run.json, or the folder that holds one; samples.jsonl beside it goes along. The store is the file
    .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names. A run that is there already stays
    as it is, so this can be done again.

    \b
    Examples:
      gate push .gate/last
      GATE_DATABASE_URL=postgresql://gate@db.example/gate gate push report/run.json
    """
    from gate.bootstrap.pushing import keep_here
    from gate.cli.keeping import told

    kept = keep_here(run)
    if not quiet:
        click.echo(told(kept))
