"""Commands for a finished run: `gate report`, `explain`, `comment` and `push`. Loads click alone."""

import json
import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.formats import FORMATS, endings_or
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.engine.run_cases import NamedCase
    from gate.record.run import RunRecord
    from gate.store.run_folder import CaseSamples


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN.json")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", *(form.name for form in FORMATS)]),
    default=None,
    help="What to make of it; taken from the ending of --out where that is given.  [default: terminal]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"Write to this file instead of the screen: {endings_or(notes=True)}.",
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
    from gate.cli.output import print_run, write_run
    from gate.store.run_folder import load_run

    record = load_run(run)
    folder = run if run.is_dir() else run.parent
    if out is not None:
        write_run(record, out, form, folder)
        return
    print_run(record, form or "terminal", folder)


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
    if as_json and as_md:
        raise GateError("--json and --md do not go together", "run it twice")
    if not case and not run.exists() and LAST.is_dir():
        hint = f"name the run before the case: gate explain {LAST} {shlex.quote(str(run))}"
        raise GateError(f"there is no run {run}", hint)
    from gate.cli.output import print_note
    from gate.engine.record_parts import transcript_record
    from gate.engine.run_cases import named_case
    from gate.report.explain import explain_case
    from gate.store.run_folder import load_run, samples_beside

    record = load_run(run)
    found = named_case(record, *_case_asked(record, case, suite))
    kept = samples_beside(run, found.suite, found.record.id)
    if kept.trouble:
        print_note(f"note: {kept.trouble}")
    if as_json:
        click.echo(_case_json(record, found, kept))
        return
    transcripts = {place: transcript_record(sample) for place, sample in enumerate(kept.samples)}
    shown = explain_case(record, found.suite, found.record, kept.samples, transcripts)
    if as_md:
        from gate.report.markdown.report import render_case as render_markdown

        click.echo(render_markdown(shown), nl=False)
        return
    from rich.console import Console

    from gate.report.terminal.case import render_case

    render_case(shown, Console(file=sys.stdout, highlight=False))


def _case_asked(run: "RunRecord", name: str, suite: str) -> tuple[str, str]:
    """The name of a case, and the suite that it is looked for in."""
    from gate.cli.output import print_note
    from gate.report.view.cases import worst_case

    worst = None if name else worst_case(run)
    if worst is None or suite not in ("", worst[0]):
        return name, suite
    print_note(f"note: no case is named; {worst[1]} is the one that fell most")
    return worst[1], worst[0]


def _case_json(run: "RunRecord", found: "NamedCase", kept: "CaseSamples") -> str:
    from gate.report.explain import slice_contributions
    from gate.report.view.advice import run_again_command
    from gate.store.run_folder import SAMPLE_ADAPTER

    document = {
        "schema": "prompt-gate/case/1",
        "suite": found.suite,
        "verdict": run.verdict.value,
        "case": found.record.model_dump(mode="json", by_alias=True),
        "samples": [SAMPLE_ADAPTER.dump_python(sample, mode="json", by_alias=True) for sample in kept.samples],
        "slices": [asdict(one) for one in slice_contributions(run, found.suite, found.record)],
        "again": run_again_command(run, found.suite, found.record) or None,
    }
    return json.dumps(document, indent=2)


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN.json")
@click.option("--pull", type=click.IntRange(1), metavar="NUMBER", help="The pull request; a workflow's own by default.")
@click.option("--repo", default="", metavar="OWNER/NAME", help="The repository; GITHUB_REPOSITORY by default.")
@click.option(
    "--key",
    default="gate.yaml",
    show_default=True,
    help="Tells the comments of several gates of one repository apart; the action takes the path of its configuration.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where it went well.")
def comment(run: Path, pull: int | None, repo: str, key: str, quiet: bool) -> None:
    """Publish RUN.json (or the folder that holds it) as the comment of a pull request.

    For runs that the action did not make, such as one of `gate merge`. There is one comment for each key, kept up to
    date; a run of an older commit than the pull request's head is not published. The token in GITHUB_TOKEN needs
    pull-requests: write. The exit code says whether the comment is there, and nothing of the verdict.

    \b
    Examples:
      gate merge shards --out merged; gate comment merged
      GITHUB_TOKEN=$(gh auth token) gate comment .gate/last --repo acme/support-bot --pull 7
    """
    from gate.action.comment import comment_on
    from gate.cli.output import print_note
    from gate.environment.action import CommentPlace
    from gate.report.escape import terminal_text

    url, note = comment_on(run, CommentPlace.of(repo, pull or 0), key)
    if note:
        print_note(note)
    if not quiet:
        click.echo(terminal_text(url) if url else "Nothing was touched, so there is nothing to say and no comment.")


_EVERY_S = 5.0
"""Between two lines that say how far a large run is."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--to", "url", default="", metavar="URL", help="Send it to the Prompt Gate server at this address.")
@click.option("--insecure", is_flag=True, help="Send the token over a network that is not encrypted.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing where it went well.")
def push(run: Path, url: str, insecure: bool, quiet: bool) -> None:
    """Put a finished run into the store, with its samples.

    RUN is a run.json, or the folder that holds one; samples.jsonl beside it goes along. The store is the file
    .gate/gate.db of this repository, or the database that GATE_DATABASE_URL names; with --to, that of a server, which
    is shown the token in GATE_TOKEN. A run that is there already stays as it is, so this can be done again.

    \b
    Examples:
      gate push .gate/last
      GATE_DATABASE_URL=postgresql://gate@db.example/gate gate push report/run.json
      GATE_TOKEN=pgate_… gate push .gate/last --to https://gate.example.org
    """
    if insecure and not url:
        raise click.UsageError("--insecure is for --to.")
    told = _to_server(run, url, insecure, quiet) if url else _to_store(run)
    if not quiet:
        click.echo(told)


def _to_store(run: Path) -> str:
    from gate.report.escape import terminal_text
    from gate.store.push import store_run_here

    kept = store_run_here(run)
    again = "" if kept.new else " already"
    return terminal_text(f"The run is in the store {kept.store}{again}, as number {kept.id}.")


def _to_server(run: Path, url: str, insecure: bool, quiet: bool) -> str:
    from gate.cli.output import print_note
    from gate.report.escape import terminal_text
    from gate.store.push import SendOptions, send_run_here

    last = time.monotonic()

    def shown(done: int, whole: int) -> None:
        nonlocal last
        if not quiet and time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            click.echo(f"sending: {done / 2**20:.1f} of {whole / 2**20:.1f} MiB", err=True)

    def retried(why: str) -> None:
        print_note(f"once more, because {why}")

    sent = send_run_here(run, url, SendOptions(time.sleep, shown, insecure, retried))
    return terminal_text(f"The run is {'' if sent.new else 'already '}at {sent.page}")
