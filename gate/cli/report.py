"""`gate report`: render a finished run again."""

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN.json")
@click.option(
    "--format",
    "form",
    # The names of `gate.cli.show.FORMATS`, which loads what renders them.
    type=click.Choice(["terminal", "md", "html", "json", "junit", "sarif", "jsonl"]),
    default=None,
    help="What to make of it; taken from the ending of --out where that is given.  [default: terminal]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write to this file instead of the screen: .md, .html, .json, .xml (JUnit), .sarif or .jsonl (samples).",
)
def report(run: Path, form: str | None, out: Path | None) -> None:
    """Render RUN.json (or the folder that holds it) again.

    \b
    Examples:
      gate report .gate/last
      gate report .gate/last --format md > comment.md
      gate report run.json --out report.md
      gate report .gate/last --out junit.xml
    """
    from gate.cli.show import render, write
    from gate.store.load import load_run

    record = load_run(run)
    folder = run if run.is_dir() else run.parent
    if out is not None:
        write(record, out, form, folder)
        return
    render(record, form or "terminal", folder)
