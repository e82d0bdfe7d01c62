"""`gate generate`: tests from the prompt itself."""

from pathlib import Path
from typing import Any

import click

from gate.cli.options import json_option, quiet_option

EXAMPLES = """\b
Examples:
  gate generate prompts/support.md --model openai:gpt-5-mini --plan
  gate generate prompts/support.md --model openai:gpt-5-mini \\
    --set turns=3 --instructions tests="Customers write in German"
  gate generate prompts/support.md --model openai:gpt-5-mini --diff --update
  gate generate prompts/support.md --model openai:gpt-5 \\
    --evaluate openai:gpt-5-mini,openai:gpt-5-nano
"""


@click.command(epilog=EXAMPLES)
@click.argument("prompt", metavar="PROMPT")
@click.option("--model", metavar="MODEL", help="Model that extracts and generates.  [required]")
@click.option("--judge-model", metavar="MODEL", help="Model that checks the tests.  [default: MODEL]")
@click.option(
    "--effort",
    type=click.Choice(["min", "low", "medium", "high"]),
    default="medium",
    metavar="LEVEL",
    show_default=True,
    help="min, low, medium or high.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change one setting of the effort; repeatable."
)
@click.option("--instructions", multiple=True, metavar="STAGE=TEXT", help="Add to the prompt of a stage; repeatable.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the files.  [default: evals/NAME]")
@click.option("--evaluate", metavar="MODEL,…", help="Run the tests on these models and judge the outputs.")
@click.option("--diff", is_flag=True, help="Compare the rules before and after a change.")
@click.option("--base", default="origin/main", show_default=True, metavar="REF", help="With --diff: the old version.")
@click.option("--update", is_flag=True, help="With --diff: update spec.yaml and the cases.")
@click.option("--plan", is_flag=True, help="Only estimate the calls and the cost.")
@click.option("--max-calls", type=click.IntRange(1), metavar="N", help="Limit on calls.")
@click.option("--max-usd", type=click.FloatRange(0, min_open=True), metavar="USD", help="Limit on dollars.")
@json_option
@quiet_option("Print only the first line.")
def generate(**options: Any) -> None:
    """Generate tests from a prompt.

    Extracts the rules of the prompt, each with the words it comes from, and writes tests that follow and break them.
    The results are spec.yaml, which you can edit, and a case file to review. Existing files are not overwritten. After
    an interruption, run the same command again: it continues and pays nothing twice.

    Exit codes: 0 done, 1 no output complies (--evaluate), 2 usage error, 3 undecided or unfinished.
    """
    from gate.cli.generate.options import GenerateOptions

    typed = GenerateOptions(**options)
    if typed.diff:
        from gate.cli.generate.specification_diff import execute
    else:
        from gate.cli.generate.generation import execute
    raise click.exceptions.Exit(execute(typed))
