"""Commands that evaluate: `gate diff`, `check`, `merge`, `plan`, `calibrate` and `action`. Loads click only."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.options import (
    Share,
    cases_option,
    config_option,
    json_option,
    out_option,
    quiet_option,
    refresh_option,
    samples_option,
    suites_option,
)
from gate.limits import SHARDS

if TYPE_CHECKING:
    from gate.engine import schedule


class Shard(click.ParamType["schedule.Share"]):
    """`3/10`: the third of ten parts of a run."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "schedule.Share":
        from gate.engine.schedule import Share

        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", str(value))
        if match is None:
            self.fail(f"{value!r} is not N/M; 3/10 is the third of ten shards", param, ctx)
        number, of = int(match[1]), int(match[2])
        if not 1 <= of <= SHARDS:
            self.fail(f"a run has 1 to {SHARDS:,} shards, not {of:,}", param, ctx)
        if not 1 <= number <= of:
            self.fail(f"there is no shard {number} of {of}; shards are numbered from 1", param, ctx)
        return Share(number, of)


DIFF_EXAMPLES = """\b
Examples:
  gate diff --base origin/main
  gate diff --base origin/main --suite support --out report/
  gate diff old.md new.md --cases cases.jsonl --model openai:gpt-5-mini
  gate diff p.md p.md --cases cases.jsonl \\
    --models openai:gpt-5-mini anthropic:claude-haiku-4-5
  gate diff --base origin/main --shard 3/10 --out shard-3
"""


@click.command(epilog=DIFF_EXAMPLES)
@click.argument("prompts", nargs=-1, metavar="[OLD NEW]")
@click.option("--base", metavar="REF", help="Git mode: commit or branch to compare with.")
@click.option("--head", metavar="REF", help="Git mode: commit or branch with the change.  [default: the working tree]")
@suites_option
@click.option("--all", "everything", is_flag=True, help="Also run suites whose files did not change.")
@config_option
@click.option("--cases", metavar="FILE", help="File mode: the case file.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="KIND",
    type=click.Choice(["contains", "exact", "regex", "judge", "pairwise"]),
    help="File mode: contains, exact, regex, judge or pairwise; repeatable.",
)
@click.option("--criteria", metavar="TEXT", help="File mode: what a judge looks for.")
@click.option("--model", metavar="MODEL", help="File mode: model for both prompts and the judge.")
@click.option("--models", nargs=2, metavar="OLD_MODEL NEW_MODEL", help="File mode: one model for each prompt.")
@cases_option
@samples_option("gate.yaml's, or 3")
@click.option("--early-stop/--no-early-stop", default=None, help="Stop when the verdict is clear.  [default: on]")
@refresh_option
@click.option("--batch", is_flag=True, help="Use the provider's cheaper batches: run again later to collect.")
@click.option("--shard", type=Shard(), metavar="N/M", help="Run only part N of M; `gate merge` joins the parts.")
@out_option(".gate/last")
@json_option
@quiet_option("Print only the verdict.")
def diff(**options: Any) -> None:
    """Compare a prompt before and after a change.

    Git mode (--base) runs the suites of gate.yaml whose files changed. Test cases, scorers and pass rules are read
    from the base, so a change cannot edit its own test. File mode (OLD NEW --cases) needs no gate.yaml.

    Exit codes: 0 SHIP, PASS, SKIPPED or HOLD, 1 BLOCK, 2 configuration or usage error, 3 INCONCLUSIVE.
    """
    from gate.cli.diff import DiffOptions, diff

    raise click.exceptions.Exit(diff(DiffOptions(**options)))


CHECK_EXAMPLES = """\b
Examples:
  gate check
  gate check --suite dispatcher --case 'discovery_*'
  gate check --ref v1.4.0 --min-pass-rate 0.9 --out report/
  gate check p.md --cases cases.jsonl --model openai:gpt-5-mini
"""


@click.command(epilog=CHECK_EXAMPLES)
@click.argument("prompt", required=False, metavar="[PROMPT]")
@click.option("--ref", metavar="REF", help="Check this commit.  [default: the working tree]")
@suites_option
@cases_option
@config_option
@click.option("--cases", metavar="FILE", help="With PROMPT: the case file.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="KIND",
    type=click.Choice(["contains", "exact", "regex", "judge"]),
    help="With PROMPT: contains, exact, regex or judge; repeatable.",
)
@click.option("--criteria", metavar="TEXT", help="With PROMPT: what a judge looks for.")
@click.option("--model", metavar="MODEL", help="Use this model instead of the suite's.")
@samples_option("gate.yaml's, or 3")
@click.option(
    "--min-pass-rate",
    type=Share(0, 1, min_open=True),
    metavar="SHARE",
    help="Share of cases that must pass, such as 0.9.  [default: gate.yaml's, or 1]",
)
@refresh_option
@out_option(".gate/check")
@json_option
@quiet_option("Print only the verdict.")
def check(**options: Any) -> None:
    """Test the current prompts against their thresholds.

    A case passes when the mean over its samples reaches the thresholds in gate.yaml. To compare two versions, use
    `gate diff`. With PROMPT and --cases no gate.yaml is needed.

    Exit codes: 0 passed, 1 failed, 2 configuration or usage error, 3 INCONCLUSIVE.
    """
    from gate.cli.check import check

    raise click.exceptions.Exit(check(**options))


