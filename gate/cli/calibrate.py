"""`gate calibrate`: the baseline against itself, or a judge against people."""

from pathlib import Path
from typing import Any

import click

EPILOG = """\b
Examples:
  gate calibrate
  gate calibrate --suite support --samples 3
  gate calibrate .gate/last
  gate calibrate --judge labels.jsonl --suite support
  gate calibrate --judge labels.jsonl --criteria "Answers only what was asked" --model openai:gpt-5
"""
OF_A_RUN = ("run", "samples")
OF_A_JUDGE = ("scorer", "criteria", "model", "repeats", "label_scale", "max_calls", "max_usd")


@click.command(epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path), metavar="[RUN.json]", required=False)
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case and arm.  [default: as in gate.yaml]")
@click.option("--judge", type=click.Path(path_type=Path), metavar="LABELS", help="Answers that people have labelled.")
@click.option("--scorer", metavar="NAME", help="With --judge: which of the suite's scorers.  [default: its judge]")
@click.option("--criteria", metavar="TEXT", help="With --judge, without --suite: what is judged.")
@click.option("--model", metavar="PROVIDER:NAME", help="With --criteria: who judges.")
@click.option("--repeats", type=click.IntRange(1, 100), help="With --judge: times each answer is judged.  [default: 5]")
@click.option(
    "--label-scale", nargs=2, type=float, metavar="LOW HIGH", help="With --judge: scale of grades.  [default: 0 1]"
)
@click.option("--max-calls", type=click.IntRange(1), help="With --judge: calls at most.")
@click.option("--max-usd", type=click.FloatRange(0, min_open=True), help="With --judge: dollars at most.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder; with --judge a file.  [default: .gate/calibration; judge-calibration.json beside LABELS]",
)
@click.option("--json", "as_json", is_flag=True, help="Print what is written instead of the tables.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the first lines.")
def calibrate(**options: Any) -> None:
    """Measure how noisy the suites are, or how far a judge agrees with people.

    Runs each prompt against itself with real calls (they cost what gate plan says), so that every difference is noise,
    and says how often noise alone would block. With RUN.json, or the folder that holds it, says the same from a
    finished run and makes no call. Kept under .gate/calibration, where gate plan finds it.

    With --judge, has the recorded answers in LABELS judged, several times each, and puts the judgements beside the
    labels: agreement, both kinds of mistakes, consistency, bias by length, the best threshold.
    """
    away = OF_A_JUDGE if options["judge"] is None else OF_A_RUN
    for name in away:
        if options[name] is not None:
            shown = "RUN.json" if name == "run" else f"--{name.replace('_', '-')}"
            with_judge = "with --judge" if options["judge"] is not None else "without --judge"
            raise click.UsageError(f"{shown} has no meaning {with_judge}")
    own = {name: value for name, value in options.items() if name not in away}
    if options["judge"] is not None:
        from gate.cli.calibrate_judge import JudgeOptions, execute

        raise click.exceptions.Exit(execute(JudgeOptions(**own)))
    from gate.cli.calibrate_run import CalibrateOptions
    from gate.cli.calibrate_run import execute as execute_run

    own.pop("judge")
    raise click.exceptions.Exit(execute_run(CalibrateOptions(**own)))
