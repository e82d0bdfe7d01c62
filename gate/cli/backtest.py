"""`gate backtest`: from its options to what is printed."""

import sys
from pathlib import Path
from typing import Any

import click

BACKTEST_EXAMPLES = """\b
Examples:
  gate backtest
  gate backtest --commits 30 --suite support --max-usd 5
  gate backtest --since v1.4.0 --json > backtest.json
  gate backtest --samples 1 --out history/
"""


@click.command(epilog=BACKTEST_EXAMPLES)
@click.option(
    "--commits", "-n", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many of them to judge."
)
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--since", metavar="REF", help="Leave out this commit, and what came before it.")
@click.option(
    "--samples", type=click.IntRange(1, 100), help="Outputs per case and arm.  [default: what gate.yaml says]"
)
@click.option("--max-calls", type=click.IntRange(1, 10_000_000), help="Calls of all commits together.")
@click.option("--max-usd", type=click.FloatRange(0, 1_000_000, min_open=True), help="Dollars of all commits together.")
@click.option("--max-minutes", type=click.FloatRange(0, 10_000, min_open=True), help="Minutes of all commits together.")
@click.option("--refresh", is_flag=True, help="Ignore cached answers and finished commits.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder.  [default: .gate/backtest]")
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the table.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the first line.")
def backtest(**options: Any) -> None:
    """Judge the last commits that changed a prompt, each against its parent.

    What would the gate have said? Cases, scorers and policy are those of the working tree, prompts those of each
    commit. The prompt after one commit is the one before the next, so its answers are paid for once. Run again after
    an interruption: nothing is paid twice, and finished commits are not evaluated again. The budget, of gate.yaml or
    of the options, is for all commits together.

    Exit codes: 0 carried out, whatever the verdicts, 2 configuration or usage error, 3 ended early, 130 interrupted.
    """
    raise click.exceptions.Exit(_backtest(**options))


def _backtest(
    max_calls: int | None,
    max_usd: float | None,
    max_minutes: float | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> int:
    from gate.backtest.run import PAGE, BacktestOrder, Screen, carry_out, keep_page, prepare
    from gate.cli.output import print_note, run_progress
    from gate.environment.settings import Settings
    from gate.errors import CannotEvaluate, Interrupted
    from gate.git.places import own_folder
    from gate.record.backtest import FILE

    settings, folder = Settings.from_environ(), out or own_folder() / "backtest"
    order = BacktestOrder(limits=(max_calls, max_usd, max_minutes), out=folder, **options)
    screen = Screen((lambda line: None) if quiet else print_note, lambda: run_progress(quiet=quiet))
    ready = prepare(order)
    record, interrupted = carry_out(ready, settings, screen)
    keep_page(record, folder)
    if as_json:
        click.echo(record.model_dump_json(by_alias=True, indent=2))
    else:
        from rich.console import Console

        from gate.backtest.report import backtest_sheet
        from gate.report.terminal.sheet import render_sheet

        render_sheet(backtest_sheet(record), Console(file=sys.stdout, highlight=False), brief=quiet)
        if not quiet:
            click.echo(f"\nWritten: {folder / PAGE} (record: {folder / FILE}, runs beside it)")
    if interrupted:
        return Interrupted.exit_code
    return CannotEvaluate.exit_code if record.unfinished else 0
