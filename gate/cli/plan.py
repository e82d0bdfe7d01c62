"""`gate plan`: what a run would cost and what it could show."""

from typing import Any

import click

from gate.cli.types import Share

EPILOG = """\b
Examples:
  gate plan
  gate plan --base origin/main
  gate plan --suite support --effect 0.05 --power 0.9
  gate plan --json > plan.json
"""


@click.command(epilog=EPILOG)
@click.option("--base", metavar="REF", help="Plan what this change needs.  [default: every suite, against itself]")
@click.option("--head", metavar="REF", help="With --base: the change.  [default: the working tree]")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option(
    "--effect",
    type=Share(0.0, 1.0, min_open=True),
    default=0.10,
    show_default=True,
    help="The fall of a mean score that you want to see.",
)
@click.option(
    "--power",
    type=Share(0.5, 0.999),
    default=0.8,
    show_default=True,
    help="The probability with which it should show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Only the totals and what is wrong.")
def plan(**options: Any) -> None:
    """Say beforehand what a run costs and what it can see.

    Counts calls, tokens, dollars and minutes, and says for each slice the smallest fall that it could show. Makes no
    call and needs no key. Uses what earlier runs under .gate/ measured, and says where it assumes.
    """
    from gate.cli.plan_run import PlanOptions, execute

    raise click.exceptions.Exit(execute(PlanOptions(**options)))
