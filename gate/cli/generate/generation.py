"""`gate generate`: from options to files and output."""

from dataclasses import replace
from pathlib import Path

import click

from gate.cli.generate.options import (
    GenerateOptions,
    generation_progress,
    generation_request,
)
from gate.cli.output import print_error_line, stdout_console
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate, GateError
from gate.generation.specification_diff import rules_followed, specification_files
from gate.generation.tests import (
    GenerationRequest,
    forecast_generation,
    generate_tests,
    read_source,
)
from gate.generation.written_files import SMALL, WrittenFiles, keep_for_reading
from gate.prompts.reading import is_prompt_yml
from gate.report.escape import terminal_text
from gate.report.markdown.report import render_sheet
from gate.report.sheet import Sheet
from gate.report.sheets import generation, matrix
from gate.report.sheets.generation import printable_json
from gate.report.terminal import sheet as sheet_terminal
from gate.testgen.evaluation.trials import EvaluationResult
from gate.testgen.files import SPECIFICATION_FILE
from gate.values import counted

NO_OUTPUT = "No output of any model complies with the prompt. Read some: the judge or the tests may be wrong."


def execute(options: GenerateOptions) -> int:
    """Read, estimate, generate, save and show; returns 1 if no output of an evaluation complies, else 0."""
    _check(options)
    settings = Settings.from_environ()
    request = generation_request(options)
    source = read_source(request)
    forecast = forecast_generation(request, source, settings)
    if message := _nothing_to_do(options, request):
        click.echo(message)
        return 0
    plan = generation.generation_plan_sheet(request.prompt, forecast)
    if not options.plan:
        return _generate(options, WrittenFiles(request, source), settings, plan.headline)
    if options.as_json:
        click.echo(generation.plan_json(options.prompt, forecast), nl=False)
    else:
        sheet_terminal.render_sheet(plan, stdout_console(), brief=options.quiet)
    return 0


def _generate(options: GenerateOptions, written: WrittenFiles, settings: Settings, headline: str) -> int:
    request = written.request
    if not options.quiet:
        print_error_line(headline)
        if options.folder == Path(options.prompt).parent and options.out is None:
            print_error_line(
                f"{options.folder / SPECIFICATION_FILE} is next to the prompt, so the files are written there"
            )
        if request.generator.provider == "local":
            print_error_line(SMALL)
    try:
        result = generate_tests(request, written.source, settings, generation_progress(options), written.keep)
    except CannotEvaluate as error:
        if written.begun:
            error.hint = "; ".join(filter(None, (error.hint, written.saved_line())))
        raise
    outcome = written.summarise(result)
    if options.as_json:
        click.echo(generation.generation_json(outcome), nl=False)
    else:
        _show(generation.generation_sheet(outcome), options)
    if result.evaluated is None:
        return 0
    _show_figures(options, written, result.evaluated, outcome)
    if not any(row.judged == "compliant" for row in result.evaluated.rows):
        print_error_line(NO_OUTPUT)
        return 1
    return 0


def _check(options: GenerateOptions) -> None:
    if options.update:
        raise GateError("--update needs --diff", "add --diff")
    if options.chosen.write_back:
        if not is_prompt_yml(options.prompt):
            raise GateError(f"--set write_back is for .prompt.yml files, not for {options.prompt}", "leave it out")
        if options.chosen.turns > 1:
            raise GateError(
                "--set write_back and --set turns cannot be combined", "a .prompt.yml holds tests of one turn"
            )


def _show_figures(
    options: GenerateOptions, written: WrittenFiles, evaluated: EvaluationResult, outcome: generation.GenerationOutcome
) -> None:
    """Save and show the figures; the file also has the warnings above."""
    figures = matrix.evaluation_figures(evaluated, outcome.generated.specification)
    sheet = matrix.evaluation_sheet(figures)
    whole = matrix.evaluation_sheet(replace(figures, warnings=(*outcome.warnings, *figures.warnings)))
    pictures = {f"{chart.source}.svg": matrix.render_heatmap(chart) for chart in figures.matrices}
    keep_for_reading(written.folder, {"evaluation.md": render_sheet(whole), **pictures})
    if options.as_json:
        return
    if not options.quiet:
        click.echo()
    _show(sheet, options)
    if not options.quiet:
        click.echo(f"\nWritten: {written.folder}/evaluation.md, {', '.join(pictures)}")


def _show(sheet: Sheet, options: GenerateOptions) -> None:
    """With --quiet only the first line; the rest is in the file."""
    shown = replace(sheet, remarks=()) if options.quiet else sheet
    sheet_terminal.render_sheet(shown, stdout_console(), brief=options.quiet)


def _nothing_to_do(options: GenerateOptions, request: GenerationRequest) -> str:
    """The message that an update has nothing to do; else empty."""
    if options.evaluate or options.chosen.write_back:
        return ""
    files = specification_files(options.prompt, request.spec, options.folder)
    rules = rules_followed(files, request)
    if rules is None:
        return ""
    why = f"{files.cases} already has the tests of {counted(rules, 'rule')}"
    if options.as_json:
        return printable_json({"prompt": options.prompt, "nothing_to_do": why})
    return terminal_text(f"{options.prompt}: nothing to do: {why}. To generate them again, move the file away")
