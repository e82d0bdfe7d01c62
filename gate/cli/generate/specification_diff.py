"""From `gate generate --diff` to what is printed."""

from dataclasses import replace
from itertools import islice

import click

from gate.app.environment.settings import Settings
from gate.app.generation.model_calls import GenerationRequest
from gate.app.generation.specification_diff import (
    SpecificationComparison,
    SpecificationFiles,
    compare_specifications,
    follow_change,
    forecast_diff,
    read_versions,
    specification_files,
)
from gate.cli.generate.options import (
    GenerateOptions,
    folder_of,
    generation_progress,
    generation_request,
    print_error_line,
    screen,
    suite_of,
)
from gate.engine.run import SilentProgress
from gate.errors import GateError
from gate.report.escape import terminal_text
from gate.report.sheets.generation import printable_json, promises_plan_sheet
from gate.report.terminal.report import promise_lines
from gate.report.terminal.sheet import render_sheet
from gate.report.view.exam import promise_tables
from gate.testgen.files import SuiteModels
from gate.testgen.specdiff.update import SpecificationUpdate


def execute(options: GenerateOptions) -> int:
    """Compare, show, and let the files follow.

    Returns:
        0; what keeps it from being done is an error with its own exit code.
    """
    _check(options)
    settings, wanted = Settings.from_environ(), generation_request(options)
    versions = read_versions(wanted)
    files = specification_files(options.prompt, wanted.spec, folder_of(options))
    if options.update and versions.followed:
        print_error_line(f"{wanted.spec} is of this version of the prompt already; there is nothing to update")
    elif options.update:
        files.check()
    expected = promises_plan_sheet(options.prompt, forecast_diff(wanted, versions, settings))
    if options.plan:
        render_sheet(expected, screen())
        return 0
    if expected.grids and not options.quiet:
        print_error_line(expected.headline)
    found = compare_specifications(
        wanted, versions, settings, replace(generation_progress(options), steps=SilentProgress())
    )
    _show(options, found)
    if found.update is not None and not found.update.plan.empty:
        _bring_up(options, wanted, found.update, files)
    return 0


def _bring_up(
    options: GenerateOptions, wanted: GenerationRequest, update: SpecificationUpdate, files: SpecificationFiles
) -> None:
    """The files follow, and the suite is shown as it fits them now."""
    brought = follow_change(update, files, wanted)
    for warning in brought.warnings:
        click.echo(f"⚠️ {terminal_text(warning)}", err=True)
    if options.quiet:
        return
    for line in brought.done:
        click.echo(terminal_text(line), err=options.as_json)
    if files.cases is None or options.as_json or not update.specification.rules:
        return
    models = SuiteModels(wanted.answering or wanted.generator, wanted.judge)
    if suite := suite_of(options.prompt, files.cases, update.specification, models):
        click.echo(f"\n{NEXT}\n\n{terminal_text(suite, lines=True)}", nl=False)


NEXT = "Next: review what is new, and bring the suite in gate.yaml up to this"


def _check(options: GenerateOptions) -> None:
    """What would have no effect is refused, before anything is spent."""
    stages = [one.partition("=")[0] for one in options.instructions]
    chosen = options.chosen
    apart = ("max_rules", "review", "ground", "expected")
    of_tests = ("tests_per_rule", "rules_per_call", "expansions", "turns", "documents", "validate")
    away = [f"--set {key}" for key in (*chosen.effort, *chosen.evaluation) if key in apart or key in chosen.evaluation]
    away += ["--set write_back"] * chosen.write_back
    away += [f"--instructions {one}" for one in ("grounding", "review", "control", "compliance") if one in stages]
    for flag in away:
        raise GateError(f"{flag} has no meaning with --diff", f"leave {flag} out")
    tests = [f"--set {key}" for key in chosen.effort if key in of_tests]
    tests += [f"--instructions {one}" for one in ("tests", "expansion", "validity") if one in stages]
    for flag in tests:
        if not (options.update or options.evaluate):
            raise GateError(f"{flag} has no meaning with --diff where no tests are made", "add --update or --evaluate")


def _show(options: GenerateOptions, found: SpecificationComparison) -> None:
    if options.as_json:
        click.echo(printable_json(found.record.model_dump(mode="json")))
        return
    tables = promise_tables([found.record])
    if not tables:
        click.echo("The prompt promises what it promised.")
    for table in tables:
        for line in islice(promise_lines(table), 1 if options.quiet else None):
            screen().print(line, highlight=False)
    if options.quiet:
        return
    for note in found.update.notes if found.update is not None else ():
        click.echo(terminal_text(note), err=True)
