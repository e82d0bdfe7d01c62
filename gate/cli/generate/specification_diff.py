"""From `gate generate --diff` to what is printed."""

from dataclasses import replace
from itertools import islice

import click

from gate.calls.interface import SilentProgress
from gate.cli.generate.options import (
    GenerateOptions,
    generation_progress,
    generation_request,
)
from gate.cli.output import print_error_line, stdout_console
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.generation.specification_diff import (
    SpecificationFiles,
    compare_specifications,
    follow_change,
    forecast_diff,
    read_versions,
    specification_files,
)
from gate.generation.tests import GenerationRequest
from gate.generation.written_files import suite_of
from gate.record.run import PromisesRecord
from gate.report.escape import terminal_text
from gate.report.sheets.generation import printable_json, rules_plan_sheet
from gate.report.terminal.report import promise_lines
from gate.report.terminal.sheet import render_sheet
from gate.report.view.exam import promise_tables
from gate.testgen.files import SuiteModels
from gate.testgen.specdiff.comparison import SpecificationUpdate

NEXT = "Next: review what is new, and bring the suite in gate.yaml up to this"


def execute(options: GenerateOptions) -> int:
    """Compare, show, and let the files follow.

    Returns:
        0; what keeps it from being done is an error with its own exit code.
    """
    _check(options)
    settings = Settings.from_environ()
    request = generation_request(options)
    if len(request.tested) > 1:
        raise GateError("with --diff one model answers tests, for both versions", "name one with --evaluate")
    versions = read_versions(request)
    files = specification_files(options.prompt, request.spec, options.folder)
    if options.update and versions.followed:
        print_error_line(f"{request.spec} is of this version of the prompt already; there is nothing to update")
    elif options.update:
        files.check()
    expected = rules_plan_sheet(options.prompt, forecast_diff(request, versions, settings))
    if options.plan:
        render_sheet(expected, stdout_console())
        return 0
    if expected.grids and not options.quiet:
        print_error_line(expected.headline)
    progress = replace(generation_progress(options), steps=SilentProgress())
    record, update = compare_specifications(request, versions, settings, progress)
    _show(options, record)
    for note in update.notes if update is not None and not (options.quiet or options.as_json) else ():
        click.echo(terminal_text(note), err=True)
    if update is not None and not update.plan.empty:
        _update_files(options, request, update, files)
    return 0


def _update_files(
    options: GenerateOptions, request: GenerationRequest, update: SpecificationUpdate, files: SpecificationFiles
) -> None:
    """The files follow, and the suite is shown as it fits them now."""
    lines, warnings = follow_change(update, files, request)
    for warning in warnings:
        click.echo(f"⚠️ {terminal_text(warning)}", err=True)
    if options.quiet:
        return
    for line in lines:
        click.echo(terminal_text(line), err=options.as_json)
    if files.cases is None or options.as_json or not update.specification.rules:
        return
    models = SuiteModels(request.tested[0] if request.tested else request.generator, request.judge)
    if suite := suite_of(options.prompt, files.cases, update.specification, models):
        click.echo(f"\n{NEXT}\n\n{terminal_text(suite, lines=True)}", nl=False)


def _check(options: GenerateOptions) -> None:
    """What would have no effect is refused, before anything is spent."""
    given = [(f"--set {key}", key) for key in options.chosen.given]
    given += [(f"--instructions {stage}", stage) for stage in options.stage_instructions]
    for flag, name in given:
        if name not in ("rules", "inputs", "intent", "inverse", *_OF_TESTS):
            raise GateError(f"{flag} cannot be used with --diff", f"leave out {flag}")
        if name in _OF_TESTS and not (options.update or options.evaluate):
            raise GateError(
                f"{flag} cannot be used with --diff, which generates no tests", "add --update or --evaluate"
            )


_OF_TESTS = (
    "tests_per_rule",
    "rules_per_call",
    "expansions",
    "turns",
    "documents",
    "validate",
    "tests",
    "expansion",
    "validity",
)


def _show(options: GenerateOptions, record: PromisesRecord) -> None:
    if options.as_json:
        click.echo(printable_json(record.model_dump(mode="json")))
        return
    tables = promise_tables([record])
    if not tables:
        click.echo("The rules of the prompt did not change.")
    for table in tables:
        for line in islice(promise_lines(table), 1 if options.quiet else None):
            stdout_console().print(line, highlight=False)
