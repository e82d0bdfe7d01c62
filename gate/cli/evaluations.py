"""Commands that evaluate: `gate diff`, `check`, `merge`, `plan`, `calibrate` and `action`. Loads click alone."""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.formats import ENDINGS
from gate.limits import SHARDS

if TYPE_CHECKING:
    from gate.engine import schedule


class Share(click.FloatRange):
    """A number in a range; unlike its parent it takes no NaN, which lies in no range and passes every comparison."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


class Shard(click.ParamType["schedule.Share"]):
    """`3/10`: the third of ten parts of a run."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "schedule.Share":
        from gate.engine.schedule import Share

        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", str(value))
        if match is None:
            self.fail(f"{value!r} is not N/M; write 3/10 for the third of ten shards", param, ctx)
        number, of = int(match[1]), int(match[2])
        if not 1 <= of <= SHARDS:
            self.fail(f"a run has 1 to {SHARDS:,} shards, and not {of:,}", param, ctx)
        if not 1 <= number <= of:
            self.fail(f"shards are numbered from 1, so {number} of {of} is none", param, ctx)
        return Share(number, of)


DIFF_EXAMPLES = """\b
Examples:
  gate diff --base origin/main
  gate diff --base origin/main --head HEAD --suite support --out report/
  gate diff old.md new.md --cases cases.jsonl --scorer contains --model openai:gpt-5-mini
  gate diff p.md p.md --cases cases.jsonl --scorer exact \\
            --baseline-model openai:gpt-5-mini --candidate-model anthropic:claude-haiku-4-5
  gate diff --base origin/main --watch
  gate diff --base origin/main --shard 3/10 --out shard-3   (then, with all ten: gate merge shard-*)
"""


@click.command(epilog=DIFF_EXAMPLES)
@click.argument("prompts", nargs=-1, metavar="[OLD NEW]")
@click.option("--base", metavar="REF", help="Git mode: the merge target, e.g. origin/main.")
@click.option("--head", metavar="REF", help="Git mode: the change.  [default: the working tree]")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Git mode: only this suite; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Git mode: run suites that the change does not touch, too.")
@click.option("--config", default="gate.yaml", show_default=True, help="Git mode: the configuration, from the root.")
@click.option("--cases", metavar="FILE", help="File mode: the eval set, JSON Lines or JSON.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    type=click.Choice(["contains", "exact", "regex", "judge", "pairwise"]),
    help="File mode: may be repeated; regex reads each case's `expected` as the pattern, pairwise has a judge compare "
    "the answers of both arms.  [default: contains, or with --criteria judge]",
)
@click.option("--criteria", metavar="TEXT", help="File mode: what a judge looks for.")
@click.option("--model", metavar="PROVIDER:NAME", help="File mode: the model of both arms, and of the judge.")
@click.option("--baseline-model", metavar="PROVIDER:NAME", help="File mode: the model of the baseline.")
@click.option("--candidate-model", metavar="PROVIDER:NAME", help="File mode: the model of the candidate.")
@click.option("--case", "only", multiple=True, metavar="ID", help="Only this case, or a pattern; may be repeated.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case and arm.  [default: 3]")
@click.option(
    "--early-stop/--no-early-stop",
    default=None,
    help="Look after each repeat of the cases, and ask no more than is needed.  [default: what gate.yaml says, or yes]",
)
@click.option("--refresh", is_flag=True, help="Ignore cached answers and refresh them.")
@click.option("--batch", is_flag=True, help="Half the price: submit now, run again later to collect (exit code 3).")
@click.option("--watch", is_flag=True, help="Compare again at every save; known answers of the baseline are kept.")
@click.option("--shard", type=Shard(), metavar="N/M", help="Take only this share of the samples; see gate merge.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"Folder, or a file: {ENDINGS}  [default: .gate/last]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the verdict.")
def diff(**options: Any) -> None:
    """Compare the prompt before and after a change on the same eval set.

    In git mode (--base) the suites of gate.yaml that the change touches are run; the exam (cases, scorers, policy) is
    the one of the base. In file mode (OLD NEW --cases) no configuration is needed.
    """
    from gate.cli.diff import DiffOptions, diff

    if options["watch"]:
        from gate.cli.watch import watch

        raise click.exceptions.Exit(watch(DiffOptions(**options)))
    raise click.exceptions.Exit(diff(DiffOptions(**options)))


CHECK_EXAMPLES = """\b
Examples:
  gate check
  gate check --suite dispatcher --case 'discovery_*'
  gate check --ref v1.4.0 --min-pass-rate 0.9 --out report/
  gate check p.md --cases cases.jsonl --scorer contains --model openai:gpt-5-mini
"""


@click.command(epilog=CHECK_EXAMPLES)
@click.argument("prompt", required=False, metavar="[PROMPT]")
@click.option("--ref", metavar="REF", help="Check this commit.  [default: the working tree]")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option("--case", "only", multiple=True, metavar="ID", help="Only this case, or a pattern; may be repeated.")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--cases", metavar="FILE", help="With PROMPT: the eval set, JSON Lines or JSON.")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    type=click.Choice(["contains", "exact", "regex", "judge"]),
    help="With PROMPT: may be repeated; regex reads each case's `expected` as the pattern.  "
    "[default: contains, or with --criteria judge]",
)
@click.option("--criteria", metavar="TEXT", help="With PROMPT: what a judge looks for; the model judges itself.")
@click.option("--model", metavar="PROVIDER:NAME", help="Model to use instead of the suite's.")
@click.option("--samples", type=click.IntRange(1, 100), help="Outputs per case.  [default: what gate.yaml says, or 3]")
@click.option(
    "--min-pass-rate",
    type=Share(0, 1, min_open=True),
    help="Share of the cases that must pass.  [default: what the policy says, or every case]",
)
@click.option("--refresh", is_flag=True, help="Ignore cached answers and refresh them.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"Folder, or a file: {ENDINGS}  [default: .gate/check]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="No progress, and only the verdict.")
def check(**options: Any) -> None:
    """Test the current prompts against their thresholds, case by case.

    A case passes when the mean over its samples reaches its threshold. Every case has to pass, or the share that
    min_pass_rate asks for. Nothing is compared: see gate diff for that. With PROMPT and --cases no configuration is
    needed.

    Exit codes: 0 passed, 1 failed, 2 configuration or usage error, 3 could not be decided, 130 interrupted.
    """
    from gate.cli.check import check

    raise click.exceptions.Exit(check(**options))


