"""`gate generate`: tests from the prompt itself."""

from pathlib import Path
from typing import Any, get_args

import click

from gate.cli.completing import REF
from gate.testgen.effort import RULES, Level

EPILOG = """\b
Examples:
  gate generate prompts/support.md --model openai:gpt-5-mini
  gate generate prompts/support.md --model openai:gpt-5-mini --judge-model anthropic:claude-haiku-4-5 --effort low
  gate generate prompts/support.md --model openai:gpt-5-mini --plan
  gate generate prompts/support.md --model openai:gpt-5-mini --instructions tests="Customers write in German"
  gate generate prompts/tag.prompt.yml --model openai:gpt-5-mini --write-back
  gate generate prompts/support.md --model openai:gpt-5-mini --diff --base origin/main --update
  gate generate prompts/support.md --model openai:gpt-5 --evaluate --models openai:gpt-5-mini,openai:gpt-5-nano
"""


@click.command(epilog=EPILOG)
@click.argument("prompt", metavar="PROMPT")
@click.option("--model", metavar="PROVIDER:NAME", help="Who extracts and generates.  [required]")
@click.option("--judge-model", metavar="PROVIDER:NAME", help="Who checks what was made.  [default: the model itself]")
@click.option("--reference-model", metavar="PROVIDER:NAME", help="With --expected: who answers.  [default: --model]")
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="KEY=VALUE",
    help="Of the generator alone, e.g. temperature=1; base_url is of its provider.",
)
@click.option(
    "--effort", type=click.Choice(get_args(Level)), default="medium", show_default=True, help="How much work."
)
@click.option("--tests-per-rule", type=click.IntRange(1, 50), help="For each rule, and as many for its inverse.")
@click.option("--rules-per-call", type=click.IntRange(1, 100), help="Rules that one request makes tests for.")
@click.option("--max-rules", type=click.IntRange(1, RULES), help="Rules at most.")
@click.option("--expansions", type=click.IntRange(0, 5), help="Times that each test is made richer.")
@click.option("--turns", type=click.IntRange(1, 20), help="Messages of the user in each test.")
@click.option("--documents/--no-documents", default=None, help="Make stand-ins for retrieved context.")
@click.option("--validate/--no-validate", default=None, help="Hold tests against the input specification.")
@click.option("--ground/--no-ground", default=None, help="Let a judge look for rules that are not word for word there.")
@click.option("--review/--no-review", default=None, help="Ask for conflicts and leaks.")
@click.option("--expected/--no-expected", default=None, help="Let a reference model answer each test.")
@click.option(
    "--instructions", multiple=True, metavar="STAGE=TEXT", help="What a stage is told besides; may be repeated."
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for spec.yaml and the cases.  [default: evals/NAME]"
)
@click.option("--spec", type=click.Path(path_type=Path), help="The specification to use.  [default: OUT/spec.yaml]")
@click.option("--format", "form", type=click.Choice(["yaml", "jsonl"]), default="yaml", show_default=True)
@click.option("--write-back", is_flag=True, help="Add the tests to testData of a .prompt.yml, too.")
@click.option("--evaluate", is_flag=True, help="Run the tests against models, and judge the outputs.")
@click.option(
    "--models",
    metavar="A,B,…",
    help="With --evaluate: the models under test; with --diff: one that answers for both versions.",
)
@click.option(
    "--control/--no-control", default=True, help="With --evaluate: compare with tests written from the prompt alone."
)
@click.option("--input-aware", is_flag=True, help="With --evaluate: the judge is shown each input, too.")
@click.option("--diff", is_flag=True, help="Only compare what the prompt promises before and after a change.")
@click.option(
    "--base", type=REF, default="origin/main", show_default=True, metavar="REF", help="With --diff: the old version."
)
@click.option("--baseline", metavar="FILE", help="With --diff: the old version as a file, instead of --base.")
@click.option("--update", is_flag=True, help="With --diff: let spec.yaml and the cases follow.")
@click.option("--plan", is_flag=True, help="Only say what it would take.")
@click.option("--max-calls", type=click.IntRange(1), help="Calls at most.")
@click.option("--max-usd", type=click.FloatRange(0, min_open=True), help="Dollars at most.")
@click.option("--concurrency", type=click.IntRange(1, 1024), default=16, show_default=True, help="Calls in flight.")
@click.option("--no-cache", is_flag=True, help="Reuse no answer of an earlier run, and keep none for later ones.")
@click.option("--refresh", is_flag=True, help="Ask for every answer anew, and replace those that are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print what came out as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the first line.")
def generate(**options: Any) -> None:
    """Make tests for a prompt out of the prompt itself.

    Extracts what its inputs look like and the rules that its outputs keep, each with the words of the prompt that it
    rests on; inverts the rules; makes tests for both. Writes spec.yaml, which you may edit and which the next run then
    goes by, and a case file for people to review before it becomes an exam. Nothing that exists is overwritten.

    What was answered is kept: after Ctrl-C, or when a budget is used up, the same command goes on and pays nothing
    twice.

    Exit codes: 0 done, 1 no output of --evaluate complies with the prompt, 2 a mistake in a file or in usage, 3 no
    rule, test or verdict came out, or it was not finished, 130 interrupted.
    """
    from gate.cli.generate_options import GenerateOptions

    typed = GenerateOptions(**options)
    if typed.diff:
        from gate.cli.generate_diff import execute
    elif typed.plan:
        from gate.cli.generate_plan import execute
    else:
        from gate.cli.generate_run import execute
    raise click.exceptions.Exit(execute(typed))
