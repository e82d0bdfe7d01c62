"""What `gate generate` reads before anything is asked, and what it would take."""

from dataclasses import dataclass

import click

from gate.bootstrap.foreseeing import Found, Wanted, foresee, read
from gate.cli.generate_options import GenerateOptions, screen, wanted_of
from gate.errors import GateError
from gate.inputs.promptyml import is_prompt_yml
from gate.report.generation import report as generation
from gate.report.sheet import Sheet
from gate.report.terminal import sheet as sheet_terminal
from gate.settings.services import Settings
from gate.testgen.forecast import GenerationForecast


@dataclass(frozen=True, slots=True)
class Ready:
    """All that is known beforehand.

    Args:
        wanted: models, settings and limits.
        settings: keys and addresses.
        found: the prompt, and its specification if there is one.
        foreseen: what it would take.
    """

    wanted: Wanted
    settings: Settings
    found: Found
    foreseen: GenerationForecast

    @property
    def sheet(self) -> Sheet:
        """What it would take, to be shown."""
        return generation.plan_sheet(self.wanted.prompt, self.foreseen)


def ready(options: GenerateOptions) -> Ready:
    """Read everything, and foresee.

    Raises:
        GateError: options that do not go together, or mistakes in a file.
    """
    _check(options)
    wanted, settings = wanted_of(options), Settings.from_environ()
    found = read(wanted)
    return Ready(wanted, settings, found, foresee(wanted, found, settings))


def execute(options: GenerateOptions) -> int:
    """Say what it would take.

    Returns:
        0; mistakes are errors with their own exit code.
    """
    begun = ready(options)
    if told := _standing(options, begun):
        click.echo(told)
    elif options.as_json:
        # It loads numpy, which a plan for people does without.
        from gate.report.generation import as_json

        click.echo(as_json.plan(options.prompt, begun.foreseen), nl=False)
    else:
        sheet_terminal.render(begun.sheet, screen(), brief=options.quiet)
    return 0


def _standing(options: GenerateOptions, begun: Ready) -> str:
    """That nothing is left to do, which only a specification can say."""
    if begun.found.given is None:
        return ""
    from gate.cli.generate_standing import standing  # it loads numpy, which a first plan does without

    return standing(options, begun.wanted)


def _check(options: GenerateOptions) -> None:
    """Options that do not go together."""
    if options.write_back and not is_prompt_yml(options.prompt):
        raise GateError(f"--write-back is for .prompt.yml files, and not for {options.prompt}", "leave it out")
    if options.write_back and (options.turns or 1) > 1:
        raise GateError("--write-back and --turns do not go together", "a .prompt.yml holds tests of one turn")
    if options.spec is not None and not options.spec.is_file():
        raise GateError(f"--spec names {options.spec}, which is no file", "leave it out to have it extracted")
    for flag, given in (("--update", options.update), ("--baseline", options.baseline)):
        if given:
            raise GateError(f"{flag} has no meaning without --diff", "add --diff")
