"""`gate diff`: baseline against candidate."""

from pathlib import Path
from typing import Any

import click

from gate.cli.types import Shard

EPILOG = """\b
Examples:
  gate diff --base origin/main
  gate diff --base origin/main --head HEAD --suite support --out report/
  gate diff old.md new.md --cases cases.jsonl --scorer contains --model openai:gpt-5-mini
  gate diff p.md p.md --cases cases.jsonl --scorer exact \\
            --baseline-model openai:gpt-5-mini --candidate-model anthropic:claude-haiku-4-5
  gate diff --base origin/main --watch
  gate diff --base origin/main --shard 3/10 --out shard-3   (then, with all ten: gate merge shard-*)
"""


@click.command(epilog=EPILOG)
@click.argument("prompts", nargs=-1, metavar="[OLD NEW]")
@click.option("--base", metavar="REF", help="Git mode: the merge target, e.g. origin/main.")
@click.option("--head", metavar="REF", help="Git mode: the change.  [default: the working tree]")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Git mode: only this suite; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Git mode: run suites that the change does not touch, too.")
@click.option("--config", default="gate.yaml", show_default=True, help="Git mode: the configuration, from the root.")
@click.option("--cases", metavar="FILE", help="File mode: the eval set, JSON Lines or JSON.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    type=click.Choice(["contains", "exact", "regex", "judge", "pairwise"]),
    help="File mode: may be repeated; regex reads each case's `expected` as the pattern, pairwise has a judge compare "
    "the answers of both arms.  [default: contains, or with --criteria judge]",
)
@click.option("--criteria", metavar="TEXT", help="File mode: what a judge looks for.")
@click.option("--model", metavar="PROVIDER:NAME", help="File mode: the model of both arms, and of the judge.")
@click.option("--baseline-model", metavar="PROVIDER:NAME", help="File mode: the model of the baseline.")
@click.option("--candidate-model", metavar="PROVIDER:NAME", help="File mode: the model of the candidate.")
@click.option("--case", "only", multiple=True, metavar="ID", help="Only this case, or a pattern; may be repeated.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case and arm.  [default: 3]")
@click.option(
    "--early-stop/--no-early-stop",
    default=None,
    help="Look after each repeat of the cases, and ask no more than is needed.  [default: what gate.yaml says, or yes]",
)
@click.option("--refresh", is_flag=True, help="Ignore cached answers and refresh them.")
@click.option("--batch", is_flag=True, help="Half the price: submit now, run again later to collect (exit code 3).")
@click.option("--watch", is_flag=True, help="Compare again at every save; known answers of the baseline are kept.")
@click.option("--shard", type=Shard(), metavar="N/M", help="Take only this share of the samples; see gate merge.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder, or a file: .md, .html, .json, .xml, .sarif, .jsonl  [default: .gate/last]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the verdict.")
def diff(**options: Any) -> None:
    """Compare the prompt before and after a change on the same eval set.

    In git mode (--base) the suites of gate.yaml that the change touches are run; the exam (cases, scorers, policy) is
    the one of the base. In file mode (OLD NEW --cases) no configuration is needed.
    """
    from gate.cli.diff_run import DiffOptions, execute

    if options["watch"]:
        from gate.cli.watch import execute
    elif options["shard"] is not None:
        from gate.cli.shard_run import execute

    raise click.exceptions.Exit(execute(DiffOptions(**options)))
