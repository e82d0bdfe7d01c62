"""`gate backtest`: from options to output."""

from pathlib import Path
from typing import Any

import click

from gate.cli.options import config_option, json_option, quiet_option, samples_option, suites_option

BACKTEST_EXAMPLES = """\b
Examples:
  gate backtest
  gate backtest --commits 30 --suite support --max-usd 5
  gate backtest --since v1.4.0 --json > backtest.json
"""


@click.command(epilog=BACKTEST_EXAMPLES)
@click.option(
    "--commits", "-n", type=click.IntRange(1, 1000), default=10, metavar="N", show_default=True, help="Newest commits."
)
@suites_option
@config_option
@click.option("--since", metavar="REF", help="Only commits after this one.")
@samples_option("gate.yaml's")
@click.option("--max-calls", type=click.IntRange(1, 10_000_000), metavar="N", help="Limit on calls, in total.")
@click.option(
    "--max-usd", type=click.FloatRange(0, 1_000_000, min_open=True), metavar="USD", help="Limit on dollars, in total."
)
@click.option(
    "--max-minutes", type=click.FloatRange(0, 10_000, min_open=True), metavar="MIN", help="Limit on minutes, in total."
)
@click.option("--refresh", is_flag=True, help="Ignore cached answers and finished commits.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder.  [default: .gate/backtest]")
@json_option
@quiet_option("Print only the first line.")
def backtest(**options: Any) -> None:
    """Evaluate past commits that changed a prompt.

    Compares each commit with its parent and lists the verdicts. Prompts come from the commits; cases, scorers and
    policy come from the working tree. After an interruption, run the same command again: it continues and pays nothing
    twice.

    Exit codes: 0 done (whatever the verdicts), 2 usage error, 3 ended early.
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
    from gate.cli.output import print_note, run_progress, stdout_console
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
        from gate.backtest.report import backtest_sheet
        from gate.report.terminal.sheet import render_sheet

        render_sheet(backtest_sheet(record), stdout_console(), brief=quiet)
        if not quiet:
            click.echo(f"\nWritten: {folder / PAGE} (record: {folder / FILE}, the runs are in the same folder)")
    if interrupted:
        return Interrupted.exit_code
    return CannotEvaluate.exit_code if record.unfinished else 0
