"""Writes the files of a commit into a folder, as git has them.

Git does it with `git worktree`, or `git archive`. Both run filters that the repository's configuration names, the first
one hooks as well, and it leaves a way to the repository's own folder, where a workflow's token may lie.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from gate.errors import CannotEvaluate, GateError
from gate.git.command import Git
from gate.inputs.entries import LINK, SUBMODULE, Entry
from gate.inputs.paths import escapes

MOST_FILES = 200_000
MOST_BYTES = 2 * 2**30
"""Of all files of a commit."""

_AT_ONCE = 16 * 2**20
"""Bytes of files that are read at once, where one is no larger."""


def export(git: Git, sha: str, label: str, folder: Path) -> None:
    """Write the files of a commit, or of a tree: those of submodules are left out, and no filter or hook is run.

    Args:
        git: runs git in the repository, which may be shallow.
        sha: commit or tree.
        label: how it is named to the user.
        folder: empty.

    Raises:
        GateError: it has too many files, or too large ones.
        CannotEvaluate: a partial clone has a name and not the content.
    """
    entries = _entries(git, sha, label)
    links = [entry for entry in entries if entry.mode == LINK]
    for entry in (entry for entry in entries if entry.mode == SUBMODULE):
        (folder / entry.path).mkdir(parents=True, exist_ok=True)
    for entry, data in _contents(git, [entry for entry in entries if entry.plain]):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if entry.mode == "100755":
            path.chmod(0o755)
    # Last, so that no file is written through one.
    for entry, data in _contents(git, links):
        path = folder / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        os.symlink(data, os.fsencode(path))


def _entries(git: Git, sha: str, label: str) -> list[Entry]:
    names = [line.partition(b"\t") for line in git.run("ls-tree", "-r", "--full-tree", "-z", sha).split(b"\0") if line]
    if len(names) > MOST_FILES:
        raise _too_much(f"{label} has more than {MOST_FILES:,} files")
    facts = [(fact.decode("ascii").split(), os.fsdecode(name)) for fact, _, name in names]
    found = [Entry(mode, oid, 0, path) for (mode, _, oid), path in facts if not escapes(path)]
    blobs = [entry for entry in found if entry.mode != SUBMODULE]
    asked = "".join(f"{entry.oid}\n" for entry in blobs).encode()
    answer = git.ask("cat-file", "--batch-check=%(objectsize)", given=asked)
    sizes = answer.out.splitlines()
    # In a partial clone git would fetch what is not there, and may not.
    if answer.code != 0 or not all(size.isdigit() for size in sizes):
        raise CannotEvaluate(f"this clone does not have all files of {label}", "check out without a filter")
    sized = {entry.path: replace(entry, size=int(size)) for entry, size in zip(blobs, sizes, strict=True)}
    if sum(entry.size for entry in sized.values()) > MOST_BYTES:
        raise _too_much(f"the files of {label} have more than {MOST_BYTES // 2**30} GiB")
    return [sized.get(entry.path, entry) for entry in found]


def _too_much(message: str) -> GateError:
    return GateError(f"{message}, and code needs all of them", "keep prompts as files, and score by other validators")


def _contents(git: Git, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
    """Files with their contents, some megabytes at a time."""
    rest = iter(entries)
    for first in rest:
        some, size = [first], first.size
        while size < _AT_ONCE and (more := next(islice(rest, 1), None)) is not None:
            some.append(more)
            size += more.size
        out = memoryview(git.run("cat-file", "--batch", given="".join(f"{one.oid}\n" for one in some).encode()))
        start = 0
        for entry in some:
            begin = start + len(f"{entry.oid} blob {entry.size}\n")
            yield entry, bytes(out[begin : begin + entry.size])
            start = begin + entry.size + 1
