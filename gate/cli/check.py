"""`gate check`: one version of every prompt against absolute thresholds."""

from pathlib import Path
from typing import Any

import click

from gate.cli.types import Share

EPILOG = """\b
Examples:
  gate check
  gate check --suite dispatcher --case 'discovery_*'
  gate check --ref v1.4.0 --min-pass-rate 0.9 --out report/
  gate check p.md --cases cases.jsonl --scorer contains --model openai:gpt-5-mini
"""


@click.command(epilog=EPILOG)
@click.argument("prompt", required=False, metavar="[PROMPT]")
@click.option("--ref", metavar="REF", help="Check this commit.  [default: the working tree]")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option("--case", "only", multiple=True, metavar="ID", help="Only this case, or a pattern; may be repeated.")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--cases", metavar="FILE", help="With PROMPT: the eval set, JSON Lines or JSON.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    type=click.Choice(["contains", "exact", "regex", "judge"]),
    help="With PROMPT: may be repeated; regex reads each case's `expected` as the pattern.  "
    "[default: contains, or with --criteria judge]",
)
@click.option("--criteria", metavar="TEXT", help="With PROMPT: what a judge looks for; the model judges itself.")
@click.option("--model", metavar="PROVIDER:NAME", help="Model to use instead of the suite's.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case.  [default: what gate.yaml says, or 3]")
@click.option(
    "--min-pass-rate",
    type=Share(0, 1, min_open=True),
    help="Share of the cases that must pass.  [default: what the policy says, or every case]",
)
@click.option("--refresh", is_flag=True, help="Ignore cached answers and refresh them.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder, or a file: .md, .html, .json, .xml, .sarif, .jsonl  [default: .gate/check]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the verdict.")
def check(**options: Any) -> None:
    """Test the current prompts against their thresholds, case by case.

    A case passes when the mean over its samples reaches its threshold. Every case has to pass, or the share that
    min_pass_rate asks for. Nothing is compared: see gate diff for that. With PROMPT and --cases no configuration is
    needed.

    Exit codes: 0 passed, 1 failed, 2 configuration or usage error, 3 could not be decided, 130 interrupted.
    """
    from gate.cli.check_run import CheckOptions, execute

    raise click.exceptions.Exit(execute(CheckOptions(**options)))
