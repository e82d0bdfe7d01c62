"""Objects of a repository by their ids, and the files of a commit written into a folder."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count, islice
from pathlib import Path

from gate.errors import CannotEvaluate, GateError
from gate.git.command import Git
from gate.paths import escapes
from gate.prompts.files import FOLDER, LINK, SUBMODULE, Entry

MOST_ENTRIES = 1_000_000
"""Files and folders of a commit."""
MOST_LEVELS = 1_000
"""Folders within one another."""

_AT_ONCE = 16 * 2**20
"""Bytes of files that are read at once, unless one file is larger."""
_TREES_AT_ONCE = 1_000


_TREE = re.compile(rb"tree ([0-9a-f]{40}|[0-9a-f]{64})\n")
_MODE = re.compile(rb"[0-7]{1,6}")


@dataclass(frozen=True, slots=True)
class Objects:
    """Reads objects of a repository, which may be shallow or partial; each tree once."""

    git: Git
    _trees: dict[str, list[Entry]] = field(default_factory=dict, init=False)
    _roots: dict[str, str] = field(default_factory=dict, init=False)

    def root(self, sha: str) -> Entry:
        """The folder of all files of a commit.

        Raises:
            CannotEvaluate: it is not here, is something else, or does not match its id.
        """
        if sha not in self._roots:
            ((kind, data),) = self._read([sha], "commit", "tree")
            named = _TREE.match(data)
            if kind == "commit" and not named:
                raise CannotEvaluate(f"{sha} is a broken commit")
            self._roots[sha] = named[1].decode("ascii") if kind == "commit" and named else sha
        return Entry.root(self._roots[sha])

    def inside(self, folder: Entry) -> list[Entry]:
        """Direct entries of a folder. Raises CannotEvaluate: it is not here, or does not match its id."""
        self._fetch([folder.oid])
        return [entry.below(folder.path) for entry in self._trees[folder.oid]]

    def below(self, top: Entry) -> list[Entry]:
        """All entries below a folder, without the folders themselves, in the order of `git ls-tree -r`.

        Raises:
            CannotEvaluate: something is not here, or does not match its id; or there is too much of it.
        """
        level, known = [top.oid], {top.oid}
        for levels in count(1):
            if levels > MOST_LEVELS:
                raise CannotEvaluate(f"a commit has more than {MOST_LEVELS:,} folders within one another")
            self._fetch(level)
            folders = (entry.oid for oid in level for entry in self._trees[oid] if entry.folder)
            level = [oid for oid in dict.fromkeys(folders) if oid not in known]
            known.update(level)
            if not level:
                break
        # A tree can be in many folders, so what is small to read may have files without end.
        found = list(islice(self._walk(top), MOST_ENTRIES + 1))
        if len(found) > MOST_ENTRIES:
            raise CannotEvaluate(f"a commit has more than {MOST_ENTRIES:,} files and folders")
        return [entry for entry in found if not entry.folder]

    def blobs(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Files and links with their contents, some megabytes at a time.

        Raises:
            CannotEvaluate: one is not here, or does not match its id.
        """
        rest = iter(entries)
        for first in rest:
            some, size = [first], first.size
            while size < _AT_ONCE and (more := next(rest, None)) is not None:
                some.append(more)
                size += more.size
            for entry, (_, data) in zip(some, self._read([one.oid for one in some], "blob"), strict=True):
                yield entry, data

    def sizes(self, entries: Sequence[Entry]) -> list[int | None]:
        """Bytes of files and links, without reading them; None for what is not here."""
        answer = self.git.ask("cat-file", "--batch-check=%(objectsize)", given=_asked([one.oid for one in entries]))
        found = [int(line) if line.isdigit() else None for line in answer.out.splitlines()]
        # In a partial clone git would fetch the first one that is not there, and may not.
        return [*found, *(None for _ in entries)][: len(entries)]

    def _walk(self, top: Entry) -> Iterator[Entry]:
        waiting = [(f"{top.path}/" if top.path else "", iter(self._trees[top.oid]))]
        while waiting:
            folder, inside = waiting[-1]
            for entry in inside:
                path = folder + entry.path
                yield Entry(entry.mode, entry.oid, 0, path)
                if entry.folder:
                    waiting.append((f"{path}/", iter(self._trees[entry.oid])))
                    break
            else:
                waiting.pop()

    def _fetch(self, trees: Sequence[str]) -> None:
        wanted = [oid for oid in trees if oid not in self._trees]
        for start in range(0, len(wanted), _TREES_AT_ONCE):
            some = wanted[start : start + _TREES_AT_ONCE]
            for oid, (_, data) in zip(some, self._read(some, "tree"), strict=True):
                self._trees[oid] = list(_parsed(oid, data))

    def _read(self, oids: Sequence[str], *kinds: str) -> list[tuple[str, bytes]]:
        """Kind and content of objects, which must be of one of these kinds."""
        answer = self.git.ask("cat-file", "--batch", given=_asked(oids))
        out, start, found = memoryview(answer.out), 0, []
        for oid in oids:
            end = answer.out.find(b"\n", start)
            words = answer.out[start : max(start, end)].split()
            if len(words) != 3 or not words[2].isdigit():
                raise CannotEvaluate(f"this clone does not have {oid}", "check out without a filter")
            begin, start = end + 1, end + 2 + int(words[2])
            kind, data = words[1].decode("ascii", "replace"), _genuine(oid, words[1], out[begin : start - 1])
            if kind not in kinds:
                raise CannotEvaluate(f"{oid} is a {kind}, and a {kinds[0]} is wanted")
            found.append((kind, data))
        return found


def _genuine(oid: str, kind: bytes, data: memoryview) -> bytes:
    """The content, checked against its id."""
    whole = hashlib.sha1(usedforsecurity=False) if len(oid) == 40 else hashlib.sha256()
    whole.update(b"%s %d\0" % (kind, len(data)))
    whole.update(data)
    if whole.hexdigest() != oid:
        hint = "something has written into .git: check out anew, and see what code of the change does"
        raise CannotEvaluate(f"what git has under the id {oid} is something else", hint)
    return bytes(data)


def _parsed(oid: str, data: bytes) -> Iterator[Entry]:
    """The entries of a tree, with paths relative to it."""
    size, start = len(oid) // 2, 0
    while start < len(data):
        end = data.find(b"\0", start)
        mode, _, name = data[start:end].partition(b" ")
        start = end + 1 + size
        if end < 0 or start > len(data) or not _MODE.fullmatch(mode):
            raise CannotEvaluate(f"{oid} is a broken tree", "run 'git fsck', and push what mends it")
        yield Entry(_mode(mode), data[end + 1 : start].hex(), 0, os.fsdecode(name))


@cache
def _mode(digits: bytes) -> str:
    """Six digits as git shows them, however a tree has them."""
    bits = int(digits, 8)
    if stat.S_ISREG(bits):
        return "100755" if bits & stat.S_IXUSR else "100644"
    return LINK if stat.S_ISLNK(bits) else FOLDER if stat.S_ISDIR(bits) else SUBMODULE


def _asked(oids: Sequence[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")


MOST_FILES = 200_000
MOST_BYTES = 2 * 2**30
"""Of all files of a commit."""


def export(git: Git, sha: str, label: str, folder: Path) -> None:
    """Write the files of a commit or a tree, without submodules; no filter or hook runs.

    Raises:
        GateError: it has too many files, or too large ones.
        CannotEvaluate: a partial clone lacks the content of a file, or something does not match its id.
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
