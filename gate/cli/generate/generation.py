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
from gate.report.sheet import Sheet
from gate.report.sheets import generation, matrix
from gate.report.sheets.generation import printable_json
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
        found: the prompt, and the specification that there was before.
        files: for the user, once they are written.
        begun: they are.
    """

    options: GenerateOptions
    wanted: GenerationRequest
    found: GenerationSource
    files: NewFiles = field(default_factory=NewFiles, init=False)
    begun: bool = field(default=False, init=False)

    @property
    def folder(self) -> Path:
        """The folder of reports."""
        return reading_folder(self.options.folder)

    def keep(self, done: GenerationResult) -> None:
        """Write the results before the tests run; figures of an earlier run are deleted.

        Raises:
            GateError: it cannot be written.
        """
        self.files = new_files(done.made, self.found.given, self.options.folder, file_content)
        keep_files(self.files.all)
        if self.options.chosen.write_back and done.made.tests:
            write_back(Path(self.options.prompt), done.made.tests)
        keep_for_reading(self.folder, dict.fromkeys(FIGURES))
        self.summarise(done)
        self.begun = True

    def summarise(self, done: GenerationResult) -> tuple[generation.GenerationOutcome, str]:
        """Write summary and JSON; return the outcome and the JSON."""
        outcome = self._outcome(done)
        rows = None if done.evaluated is None else done.evaluated.rows
        document = generation.generation_json(outcome, done.effort, rows)
        summary = render_sheet(generation.generation_sheet(outcome))
        keep_for_reading(self.folder, {SUMMARY: summary, "generation.json": document})
        return outcome, document

    def told(self) -> str:
        """The written files, for a run that ended early."""
        written = [str(file.path) for file in self.files.all]
        return f"saved: {', '.join([*written, str(self.folder / SUMMARY)])}"

    def _outcome(self, done: GenerationResult) -> generation.GenerationOutcome:
        made, wanted = done.made, self.wanted
        warnings = judge_notes(wanted.judge, wanted.generator, wanted.tested)
        if wanted.generator.provider == "local":
            warnings.append(SMALL)
        if len(made.left_out) > RULES_NAMED:
            warnings.append(f"{self.folder}/generation.json lists all rules that were left out.")
        if made.failure is not None:
            warnings.insert(0, f"No tests were generated: {made.failure.message} ({made.failure.hint}).")
        return generation.GenerationOutcome(
            prompt=self.options.prompt,
            specification=made.specification,
            compiled=[(one, compiled_summary(one)) for one in made.compiled],
            tests=made.tests,
            discarded=made.discarded,
            notes=made.notes,
            warnings=warnings,
            written=[file.told for file in self.files.all],
            diversity=made.diversity,
            left_out=made.left_out,
            spent=generation.effort_words(done.effort),
            suite=self._suite(made.specification, self.files.cases.path) if self.files.cases else "",
        )

    def _suite(self, specification: Specification, cases: Path) -> str:
        wanted, own = self.wanted, own_model(self.found.version.prompt.unused)
        models = suite_models(own, wanted.tested, wanted.generator, wanted.judge)
        return suite_of(self.options.prompt, cases, specification, models)


def execute(options: GenerateOptions) -> int:
    """Read, estimate, generate, save and show; returns 1 if no output of an evaluation complies, else 0."""
    _check(options)
    settings = Settings.from_environ()
    wanted = generation_request(options, settings)
    found = read_source(wanted)
    foreseen = forecast_generation(wanted, found, settings)
    if told := _standing(options, wanted):
        click.echo(told)
        return 0
    plan = generation.generation_plan_sheet(wanted.prompt, foreseen)
    if not options.plan:
        return _generate(WrittenFiles(options, wanted, found), settings, plan.headline)
    if options.as_json:
        click.echo(generation.plan_json(options.prompt, foreseen), nl=False)
    else:
        sheet_terminal.render_sheet(plan, stdout_console(), brief=options.quiet)
    return 0


def _generate(kept: WrittenFiles, settings: Settings, headline: str) -> int:
    options, wanted = kept.options, kept.wanted
    if not options.quiet:
        print_error_line(headline)
        if options.folder == Path(options.prompt).parent and options.out is None:
            print_error_line(
                f"{options.folder / SPECIFICATION_FILE} is next to the prompt, so the files are written there"
            )
        if wanted.generator.provider == "local":
            print_error_line(SMALL)
    try:
        done = generate_tests(wanted, kept.found, settings, generation_progress(options), kept.keep)
    except CannotEvaluate as error:
        if kept.begun:
            error.hint = "; ".join(filter(None, (error.hint, kept.told())))
        raise
    outcome, document = kept.summarise(done)
    if options.as_json:
        click.echo(document, nl=False)
    else:
        _show(generation.generation_sheet(outcome), options)
    if done.evaluated is None:
        return 0
    _show_figures(options, kept, done.evaluated, outcome)
    if not any(row.judged == "compliant" for row in done.evaluated.rows):
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
    options: GenerateOptions, kept: WrittenFiles, evaluated: EvaluationResult, outcome: generation.GenerationOutcome
) -> None:
    """Save and show the figures; the file also has the warnings above."""
    figures = matrix.evaluation_figures(evaluated, outcome.specification)
    sheet = matrix.evaluation_sheet(figures)
    whole = matrix.evaluation_sheet(replace(figures, warnings=(*outcome.warnings, *figures.warnings)))
    pictures = {f"{one.source}.svg": matrix.render_heatmap(one) for one in figures.matrices}
    keep_for_reading(kept.folder, {"evaluation.md": render_sheet(whole), **pictures})
    if options.as_json:
        return
    if not options.quiet:
        click.echo()
    _show(sheet, options)
    if not options.quiet:
        click.echo(f"\nWritten: {kept.folder}/evaluation.md, {', '.join(pictures)}")


def _show(sheet: Sheet, options: GenerateOptions) -> None:
    """With --quiet only the first line; the rest is in the file."""
    shown = replace(sheet, remarks=()) if options.quiet else sheet
    sheet_terminal.render_sheet(shown, stdout_console(), brief=options.quiet)


def _standing(options: GenerateOptions, wanted: GenerationRequest) -> str:
    """The message that an update has nothing to do; else empty."""
    if options.evaluate or options.chosen.write_back:
        return ""
    files = specification_files(options.prompt, wanted.spec, options.folder)
    rules = rules_followed(files, wanted)
    if rules is None:
        return ""
    why = f"{files.cases} already has the tests of {counted(rules, 'rule')}"
    if options.as_json:
        return printable_json({"prompt": options.prompt, "nothing_to_do": why})
    return terminal_text(f"{options.prompt}: nothing to do: {why}. To generate them again, move the file away")
