"""`gate check`: one version of every prompt against absolute thresholds."""

from pathlib import Path
from typing import Any

import click

from gate.cli.completing import CASE, REF, SUITE
from gate.cli.types import Share

EPILOG = """\b
Examples:
  gate check
  gate check --suite dispatcher --case 'discovery_*'
  gate check --ref v1.4.0 --min-pass-rate 0.9 --out report/
  gate check --prompt p.md --cases cases.jsonl --scorer contains --model openai:gpt-5-mini
"""


@click.command(epilog=EPILOG)
@click.option("--ref", metavar="REF", type=REF, help="Check this commit.  [default: the working tree]")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--suite", "suites", type=SUITE, multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option(
    "--case", "only", type=CASE, multiple=True, metavar="ID", help="Only this case, or a pattern; may be repeated."
)
@click.option("--prompt", metavar="FILE", help="File mode: the prompt.")
@click.option("--cases", metavar="FILE", help="File mode: the eval set, JSON Lines.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    type=click.Choice(["contains", "exact", "regex", "judge"]),
    help="File mode: may be repeated; regex reads each case's `expected` as the pattern.  [default: contains]",
)
@click.option("--criteria", metavar="TEXT", help="File mode: what a judge looks for.")
@click.option("--model", metavar="PROVIDER:NAME", help="Who answers, instead of each suite's own model.")
@click.option("--judge-model", metavar="PROVIDER:NAME", help="File mode: who judges.  [default: the model itself]")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="File mode: e.g. temperature=0.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case.  [default: what gate.yaml says, or 3]")
@click.option(
    "--min-pass-rate",
    type=Share(0, 1, min_open=True),
    help="Share of the cases that must pass.  [default: what the policy says, or every case]",
)
@click.option(
    "--fail-on",
    type=click.Choice(["block", "hold"]),
    help="hold: a rate must be beyond doubt, not only reached.  [default: block]",
)
@click.option("--concurrency", type=click.IntRange(1, 1024), default=64, show_default=True, help="Calls in flight.")
@click.option("--no-cache", is_flag=True, help="Reuse no answer of an earlier run, and keep none for later ones.")
@click.option("--refresh", is_flag=True, help="Ask for every answer anew, and replace those that are kept.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder, or a file: .md, .html, .json, .xml, .sarif, …  [default: .gate/check]",
)
@click.option("--store", is_flag=True, help="Keep the finished run in the store, too; see gate push.")
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the verdict.")
def check(**options: Any) -> None:
    """Hold one version of every prompt against its thresholds, case by case.

    A case passes when the mean over its samples reaches its marks. Every case has to pass, or the share that
    min_pass_rate asks for. Nothing is compared: see gate diff for that.

    Exit codes: 0 passed, 1 failed, 2 a mistake in configuration or usage, 3 could not be decided, 130 interrupted.
    """
    from gate.cli.check_run import CheckOptions, execute

    raise click.exceptions.Exit(execute(CheckOptions(**options)))
