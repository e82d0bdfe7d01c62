"""`gate init`: from a repository with prompts to one with a gate."""

from typing import Any

import click

EPILOG = """\b
Examples:
  gate init
  gate init --yes --model openai:gpt-5-mini
  gate init --prompt prompts/support.md --cases data/questions.jsonl
  gate init --from promptfooconfig.yaml
  gate init --generate --model openai:gpt-5-mini
  gate init --dry-run
"""


@click.command(epilog=EPILOG)
@click.option(
    "--prompt", "prompts", multiple=True, metavar="PATH", help="A prompt; may be repeated.  [default: looks for them]"
)
@click.option(
    "--from", "bundle", metavar="FILE", help="Bring a configuration of another tool, such as promptfooconfig.yaml."
)
@click.option(
    "--model", metavar="MODEL", help="Who answers.  [default: the provider whose key is set, else local:gemma3-270m]"
)
@click.option(
    "--judge", metavar="MODEL", help="Who judges.  [default: a stronger model of a provider whose key is set]"
)
@click.option(
    "--cases", metavar="FILE", help="A case file for the prompts.  [default: data beside a prompt, else starter cases]"
)
@click.option(
    "--generate", is_flag=True, help="Have the model make cases out of the prompts; costs calls, and needs its key."
)
@click.option("--find-in-code", is_flag=True, help="Also name prompts that stand in Python, JavaScript and TypeScript.")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--action", metavar="OWNER/REPO@COMMIT", help="What the workflow uses: your copy of the action.")
@click.option("--no-workflow", is_flag=True, help="Write no workflow.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing, and take the defaults.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@click.option(
    "--json", "as_json", is_flag=True, help="Ask nothing, and print what was found, written and left alone as JSON."
)
@click.option("--quiet", "-q", is_flag=True, help="Only the paths that were written.")
def init(**options: Any) -> None:
    """Find the prompts of a repository, and write what the gate needs.

    Writes gate.yaml, case files, a judge's prompt and the workflow. Nothing is overwritten: a file that is there stays
    as it is. Sends nothing, unless --generate says so.
    """
    from gate.cli.init_run import InitOptions, execute

    execute(InitOptions(**options))