MERGE_EXAMPLES = """\b
Examples:
  gate diff --base origin/main --shard 1/3 --out shards/1
  gate diff --base origin/main --shard 2/3 --out shards/2
  gate diff --base origin/main --shard 3/3 --out shards/3
  gate merge shards
  gate merge shard-1 shard-2 shard-3 --out report/
"""


@click.command(epilog=MERGE_EXAMPLES)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUNS...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"Folder, or a file: {ENDINGS}  [default: .gate/last]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the record instead of the report.")
@click.option("--quiet", "-q", is_flag=True, help="Only the verdict.")
def merge(**options: Any) -> None:
    """Judge the shards of one run together.

    RUNS are folders that `gate diff --shard` made, or folders that hold such folders. Makes no call and needs no key;
    run it in a checkout that has both commits. The verdict and its exit code are those of a run that was never
    divided; with a shard missing, the run is INCONCLUSIVE.
    """
    from gate.cli.diff import merge

    raise click.exceptions.Exit(merge(**options))


PLAN_EXAMPLES = """\b
Examples:
  gate plan
  gate plan --base origin/main
  gate plan --suite support --effect 0.05 --power 0.9
  gate plan --json > plan.json
"""


@click.command(epilog=PLAN_EXAMPLES)
@click.option("--base", metavar="REF", help="Plan what this change needs.  [default: every suite, against itself]")
@click.option("--head", metavar="REF", help="With --base: the change.  [default: the working tree]")
@click.option("--config", default="gate.yaml", show_default=True, help="The configuration, from the repository's root.")
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be repeated.")
@click.option(
    "--effect",
    type=Share(0.0, 1.0, min_open=True),
    default=0.10,
    show_default=True,
    help="The fall of a mean score that you want to see.",
)
@click.option(
    "--power",
    type=Share(0.5, 0.999),
    default=0.8,
    show_default=True,
    help="The probability with which it should show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Only the totals and what is wrong.")
def plan(**options: Any) -> None:
    """Say beforehand what a run costs and what it can see.

    Counts calls, tokens, dollars and minutes, and says for each slice the smallest fall that it could show. Makes no
    call and needs no key. Uses what earlier runs under .gate/ measured, and says where it assumes.
    """
    from gate.cli.measure import plan

    plan(**options)


CALIBRATE_EXAMPLES = """\b
Examples:
  gate calibrate
  gate calibrate --suite support --samples 3
  gate calibrate .gate/last
  gate calibrate --judge labels.jsonl --suite support
  gate calibrate --judge labels.jsonl --criteria "Answers only what was asked" --model openai:gpt-5
"""
OF_A_RUN = ("run", "samples")
OF_A_JUDGE = ("scorer", "criteria", "model", "repeats", "label_scale", "max_calls", "max_usd")


@click.command(epilog=CALIBRATE_EXAMPLES)
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
    judged = options.pop("judge")
    for name in OF_A_JUDGE if judged is None else OF_A_RUN:
        if options.pop(name) is not None:
            shown = "RUN.json" if name == "run" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{shown} has no meaning {'without' if judged is None else 'with'} --judge")
    from gate.cli.measure import judge, noise

    raise click.exceptions.Exit(noise(**options) if judged is None else judge(judged, **options))


@click.command()
def action() -> None:
    """Judge the pull request of a GitHub workflow.

    The entry of the container action. Reads the event, the runner's variables and the inputs (INPUT_*) from the
    environment; judges the prompt as it would be merged against the merge target; keeps one comment on the pull
    request up to date; writes job summary and outputs; and exits with the code of the verdict.

    \b
    Example, in a workflow with 'on: pull_request':
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
        with: {fetch-depth: 2, persist-credentials: false}
      - uses: OWNER/prompt-gate@0000000000000000000000000000000000000000
        env: {OPENAI_API_KEY: "${{ secrets.OPENAI_API_KEY }}"}
    On your own machine:
      gate diff --base origin/main
    """
    import time
    from datetime import UTC, datetime

    from gate.action.entry import act
    from gate.action.evaluation import EventServices
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
