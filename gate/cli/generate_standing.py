"""Whether `gate generate` has anything to do after an update."""

from gate.bootstrap.following import Makers, files_of, followed
from gate.bootstrap.foreseeing import Wanted
from gate.cli.generate_options import GenerateOptions, folder_of
from gate.domain.words import counted
from gate.report.escape import terminal
from gate.report.promises.as_json import safe_json


def standing(options: GenerateOptions, wanted: Wanted) -> str:
    """That an update left nothing to make, as it is printed; empty where there is something.

    Args:
        options: as they were typed.
        wanted: what they ask for.

    Raises:
        InputErrors: a mistake in the specification.
    """
    if options.evaluate or options.refresh or options.write_back:
        return ""
    files = files_of(options.prompt, wanted.spec, folder_of(options))
    rules = followed(files, options.prompt, Makers(wanted.settings, wanted.generator))
    if rules is None:
        return ""
    why = f"{files.cases} has the tests of {counted(rules, 'rule')} since the last update"
    if options.as_json:
        return safe_json({"prompt": options.prompt, "nothing_to_do": why})
    return terminal(f"{options.prompt}: nothing to do, {why}; --refresh makes all of them anew")
