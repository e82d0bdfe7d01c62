"""Commands for a finished run: `gate report`, `explain`, `comment` and `push`. Loads click only."""

import json
import shlex
import time
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.options import FORMATS, json_option, quiet_option
from gate.errors import GateError
from gate.record.findings.catalogue import KINDS, meaning, severities

if TYPE_CHECKING:
    from gate.engine.run_cases import NamedCase
    from gate.record.run import RunRecord
    from gate.store.run_folder import CaseSamples


RUN = click.argument("run", type=click.Path(path_type=Path), metavar="RUN")

REPORT_EXAMPLES = """\b
Examples:
  gate report .gate/last
  gate report .gate/last --format md > comment.md
  gate report .gate/last --out junit.xml
"""


@click.command(epilog=REPORT_EXAMPLES)
@RUN
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", *(form.name for form in FORMATS)]),
    default=None,
    metavar="FORMAT",
    help="terminal, md, html, json, junit, sarif or jsonl.  [default: from --out, or terminal]",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write to this file.")
def report(run: Path, form: str | None, out: Path | None) -> None:
    """Print or convert the report of a finished run.

    RUN is a run.json or its folder. The ending of --out sets the format: .md, .html, .json, .xml (JUnit), .sarif or
    .jsonl (samples).
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


EXPLAIN_EXAMPLES = """\b
Examples:
  gate explain .gate/last
  gate explain .gate/last c17
  gate explain report/run.json support/c17 --md > case.md
  gate explain slice-suspect
"""


@click.command(epilog=EXPLAIN_EXAMPLES)
@RUN
@click.argument("case", metavar="[CASE]", required=False, default="")
@click.option("--suite", default="", metavar="NAME", help="The suite, if several have a case of this name.")
@json_option
@click.option("--md", "as_md", is_flag=True, help="Print Markdown.")
def explain(run: Path, case: str, suite: str, as_json: bool, as_md: bool) -> None:
    """Show one case of a finished run in full, or what a finding means.

    Shows the input, the answers of both arms next to each other, every score with its reason, what the case
    contributes to each slice, and the command that runs it again. RUN is a run.json or its folder. CASE is an id, the
    start of one, or suite/id; without it, the case that dropped the most. Instead of RUN, the code of a finding, as
    slice-suspect: what it means and what to do.
    """
    if str(run) in KINDS and not run.exists():
        _explain_finding(str(run))
        return
    if not run.exists() and (close := get_close_matches(str(run), KINDS, n=1)):
        raise GateError(f"there is no run and no finding {run}", f"did you mean {close[0]}?")
    if as_json and as_md:
        raise GateError("--json and --md cannot be combined", "run the command twice")
    if not case and not run.exists() and LAST.is_dir():
        hint = f"name the run before the case: gate explain {LAST} {shlex.quote(str(run))}"
        raise GateError(f"there is no run {run}", hint)
    from gate.cli.output import print_note, stdout_console
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
    from gate.report.terminal.case import render_case

    render_case(shown, stdout_console())


def _explain_finding(code: str) -> None:
    kind = KINDS[code]
    click.echo(f"{code} ({' or '.join(severities(kind))}): {meaning(kind)}")
    if kind.remedy:
        click.echo(f"What to do: {kind.remedy}")
    if kind.settings:
        click.echo(f"Settings: {', '.join(kind.settings)}")


def _case_asked(run: "RunRecord", name: str, suite: str) -> tuple[str, str]:
    """The name and the suite of the case to show."""
    from gate.cli.output import print_note
    from gate.report.view.cases import worst_case

    worst = None if name else worst_case(run)
    if worst is None or suite not in ("", worst[0]):
        return name, suite
    print_note(f"note: no case was given; {worst[1]} dropped the most")
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


COMMENT_EXAMPLES = """\b
Examples:
  gate merge shards --out merged && gate comment merged
  gate comment .gate/last --repo acme/support-bot --pull 7
"""


@click.command(epilog=COMMENT_EXAMPLES)
@RUN
@click.option("--pull", type=click.IntRange(1), metavar="NUMBER", help="Pull request.  [default: the workflow's own]")
@click.option("--repo", default="", metavar="OWNER/NAME", help="Repository.  [default: GITHUB_REPOSITORY]")
@click.option("--key", default="gate.yaml", show_default=True, help="One comment per key, as the action's input.")
@quiet_option("Print nothing on success.")
def comment(run: Path, pull: int | None, repo: str, key: str, quiet: bool) -> None:
    """Post a finished run as a comment on a pull request.

    For runs that the action did not make, such as one of `gate merge`. RUN is a run.json or its folder. An existing
    comment with the same key is updated. A run of an older commit is not posted. GITHUB_TOKEN needs the permission
    `pull-requests: write`.

    Exit codes: 0 posted or nothing to post, 2 usage error, 3 not posted.
    """
    from gate.action.comment import comment_on
    from gate.cli.output import print_note
    from gate.environment.action import CommentPlace
    from gate.report.escape import terminal_text

    def wait(seconds: float) -> None:
        print_note(f"GitHub cannot answer now; waiting {seconds:.0f} s.")
        time.sleep(seconds)

    url, note = comment_on(run, CommentPlace.of(repo, pull or 0), key, wait)
    if note:
        print_note(note)
    if not quiet:
        click.echo(terminal_text(url) if url else "The run has no suites, so no comment was posted.")


_EVERY_S = 5.0
"""Between two progress lines."""


PUSH_EXAMPLES = """\b
Examples:
  gate push .gate/last
  GATE_TOKEN=pgate_… gate push .gate/last --to https://gate.example.org
"""


@click.command(epilog=PUSH_EXAMPLES)
@RUN
@click.option("--to", "url", default="", metavar="URL", help="Send it to this server, with the token in GATE_TOKEN.")
@click.option("--insecure", is_flag=True, help="Send the token without encryption.")
@quiet_option("Print nothing on success.")
def push(run: Path, url: str, insecure: bool, quiet: bool) -> None:
    """Save a finished run to the store or to a server.

    RUN is a run.json or its folder; its samples.jsonl is saved too. The store is the database in GATE_DATABASE_URL, or
    .gate/gate.db. Pushing a run again changes nothing.
    """
    if insecure and not url:
        raise click.UsageError("--insecure needs --to.")
    result = _to_server(run, url, insecure, quiet) if url else _to_store(run)
    if not quiet:
        click.echo(result)


def _to_store(run: Path) -> str:
    from gate.report.escape import terminal_text
    from gate.store.push import store_run_here

    kept = store_run_here(run)
    state = "Saved" if kept.new else "Already saved"
    return terminal_text(f"{state} as run {kept.id} in the store {kept.store}.")


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
        print_note(f"sending again: {why}")

    sent = send_run_here(run, url, SendOptions(time.sleep, shown, insecure, retried))
    return terminal_text(f"{'Saved' if sent.new else 'Already saved'}: {sent.page}")