MERGE_EXAMPLES = """\b
Examples:
  gate diff --base origin/main --shard 1/2 --out shards/1
  gate diff --base origin/main --shard 2/2 --out shards/2
  gate merge shards
"""


@click.command(epilog=MERGE_EXAMPLES)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER...")
@out_option(".gate/last")
@json_option
@quiet_option("Print only the verdict.")
def merge(**options: Any) -> None:
    """Combine the shards of a run into one verdict.

    FOLDER is the --out of `gate diff --shard`, or a folder that holds several. Run this in a checkout that has both
    commits. It calls no model and needs no key. If a shard is missing, the verdict is INCONCLUSIVE.

    Exit codes: those of gate diff.
    """
    from gate.cli.diff import merge

    raise click.exceptions.Exit(merge(**options))


PLAN_EXAMPLES = """\b
Examples:
  gate plan
  gate plan --base origin/main
  gate plan --suite support --effect 0.05 --power 0.9
"""


@click.command(epilog=PLAN_EXAMPLES)
@click.option("--base", metavar="REF", help="Plan this change only.  [default: plan every suite]")
@click.option("--head", metavar="REF", help="With --base: the change.  [default: the working tree]")
@config_option
@suites_option
@click.option(
    "--effect",
    type=Share(0.0, 1.0, min_open=True),
    default=0.10,
    show_default=True,
    metavar="DROP",
    help="Drop of the mean score to detect.",
)
@click.option(
    "--power",
    type=Share(0.5, 0.999),
    default=0.8,
    show_default=True,
    metavar="SHARE",
    help="Probability of detecting it.",
)
@json_option
@quiet_option("Print only totals and warnings.")
def plan(**options: Any) -> None:
    """Estimate cost, time and the smallest drop a run can show.

    Counts calls, tokens, dollars and minutes, and the smallest drop that each slice can show. It calls no model and
    needs no key. Figures come from earlier runs in .gate/ where there are any; assumptions are marked.
    """
    from gate.cli.measure import plan

    plan(**options)


CALIBRATE_EXAMPLES = """\b
Examples:
  gate calibrate --suite support --samples 3
  gate calibrate .gate/last
  gate calibrate --judge labels.jsonl --suite support
  gate calibrate --judge labels.jsonl --criteria "Polite" --model openai:gpt-5
"""
OF_A_RUN = ("run", "samples")
OF_A_JUDGE = ("scorer", "criteria", "model", "repeats", "label_scale", "max_calls", "max_usd")


@click.command(epilog=CALIBRATE_EXAMPLES)
@click.argument("run", type=click.Path(path_type=Path), metavar="[RUN]", required=False)
@config_option
@suites_option
@samples_option("gate.yaml's")
@click.option("--judge", type=click.Path(path_type=Path), metavar="LABELS", help="File of answers labelled by people.")
@click.option("--scorer", metavar="NAME", help="With --judge: which scorer of the suite.")
@click.option("--criteria", metavar="TEXT", help="With --judge: criteria, instead of --suite.")
@click.option("--model", metavar="MODEL", help="With --criteria: the judge model.")
@click.option(
    "--repeats", type=click.IntRange(1, 100), metavar="N", help="With --judge: judgements per answer.  [default: 5]"
)
@click.option(
    "--label-scale", nargs=2, type=float, metavar="LOW HIGH", help="With --judge: scale of labels.  [default: 0 1]"
)
@click.option("--max-calls", type=click.IntRange(1), metavar="N", help="With --judge: limit on calls.")
@click.option(
    "--max-usd", type=click.FloatRange(0, min_open=True), metavar="USD", help="With --judge: limit on dollars."
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder, or file with --judge.  [default: .gate/calibration]"
)
@json_option
@quiet_option("Print only the first lines.")
def calibrate(**options: Any) -> None:
    """Measure noise, or compare a judge with human labels.

    Runs each prompt against itself and reports how often noise alone would block. This makes as many calls as gate
    plan estimates; with RUN (a run.json or its folder) it reads a finished run instead. With --judge, it judges the
    answers in LABELS several times and reports agreement, errors, consistency and length bias.
    """
    judged = options.pop("judge")
    for name in OF_A_JUDGE if judged is None else OF_A_RUN:
        if options.pop(name) is not None:
            shown = "RUN" if name == "run" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{shown} cannot be used {'without' if judged is None else 'with'} --judge")
    from gate.cli.measure import judge, noise

    raise click.exceptions.Exit(noise(**options) if judged is None else judge(judged, **options))


ACTION_EXAMPLES = """\b
On your own machine:
  gate diff --base origin/main
"""


@click.command(epilog=ACTION_EXAMPLES)
def action() -> None:
    """Evaluate the pull request of a GitHub workflow.

    The entry point of the container action. It reads the event and the inputs (INPUT_*) from the environment, compares
    the merge result with the merge target, updates the comment, writes the job summary and the outputs, and exits with
    the code of the verdict.
    """
    import time
    from datetime import UTC, datetime

    from gate.action.entry import act
    from gate.action.job import EventServices
    from gate.cli.output import LineProgress, print_run
    from gate.environment.settings import Settings

    services = EventServices(
        say=lambda line: print(line, flush=True),
        show=lambda run: print_run(run, "terminal"),
        progress=LineProgress,
        now=lambda: datetime.now(UTC),
        wait=time.sleep,
        settings=Settings.from_environ(),
    )
    raise click.exceptions.Exit(act(services))
