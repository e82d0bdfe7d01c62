"""From the options of `gate generate` to an exit code."""

from dataclasses import replace
from pathlib import Path

import click

from gate.bootstrap.generated_files import keep_for_reading
from gate.bootstrap.generating import carry
from gate.cli.generate_kept import Kept
from gate.cli.generate_options import SMALL, GenerateOptions, folder_of, say, screen, telling_of
from gate.cli.generate_plan import ready
from gate.cli.generate_standing import standing
from gate.errors import CannotEvaluate
from gate.flows.generate_files import SPEC
from gate.report.generation import heatmap
from gate.report.generation import matrix as generation_matrix
from gate.report.generation import report as generation
from gate.report.markdown import sheet as sheet_markdown
from gate.report.sheet import Sheet
from gate.report.terminal import sheet as sheet_terminal

NO_OUTPUT = (
    "No output of any model complies with the prompt: look at a few, for the judge or the tests may be at fault."
)


def execute(options: GenerateOptions) -> int:
    """Read, foresee, generate, keep, show.

    Returns:
        0; 1 where no output of an evaluation complies; mistakes and gaps are errors with their own exit codes.
    """
    begun = ready(options)
    if told := standing(options, begun.wanted):
        click.echo(told)
        return 0
    if not options.quiet:
        say(begun.sheet.headline)
        if (folder := folder_of(options)) == Path(options.prompt).parent and options.out is None:
            say(f"{folder / SPEC} lies beside the prompt: the files go there")
        if begun.wanted.generator.provider == "local":
            say(SMALL)
    kept = Kept(options, begun.wanted, begun.found)
    try:
        done = carry(begun.wanted, begun.found, begun.settings, telling_of(options), kept.keep)
    except CannotEvaluate as error:
        if kept.begun:
            error.hint = "; ".join(filter(None, (error.hint, kept.told())))
        raise
    outcome, document = kept.summarise(done)
    if options.as_json:
        click.echo(document, nl=False)
    else:
        _show(generation.summary_sheet(outcome), options)
    if done.evaluated is None:
        return 0
    _show_figures(options, kept, generation_matrix.figures_of(done.evaluated, done.made.specification), outcome)
    if not any(row.judged == "compliant" for row in done.evaluated.rows):
        say(NO_OUTPUT)
        return 1
    return 0


def _show_figures(
    options: GenerateOptions, kept: Kept, figures: generation_matrix.Figures, outcome: generation.Outcome
) -> None:
    """Keep and show them; the file has the warnings that were shown above, too."""
    sheet = generation_matrix.sheet(figures)
    whole = generation_matrix.sheet(replace(figures, warnings=(*outcome.warnings, *figures.warnings)))
    pictures = {f"{one.source}.svg": heatmap.render(one) for one in figures.matrices}
    keep_for_reading(kept.folder, {"evaluation.md": sheet_markdown.render(whole), **pictures})
    if options.as_json:
        return
    if not options.quiet:
        click.echo()
    _show(sheet, options)
    if not options.quiet:
        click.echo(f"\nWritten: {kept.folder}/evaluation.md, {', '.join(pictures)}")


def _show(sheet: Sheet, options: GenerateOptions) -> None:
    """Where it is to be quiet, the first line alone; the rest is in the file."""
    sheet_terminal.render(replace(sheet, remarks=()) if options.quiet else sheet, screen(), brief=options.quiet)
