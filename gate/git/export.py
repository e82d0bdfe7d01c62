"""Writes the files of a commit into a folder, as git has them.

Git does it with `git worktree`, or `git archive`. Both run filters that the repository's configuration names, the first
one hooks as well, and it leaves a way to the repository's own folder, where a workflow's token may lie.
"""

import os
from dataclasses import replace
from pathlib import Path

from gate.errors import CannotEvaluate, GateError
from gate.git.command import Git
from gate.git.objects import Objects
from gate.inputs.entries import LINK, SUBMODULE, Entry
from gate.inputs.paths import escapes

MOST_FILES = 200_000
MOST_BYTES = 2 * 2**30
"""Of all files of a commit."""


def export(git: Git, sha: str, label: str, folder: Path) -> None:
    """Write the files of a commit, or of a tree: those of submodules are left out, and no filter or hook is run.

    Args:
        git: runs git in the repository, which may be shallow.
        sha: commit or tree.
        label: how it is named to the user.
        folder: empty.

    Raises:
        GateError: it has too many files, or too large ones.
        CannotEvaluate: a partial clone has a name and not the content, or something is not what its id says.
    """
    objects = Objects(git)
    entries = _entries(objects, sha, label)
    links = [entry for entry in entries if entry.mode == LINK]
    for entry in (entry for entry in entries if entry.mode == SUBMODULE):
        (folder / entry.path).mkdir(parents=True, exist_ok=True)
    for entry, data in objects.blobs([entry for entry in entries if entry.plain]):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if entry.mode == "100755":
            path.chmod(0o755)
    # Last, so that no file is written through one.
    for entry, data in objects.blobs(links):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(data, os.fsencode(path))


def _entries(objects: Objects, sha: str, label: str) -> list[Entry]:
    every = objects.below(objects.root(sha))
    if len(every) > MOST_FILES:
        raise _too_much(f"{label} has more than {MOST_FILES:,} files")
    found = [entry for entry in every if not escapes(entry.path)]
    blobs = [entry for entry in found if entry.mode != SUBMODULE]
    sized: dict[str, Entry] = {}
    for entry, size in zip(blobs, objects.sizes(blobs), strict=True):
        if size is None:
            raise CannotEvaluate(f"this clone does not have all files of {label}", "check out without a filter")
        sized[entry.path] = replace(entry, size=size)
    if sum(entry.size for entry in sized.values()) > MOST_BYTES:
        raise _too_much(f"the files of {label} have more than {MOST_BYTES // 2**30} GiB")
    return [sized.get(entry.path, entry) for entry in found]


def _too_much(message: str) -> GateError:
    return GateError(f"{message}, and code needs all of them", "keep prompts as files, and score by other validators")
