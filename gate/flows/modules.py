"""Where prompts that are code went: their modules are looked for like any other file, and the functions in them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from gate.config.functions import is_python
from gate.flows.renames import Moves, successors
from gate.inputs.builders import file_of, moved_to
from gate.inputs.source import FileSource


def prompt_moves(base: FileSource, head: FileSource, gone: Sequence[str], new: Sequence[str]) -> Moves:
    """Where the prompts are that moved, files and functions.

    A function goes where its module goes, as long as that can be imported and still has its name in it; otherwise it is
    gone.

    Args:
        base, head: both sides.
        gone: prompts that the base examines, and that the change does not have.
        new: prompts of the change's suites that the base does not have.
    """
    if not any(map(is_python, (*gone, *new))):
        return successors(base, head, gone, new)
    old, now = _by_file(base, gone), _by_file(head, new)
    moves = successors(base, head, list(old), list(now))
    found: dict[str, str] = {}
    for file, target in moves.found.items():
        for prompt in old[file]:
            wanted = moved_to(prompt, target)
            named = [one for one in now.get(target, ()) if one not in found.values()]
            if wanted in named or not named:
                named = [wanted] if _is_there(head, prompt, wanted) else []
            if named:
                found[prompt] = named[0]
    others = {}
    for file, paths in moves.others.items():
        for prompt in old[file]:
            possible = [moved_to(prompt, path) for path in paths]
            others[prompt] = tuple(one for one in possible if _is_there(head, prompt, one))
    unsure = frozenset(prompt for file in moves.unsure for prompt in old[file])
    return Moves(found, unsure, {prompt: paths for prompt, paths in others.items() if paths})


def _is_there(head: FileSource, prompt: str, moved: str) -> bool:
    """A function cannot be in what is no module."""
    return is_python(prompt) == is_python(moved) and file_of(head, moved) is not None


def _by_file(source: FileSource, prompts: Iterable[str]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for prompt in prompts:
        found[file_of(source, prompt) or prompt].append(prompt)
    return found
