"""`gate diff`: baseline against candidate."""

from pathlib import Path
from typing import Any

import click

from gate.cli.completing import CASE, REF, SUITE
from gate.cli.types import Shard, Share

EPILOG = """\b
Examples:
  gate diff --base origin/main
  gate diff --base origin/main --head HEAD --suite support --out report/
  gate diff --baseline old.md --candidate new.md --cases cases.jsonl --scorer contains --model openai:gpt-5-mini
  gate diff --baseline p.md --candidate p.md --cases cases.jsonl --scorer exact \\
            --baseline-model openai:gpt-5-mini --candidate-model anthropic:claude-haiku-4-5
  gate diff --base origin/main --watch
  gate diff --base origin/main --shard 3/10 --out shard-3   (then, with all ten: gate merge shard-*)
"""


@click.command(epilog=EPILOG)
@click.option("--base", metavar="REF", type=REF, help="Git mode: the merge target, e.g. origin/main.")
@click.option("--head", metavar="REF", type=REF, help="Git mode: the change.  [default: the working tree]")
@click.option("--pushed", is_flag=True, help="Git mode, as pre-commit's hook of a push: the change is what is pushed.")
@click.option("--config", default="gate.yaml", show_default=True, help="Git mode: the configuration, from the root.")
@click.option(
    "--suite", "suites", type=SUITE, multiple=True, metavar="NAME", help="Git mode: only this suite; may be repeated."
)
@click.option("--all", "everything", is_flag=True, help="Git mode: run suites that the change does not touch, too.")
@click.option(
    "--case", "only", type=CASE, multiple=True, metavar="ID", help="Only this case, or a pattern; may be repeated."
)
@click.option("--baseline", metavar="FILE", help="File mode: the prompt before the change.")
@click.option("--candidate", metavar="FILE", help="File mode: the prompt after the change.")
@click.option("--cases", metavar="FILE", help="File mode: the eval set, JSON Lines or JSON.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    type=click.Choice(["contains", "exact", "regex", "judge", "pairwise"]),
    help="File mode: may be repeated; regex reads each case's `expected` as the pattern, pairwise has a judge compare "
    "the answers of both arms.  [default: contains]",
)
@click.option("--criteria", metavar="TEXT", help="File mode: what a judge looks for.")
@click.option("--model", metavar="PROVIDER:NAME", help="File mode: the model of both arms.")
@click.option("--baseline-model", metavar="PROVIDER:NAME", help="File mode: the model of the baseline.")
@click.option("--candidate-model", metavar="PROVIDER:NAME", help="File mode: the model of the candidate.")
@click.option("--judge-model", metavar="PROVIDER:NAME", help="File mode: who judges.  [default: the baseline's model]")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="File mode: e.g. temperature=0.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case and arm.  [default: 3]")
@click.option("--margin", type=Share(0, 1, max_open=True), help="File mode: a fall that is tolerated.")
@click.option(
    "--method",
    type=click.Choice(["maxt", "percentile", "t", "mcnemar"]),
    help="How slices are tested; all but maxt look at each slice alone.  [default: maxt]",
)
@click.option(
    "--correction",
    type=click.Choice(["none", "bonferroni", "holm"]),
    help="For the methods that look at each slice alone.  [default: none]",
)
@click.option("--breakage", is_flag=True, default=None, help="With maxt: also look for any case that changed at all.")
@click.option("--fail-on", type=click.Choice(["block", "hold"]), help="What exits with 1.  [default: block]")
@click.option("--concurrency", type=click.IntRange(1, 1024), default=64, show_default=True, help="Calls in flight.")
@click.option("--no-cache", is_flag=True, help="Reuse no answer of an earlier run, and keep none for later ones.")
@click.option("--refresh", is_flag=True, help="Ask for every answer anew, and replace those that are kept.")
@click.option(
    "--early-stop/--no-early-stop",
    default=None,
    help="Look after each repeat of the cases, and ask no more than is needed.  [default: what gate.yaml says, or yes]",
)
@click.option("--batch", is_flag=True, help="Half the price: submit now, run again later to collect (exit code 3).")
@click.option("--wait", is_flag=True, help="With --batch: stay until the batches are done.")
@click.option("--watch", is_flag=True, help="Compare again at every save; known answers of the baseline are kept.")
@click.option("--seed", type=click.IntRange(0), help="Of the statistics.  [default: a hash of base commit and exam]")
@click.option("--shard", type=Shard(), metavar="N/M", help="Take only this share of the samples; see gate merge.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder, or a file: .md, .html, .json, .xml, .sarif, …  [default: .gate/last]",
)
@click.option("--store", is_flag=True, help="Keep the finished run in the store, too; see gate push.")
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the verdict.")
def diff(**options: Any) -> None:
    """Compare the prompt before and after a change on the same eval set.

    In git mode (--base) the suites of gate.yaml that the change touches are run; the exam (cases, scorers, policy) is
    the one of the base. In file mode (--baseline, --candidate, --cases) no configuration is needed.
    """
    from gate.cli.diff_options import DiffOptions
    from gate.cli.diff_run import execute

    if options["watch"]:
        from gate.cli.watch import execute

    raise click.exceptions.Exit(execute(DiffOptions(**options)))
