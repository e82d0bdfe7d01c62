"""From a case of a run to what is printed about it."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from gate.engine.record_parts import transcript_record
from gate.engine.run_cases import NamedCase, named_case
from gate.record.run import RunRecord
from gate.report.escape import terminal_text
from gate.report.explain import explain_case, slice_contributions
from gate.report.view.advice import ask_again_command
from gate.report.view.cases import worst_case
from gate.store.run_folder import load_run
from gate.store.samples import SAMPLE_ADAPTER, CaseSamples, samples_beside

SCHEMA = "prompt-gate/case/1"


def execute(path: Path, name: str, suite: str, form: str) -> None:
    """Find the case, and print it as `terminal`, `md` or `json`; without a name it is the one that fell most.

    Raises:
        GateError: no such run, or no such case.
    """
    run = load_run(path)
    found = named_case(run, *_asked(run, name, suite))
    kept = samples_beside(path, found.suite, found.record.id)
    if kept.trouble:
        click.echo(terminal_text(f"note: {kept.trouble}"), err=True)
    if form == "json":
        click.echo(_json(run, found, kept))
        return
    transcripts = {place: transcript_record(sample) for place, sample in enumerate(kept.samples)}
    shown = explain_case(run, found.suite, found.record, kept.samples, transcripts)
    if form == "md":
        from gate.report.markdown import report as explain_markdown

        click.echo(explain_markdown.render_case(shown), nl=False)
        return
    from rich.console import Console

    from gate.report.terminal.case import render_case

    render_case(shown, Console(file=sys.stdout, highlight=False))


def _asked(run: RunRecord, name: str, suite: str) -> tuple[str, str]:
    """The name of a case, and the suite that it is looked for in."""
    worst = None if name else worst_case(run)
    if worst is None or suite not in ("", worst[0]):
        return name, suite
    click.echo(terminal_text(f"note: no case is named; {worst[1]} is the one that fell most"), err=True)
    return worst[1], worst[0]


def _json(run: RunRecord, found: NamedCase, kept: CaseSamples) -> str:
    document = {
        "schema": SCHEMA,
        "suite": found.suite,
        "verdict": run.verdict.value,
        "case": found.record.model_dump(mode="json", by_alias=True),
        "samples": [SAMPLE_ADAPTER.dump_python(sample, mode="json", by_alias=True) for sample in kept.samples],
        "slices": [asdict(one) for one in slice_contributions(run, found.suite, found.record)],
        "again": ask_again_command(run, found.suite, found.record) or None,
    }
    return json.dumps(document, indent=2)
