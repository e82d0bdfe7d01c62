"""`gate merge`: the shards of one run become one run."""

from pathlib import Path
from typing import Any

import click

EPILOG = """\b
Examples:
  gate diff --base origin/main --shard 1/3 --out shards/1
  gate diff --base origin/main --shard 2/3 --out shards/2
  gate diff --base origin/main --shard 3/3 --out shards/3
  gate merge shards
  gate merge shard-1 shard-2 shard-3 --out report/
"""


@click.command(epilog=EPILOG)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUNS...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder, or a file: .md, .html, .json, .xml, .sarif, …  [default: .gate/last]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="Only the verdict.")
def merge(**options: Any) -> None:
    """Judge the shards of one run together.

    RUNS are folders that `gate diff --shard` made, or folders that hold such folders. Makes no call and needs no key;
    run it in a checkout that has both commits. The verdict and its exit code are those of a run that was never
    divided; with a shard missing, the run is INCONCLUSIVE.
    """
    from gate.cli.merge_run import MergeOptions, execute

    raise click.exceptions.Exit(execute(MergeOptions(**options)))
