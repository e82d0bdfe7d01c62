"""From `gate generate --diff` to what is printed."""

from dataclasses import replace

import click

from gate.bootstrap.comparing_promises import Comparison, Wanted, bring_up, compare, read_versions
from gate.cli.generate_options import (
    GenerateOptions,
    folder_of,
    model_of,
    say,
    screen,
    settings_of,
    telling_of,
    terms_of,
)
from gate.cli.key_values import key_values
from gate.cli.progress import Silent
from gate.errors import GateError
from gate.flows.generate_files import SPEC
from gate.inputs.models import parse_model, parse_params
from gate.report import terminal_specdiff
from gate.report.escape import terminal
from gate.report.promises import promise_tables
from gate.settings.services import Settings


def execute(options: GenerateOptions) -> int:
    """Compare, show, and let the files follow.

    Returns:
        0; what keeps it from being done is an error with its own exit code.
    """
    _check(options)
    model = model_of(options)
    answering = [parse_model(name.strip()) for name in (options.models or "").split(",") if name.strip()]
    if len(answering) > 1:
        raise GateError("with --diff one model answers tests, for both versions", "name one with --models")
    wanted = Wanted(
        prompt=options.prompt,
        base=options.base,
        baseline=options.baseline,
        folder=folder_of(options),
        generator=model,
        judge=parse_model(options.judge_model) if options.judge_model else model,
        params=parse_params(key_values(options.params), "--param"),
        answering=answering[0] if answering else None,
        settings=settings_of(options),
        update=options.update,
        terms=terms_of(options),
    )
    versions = read_versions(wanted)
    if options.update and versions.followed:
        say(f"{wanted.folder / SPEC} is of this version of the prompt already; there is nothing to update")
    found = compare(wanted, versions, Settings.from_environ(), replace(telling_of(options), steps=Silent()))
    _show(options, found)
    if found.update is not None and not found.update.plan.empty:
        for path, what in bring_up(found.update, wanted.folder).items():
            click.echo(f"{path}: {what}", err=options.as_json)
    return 0


def _check(options: GenerateOptions) -> None:
    for flag, given in (
        ("--evaluate", options.evaluate),
        ("--write-back", options.write_back),
        ("--plan", options.plan),
    ):
        if given:
            raise GateError(f"--diff and {flag} do not go together", f"leave {flag} out")


def _show(options: GenerateOptions, found: Comparison) -> None:
    if options.as_json:
        click.echo(found.record.model_dump_json(indent=2))
        return
    tables = promise_tables([found.record])
    if not tables:
        click.echo("The prompt promises what it promised.")
    for table in tables:
        for line in terminal_specdiff.lines(table):
            screen().print(line, highlight=False)
    for note in found.update.notes if found.update is not None else ():
        click.echo(terminal(note), err=True)
