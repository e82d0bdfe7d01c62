"""`gate explain`: everything about one case of a run."""

import shlex
from pathlib import Path

import click

LAST = Path(".gate/last")


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN.json")
@click.argument("case", metavar="[CASE]", required=False, default="")
@click.option("--suite", default="", metavar="NAME", help="The suite that asked it, where several have such a case.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--md", "as_md", is_flag=True, help="Print it as Markdown.")
def explain(run: Path, case: str, suite: str, as_json: bool, as_md: bool) -> None:
    """Show everything about CASE of RUN.json (or of the folder that holds it).

    The question, the answers of both arms beside each other with what differs, what every scorer says and why, what
    the case has to do with the change of each slice, and how to ask it again alone. CASE is an id, the beginning of
    one, or suite/id; without it, it is the case that fell most. The samples.jsonl beside the record has all answers;
    without it there are those that the record keeps.

    \b
    Examples:
      gate explain .gate/last
      gate explain .gate/last c17
      gate explain report/run.json support/c17 --md > case.md
    """
    from gate.cli import explain_run
    from gate.errors import GateError

    if as_json and as_md:
        raise GateError("--json and --md do not go together", "run it twice")
    if not case and not run.exists() and LAST.is_dir():
        hint = f"name the run before the case: gate explain {LAST} {shlex.quote(str(run))}"
        raise GateError(f"there is no run {run}", hint)
    explain_run.execute(run, case, suite, "json" if as_json else "md" if as_md else "terminal")
