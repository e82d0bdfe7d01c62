"""No change brings a prompt as a symbolic link, or in a submodule: nobody would examine it, and nobody would say so."""

from collections.abc import Iterable, Mapping
from posixpath import dirname, normpath

from gate.config.gatefile import Config
from gate.errors import InputErrors, Problem
from gate.flows.pairing import Sides
from gate.inputs.entries import LINK, folders
from gate.inputs.paths import is_glob, literal_folder, matches
from gate.inputs.problems import one_problem, quoted
from gate.inputs.source import FileSource

MOST_FOLLOWED = 1_000
"""New links of one pattern whose ends are looked for; each is a request or two to GitHub."""
MOST_STEPS = 10
"""From link to link; a longer way is taken for one that ends nowhere."""

_HINT = "put the files themselves there, or keep them where no pattern looks"


def check_links(sides: Sides, configs: Iterable[Config | None]) -> None:
    """Refuse links and submodules by which the change brings something where a pattern looks for prompts.

    Those that are the same on both sides stay out of the pattern, as they did.

    Args:
        sides: where they are looked up.
        configs: whose patterns count: the base's, which the change cannot take away, and the head's.

    Raises:
        InputErrors: one problem for each.
    """
    patterns = dict.fromkeys(suite.prompt for config in configs if config for suite in config.suites)
    found = {path: problem for one in patterns if is_glob(one) for path, problem in _brought(sides, one).items()}
    if found:
        raise InputErrors(list(found.values()))


def _brought(sides: Sides, pattern: str) -> dict[str, Problem]:
    now = sides.head.links(pattern)
    before = sides.base.links(pattern) if now else {}
    new = {path: kind for path, kind in sorted(now.items()) if before.get(path) != kind}
    links = [path for path, kind in new.items() if kind.startswith(LINK)]
    refused = {path: "submodule" for path in new.keys() - set(links) if _in_pattern(path, pattern)}
    files = sides.head.listing() if links else {}
    for path in links[:MOST_FOLLOWED]:
        if _brings(path, _end(sides.head, path), pattern, files):
            refused[path] = "symbolic link"
    refused |= dict.fromkeys(links[MOST_FOLLOWED:], "symbolic link")
    return {path: _problem(path, what, pattern) for path, what in refused.items()}


def _in_pattern(path: str, pattern: str) -> bool:
    """Is it a match, or in the folder that the pattern names? Nobody sees what lies in a submodule."""
    folder = literal_folder(pattern)
    return matches(path, pattern) or bool(folder and f"{dirname(path)}/".startswith(f"{folder}/"))


def _brings(path: str, end: str | None, pattern: str, files: Mapping[str, str]) -> bool:
    """Does a pattern match a link whose end nobody examines, or something that lies behind the link?"""
    if matches(path, pattern):
        return end is None or end not in files or not matches(end, pattern)
    if end is None:
        return False
    if end.startswith("../"):
        return True
    folder = "" if end == "." else f"{end}/"
    return any(matches(f"{path}/{file.removeprefix(folder)}", pattern) for file in files if file.startswith(folder))


def _end(source: FileSource, link: str) -> str | None:
    """Where a link leads to, by way of others, which may be folders of its path; None where the way has no end."""
    path = source.leads_to(link)
    for _ in range(MOST_STEPS):
        if path is None or path == "." or path.startswith("../"):
            return path
        way = ((name, source.leads_to(name)) for name in (*folders(path), path))
        name, further = next(((name, end) for name, end in way if end is not None), (path, None))
        if further is None:
            return path
        path = normpath(f"{further}/{path[len(name) :].lstrip('/')}")
    return None


def _problem(path: str, what: str, pattern: str) -> Problem:
    message = f"is a {what} that the change brings where {quoted(pattern)} looks for prompts, and no exam reaches it"
    return one_problem(path, 0, message, _HINT).problems[0]
