"""No change brings a prompt as a symbolic link, or in a submodule: nobody would examine it, and nobody would say so."""

from collections.abc import Iterable
from itertools import count

from gate.errors import InputErrors, Problem
from gate.flows.pairing import Sides
from gate.inputs.config import Config
from gate.inputs.entries import LINK
from gate.inputs.limits import SHOWN_PROBLEMS
from gate.inputs.paths import is_glob, matches
from gate.inputs.problems import one_problem, quoted

MOST_FOLLOWED = 100
"""New links of one pattern that are followed, to tell those to folders; each is a request or two to GitHub."""

_HINT = "put the files themselves there, or keep them where no pattern looks"


def check_links(sides: Sides, configs: Iterable[Config | None]) -> None:
    """Refuse links and submodules that the change brings where a pattern looks for prompts.

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
        raise InputErrors([found[path] for path in sorted(found)[:SHOWN_PROBLEMS]])


def _brought(sides: Sides, pattern: str) -> dict[str, Problem]:
    now = sides.head.links(pattern)
    before = sides.base.links(pattern) if now else {}
    new = {path: kind for path, kind in sorted(now.items()) if before.get(path) != kind}
    followed = count()
    return {
        path: _problem(path, kind, pattern)
        for path, kind in new.items()
        # A link that does not match itself matters for what lies behind it: nothing does where it leads to a file.
        if matches(path, pattern)
        or not kind.startswith(LINK)
        or next(followed) >= MOST_FOLLOWED
        or not sides.head.leads_to_file(path)
    }


def _problem(path: str, kind: str, pattern: str) -> Problem:
    what = "symbolic link" if kind.startswith(LINK) else "submodule"
    message = f"is a {what} that the change brings where {quoted(pattern)} looks for prompts, and no exam reaches it"
    return one_problem(path, 0, message, _HINT).problems[0]
