"""`gate generate`: tests from the prompt itself."""

from pathlib import Path
from typing import Any

import click

EPILOG = """\b
Examples:
  gate generate prompts/support.md --model openai:gpt-5-mini
  gate generate prompts/support.md --model openai:gpt-5-mini --judge-model anthropic:claude-haiku-4-5 --effort low
  gate generate prompts/support.md --model openai:gpt-5-mini --plan
  gate generate prompts/support.md --model openai:gpt-5-mini --set turns=3 --set expected=true
  gate generate prompts/support.md --model openai:gpt-5-mini --instructions tests="Customers write in German"
  gate generate prompts/support.md --model openai:gpt-5-mini --diff --base origin/main --update
  gate generate prompts/support.md --model openai:gpt-5 --evaluate openai:gpt-5-mini,openai:gpt-5-nano
"""


@click.command(epilog=EPILOG)
@click.argument("prompt", metavar="PROMPT")
@click.option("--model", metavar="PROVIDER:NAME", help="Who extracts and generates.  [required]")
@click.option("--judge-model", metavar="PROVIDER:NAME", help="Who checks what was made.  [default: the model itself]")
@click.option(
    "--effort",
    type=click.Choice(["min", "low", "medium", "high"]),
    default="medium",
    show_default=True,
    help="How much work.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="One setting before the effort's: tests_per_rule, max_rules, turns, documents, expected, …, or a parameter of "
    "the generator, such as temperature; may be repeated.",
)
@click.option("--instructions", multiple=True, metavar="STAGE=TEXT", help="More for one stage; may be repeated.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for spec.yaml and the cases.  [default: evals/NAME]"
)
@click.option(
    "--evaluate",
    metavar="MODEL,…",
    help="Run the tests against these models, and judge the outputs; with --diff one, for tests of new promises.",
)
@click.option("--diff", is_flag=True, help="Only compare what the prompt promises before and after a change.")
@click.option("--base", default="origin/main", show_default=True, metavar="REF", help="With --diff: the old version.")
@click.option("--update", is_flag=True, help="With --diff: update spec.yaml and the cases.")
@click.option("--plan", is_flag=True, help="Only say what it would take.")
@click.option("--max-calls", type=click.IntRange(1), help="Calls at most.")
@click.option("--max-usd", type=click.FloatRange(0, min_open=True), help="Dollars at most.")
@click.option("--json", "as_json", is_flag=True, help="Print what came out as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the first line.")
def generate(**options: Any) -> None:
    """Make tests for a prompt out of the prompt itself.

    Extracts what its inputs look like and the rules that its outputs keep, each with the words of the prompt that it
    rests on; inverts the rules; makes tests for both. Writes spec.yaml, which you may edit and which the next run then
    goes by, and a case file for people to review before it becomes an exam. Nothing that exists is overwritten.

    What was answered is kept: after Ctrl-C, or when a budget is used up, the same command goes on and pays nothing
    twice.

    Exit codes: 0 done, 1 no output of --evaluate complies with the prompt, 2 configuration or usage error, 3 no rule,
    test or verdict came out, or it was not finished, 130 interrupted.
    """
    from gate.cli.generate.options import GenerateOptions

    typed = GenerateOptions(**options)
    if typed.diff:
        from gate.cli.generate.specification_diff import execute
    else:
        from gate.cli.generate.generation import execute
    raise click.exceptions.Exit(execute(typed))
