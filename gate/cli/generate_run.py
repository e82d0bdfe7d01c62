"""From the options of `gate generate` to an exit code."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from gate.bootstrap.ask_models import FOLDER
from gate.bootstrap.following import Makers, files_of, followed
from gate.bootstrap.generated_files import keep, keep_for_reading, lying, write_back
from gate.bootstrap.generating import Done, Found, Wanted, carry, foresee, read
from gate.cli.diff_run import key_values
from gate.cli.generate_options import (
    GenerateOptions,
    evaluation_of,
    folder_of,
    model_of,
    say,
    screen,
    settings_of,
    telling_of,
    terms_of,
)
from gate.cli.generate_suite import suite_of
from gate.domain.words import counted
from gate.errors import GateError
from gate.flows.generate import Generated
from gate.flows.generate_files import SPEC, NewFiles, Place, new_files
from gate.inputs.models import parse_model, parse_params
from gate.inputs.ownsettings import own_model
from gate.inputs.promptyml import is_prompt_yml
from gate.report import generation, generation_json, generation_matrix, heatmap, sheet_markdown, sheet_terminal
from gate.report.escape import terminal
from gate.settings.services import Settings
from gate.testgen.compile.compile import told
from gate.testgen.compliance import judge_notes
from gate.testgen.written.suite import SuiteModels, suite_models

SMALL = "A small local model gives poor rules and tests: read them with care; a larger model gives better ones."

NO_OUTPUT = (
    "No output of any model complies with the prompt: look at a few, for the judge or the tests may be at fault."
)


def execute(options: GenerateOptions) -> int:
    """Read, foresee, generate, keep, show.

    Returns:
        0; 1 where no output of an evaluation complies; mistakes and gaps are errors with their own exit codes.
    """
    if options.diff:
        from gate.cli.generate_diff import execute as execute_diff

        return execute_diff(options)
    _check(options)
    wanted, settings = _wanted(options), Settings.from_environ()
    if standing := _standing(options, wanted):
        click.echo(terminal(standing))
        return 0
    found = read(wanted)
    foreseen = generation.plan_sheet(options.prompt, foresee(wanted, found, settings))
    if options.plan:
        sheet_terminal.render(foreseen, screen())
        return 0
    if not options.quiet:
        say(foreseen.headline)
        if wanted.generator.provider == "local":
            say(SMALL)
    kept: list[NewFiles] = []

    def keep_all(made: Generated) -> None:
        kept.append(new_files(made, found.job.given, Place(folder_of(options), options.form), lying))
        keep(kept[0].all)
        if options.write_back:
            write_back(Path(options.prompt), made.tests)

    done = carry(wanted, found, settings, telling_of(options), keep_all)
    _show(options, done, _outcome(options, wanted, found, done, kept[0]))
    if done.evaluated is not None and not any(row.judged == "compliant" for row in done.evaluated.rows):
        say(NO_OUTPUT)
        return 1
    return 0


def _standing(options: GenerateOptions, wanted: Wanted) -> str:
    """That an update left nothing to make; empty where there is something."""
    if options.evaluate or options.refresh or options.write_back or options.as_json:
        return ""
    files = files_of(options.prompt, wanted.spec, folder_of(options))
    rules = followed(files, options.prompt, Makers(wanted.settings, wanted.generator))
    if rules is None:
        return ""
    told = f"{files.cases} has the tests of {counted(rules, 'rule')} since the last update"
    return f"{options.prompt}: nothing to do, {told}; --refresh makes all of them anew"


def _show(options: GenerateOptions, done: Done, outcome: generation.Outcome) -> None:
    evaluated, sheet = done.evaluated, generation.summary_sheet(outcome)
    document = generation_json.dump(outcome, done.effort, evaluated.rows if evaluated is not None else None)
    keep_for_reading({"summary.md": sheet_markdown.render(sheet), "generation.json": document})
    if options.as_json:
        click.echo(document, nl=False)
    else:
        sheet_terminal.render(sheet, screen(), brief=options.quiet)
    if evaluated is not None:
        _show_figures(options, generation_matrix.figures_of(evaluated, done.made.specification), outcome.warnings)


def _check(options: GenerateOptions) -> None:
    """Options that do not go together, before anything is spent."""
    if options.write_back and not is_prompt_yml(options.prompt):
        raise GateError(f"--write-back is for .prompt.yml files, and not for {options.prompt}", "leave it out")
    if options.write_back and (options.turns or 1) > 1:
        raise GateError("--write-back and --turns do not go together", "a .prompt.yml holds tests of one turn")
    if options.spec is not None and not options.spec.is_file():
        raise GateError(f"--spec names {options.spec}, which is no file", "leave it out to have it extracted")
    for flag, given in (("--update", options.update), ("--baseline", options.baseline)):
        if given:
            raise GateError(f"{flag} has no meaning without --diff", "add --diff")


def _show_figures(options: GenerateOptions, figures: generation_matrix.Figures, told: Sequence[str]) -> None:
    """Keep and show them; the file has the warnings that were shown above, too."""
    sheet = generation_matrix.sheet(figures)
    whole = generation_matrix.sheet(replace(figures, warnings=(*told, *figures.warnings)))
    pictures = {f"{one.source}.svg": heatmap.render(one) for one in figures.matrices}
    keep_for_reading({"evaluation.md": sheet_markdown.render(whole), **pictures})
    if not options.as_json:
        click.echo()
        sheet_terminal.render(sheet, screen(), brief=options.quiet)
        click.echo(f"\nWritten: {FOLDER}/evaluation.md, {', '.join(pictures)}")


def _wanted(options: GenerateOptions) -> Wanted:
    model = model_of(options)
    return Wanted(
        prompt=options.prompt,
        spec=options.spec or folder_of(options) / SPEC,
        generator=model,
        judge=parse_model(options.judge_model) if options.judge_model else model,
        reference=parse_model(options.reference_model) if options.reference_model else model,
        params=parse_params(key_values(options.params), "--param"),
        settings=settings_of(options),
        terms=terms_of(options),
        evaluation=evaluation_of(options),
    )


def _outcome(options: GenerateOptions, wanted: Wanted, found: Found, done: Done, files: NewFiles) -> generation.Outcome:
    made = done.made
    warnings = judge_notes(wanted.judge, wanted.generator, wanted.evaluation.models if wanted.evaluation else ())
    if wanted.generator.provider == "local":
        warnings.append(SMALL)
    if made.notes and done.effort.reused:
        warnings.append("Some answers are those of an earlier run; --refresh asks for all of them anew.")
    return generation.Outcome(
        prompt=options.prompt,
        specification=made.specification,
        compiled=[(one, told(one)) for one in made.compiled],
        tests=made.tests,
        discarded=made.discarded,
        notes=made.notes,
        warnings=warnings,
        written=[file.told for file in files.all],
        diversity=generation.diversity_told(made.diversity),
        spent=generation.spent_told(done.effort),
        suite=suite_of(options.prompt, files.cases.path, made.specification, _models(wanted, found)),
    )


def _models(wanted: Wanted, found: Found) -> SuiteModels:
    """Who answers and who judges in the suite that is suggested."""
    tested = wanted.evaluation.models if wanted.evaluation is not None else ()
    return suite_models(own_model(found.version.prompt.unused), tested, wanted.reference, wanted.judge)
