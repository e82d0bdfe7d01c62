"""`gate calibrate`: the baseline against itself."""

from pathlib import Path
from typing import Any

import click

EPILOG = """\b
Examples:
  gate calibrate
  gate calibrate --suite support --samples 3
  gate calibrate .gate/last
"""


@click.command(epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path), metavar="[RUN.json]", required=False)
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case and arm.  [default: as in gate.yaml]")
@click.option("--concurrency", type=click.IntRange(1, 1024), default=64, show_default=True, help="Calls in flight.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder.  [default: .gate/calibration]")
@click.option("--json", "as_json", is_flag=True, help="Print calibration.json instead of the tables.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the first lines.")
def calibrate(**options: Any) -> None:
    """Measure how noisy the suites are, and how often noise alone would block.

    Runs each prompt against itself with real calls (they cost what gate plan says), so that every difference is noise.
    With RUN.json, or the folder that holds it, says the same from a finished run and makes no call. Kept under
    .gate/calibration, where gate plan finds it.
    """
    from gate.cli.calibrate_run import CalibrateOptions, execute

    raise click.exceptions.Exit(execute(CalibrateOptions(**options)))
