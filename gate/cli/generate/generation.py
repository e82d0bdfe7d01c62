"""`gate generate`: from options to files and output."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from gate.cli.generate.options import (
    SMALL,
    GenerateOptions,
    generation_progress,
    generation_request,
    suite_of,
)
from gate.cli.output import print_error_line, stdout_console
from gate.config.specification import Specification
from gate.environment.settings import Settings
from gate.errors import CannotEvaluate, GateError
from gate.generation.specification_diff import rules_followed, specification_files
from gate.generation.tests import (
    GenerationRequest,
    GenerationResult,
    GenerationSource,
    file_content,
    forecast_generation,
    generate_tests,
    keep_files,
    keep_for_reading,
    read_source,
    reading_folder,
    write_back,
)
from gate.prompts.reading import is_prompt_yml, own_model
from gate.report.escape import terminal_text
from gate.report.markdown.report import render_sheet
from gate.report.sheets import generation, matrix
from gate.report.sheets.generation import printable_json
from gate.report.sheets.sheet import Sheet
from gate.report.terminal import sheet as sheet_terminal
from gate.testgen.evaluation.trials import EvaluationResult, judge_notes
from gate.testgen.files import SPECIFICATION_FILE, NewFiles, new_files, suite_models
from gate.testgen.rules.compiler import compiled_summary
from gate.testgen.specification.extraction import RULES_NAMED
from gate.values import counted

SUMMARY = "summary.md"
FIGURES = ("evaluation.md", "judge.svg", "code.svg", "either.svg")
NO_OUTPUT = "No output of any model complies with the prompt. Read some: the judge or the tests may be wrong."


@dataclass(slots=True)
class WrittenFiles:
    """The files of one command.

    Args:
        source: the prompt, and the specification that there was before.
        files: for the user, once they are written.
        begun: they are.
    """

    options: GenerateOptions
    request: GenerationRequest
    source: GenerationSource
    files: NewFiles = field(default_factory=NewFiles, init=False)
    begun: bool = field(default=False, init=False)

    @property
    def folder(self) -> Path:
        """The folder of reports."""
        return reading_folder(self.options.folder)

    def keep(self, result: GenerationResult) -> None:
        """Write the results before the tests run; figures of an earlier run are deleted.

        Raises:
            GateError: it cannot be written.
        """
        generated = result.generated
        self.files = new_files(generated, self.source.given, self.options.folder, file_content)
        keep_files(self.files.all)
        if self.options.chosen.write_back and generated.tests:
            write_back(Path(self.options.prompt), generated.tests)
        keep_for_reading(self.folder, dict.fromkeys(FIGURES))
        self.summarise(result)
        self.begun = True

    def summarise(self, result: GenerationResult) -> generation.GenerationOutcome:
        """Write the summary and the JSON document."""
        outcome = self._outcome(result)
        summary, document = render_sheet(generation.generation_sheet(outcome)), generation.generation_json(outcome)
        keep_for_reading(self.folder, {SUMMARY: summary, "generation.json": document})
        return outcome

    def saved_line(self) -> str:
        """The written files, for a run that ended early."""
        written = [str(file.path) for file in self.files.all]
        return f"saved: {', '.join([*written, str(self.folder / SUMMARY)])}"

    def _outcome(self, result: GenerationResult) -> generation.GenerationOutcome:
        generated, request = result.generated, self.request
        warnings = judge_notes(request.judge, request.generator, request.tested)
        if request.generator.provider == "local":
            warnings.append(SMALL)
        if len(generated.left_out) > RULES_NAMED:
            warnings.append(f"{self.folder}/generation.json lists all rules that were left out.")
        if generated.failure is not None:
            warnings.insert(0, f"No tests were generated: {generated.failure.message} ({generated.failure.hint}).")
        return generation.GenerationOutcome(
            prompt=self.options.prompt,
            generated=generated,
            checks=[compiled_summary(compiled) for compiled in generated.compiled],
            warnings=warnings,
            written=[file.told for file in self.files.all],
            effort=result.effort,
            suite=self._suite(generated.specification, self.files.cases.path) if self.files.cases else "",
            evaluation=None if result.evaluated is None else result.evaluated.rows,
        )

    def _suite(self, specification: Specification, cases: Path) -> str:
        request, own = self.request, own_model(self.source.version.prompt.unused)
        models = suite_models(own, request.tested, request.generator, request.judge)
        return suite_of(self.options.prompt, cases, specification, models)


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
        return _generate(WrittenFiles(options, request, source), settings, plan.headline)
    if options.as_json:
        click.echo(generation.plan_json(options.prompt, forecast), nl=False)
    else:
        sheet_terminal.render_sheet(plan, stdout_console(), brief=options.quiet)
    return 0


def _generate(written: WrittenFiles, settings: Settings, headline: str) -> int:
    options, request = written.options, written.request
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
