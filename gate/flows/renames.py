"""What became of the prompts that a change removes: each finds the file that keeps most of it, as git finds renames."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product
from pathlib import PurePosixPath

from gate.errors import InputErrors
from gate.inputs.paths import is_glob
from gate.inputs.similarity import SIMILAR, chunks, similarity
from gate.inputs.source import FileSource

MOST_COMPARED = 10_000
"""Pairs of files whose contents are compared; beyond it only files of the same name are."""
MOST_STRAYS = 50
"""Files of the change that no suite names and that are looked at; each is a request where GitHub has them."""

COPY = 2.0

_Content = tuple[bytes, Counter[bytes]]


def successors(base: FileSource, head: FileSource, gone: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """The new path of each prompt that moved.

    Prompts of the change's suites come first, then files that the change leaves without a suite: a prompt does not
    slip away from its exam by moving to where nobody looks. Where nothing is gone, nothing is read.

    Args:
        base, head: both sides.
        gone: prompts that the base examines, and that the change does not have.
        new: prompts of the change's suites that the base does not have.

    Returns:
        Old path to new path; no new path serves twice.
    """
    likeness = _Likeness(base, head)
    found = _matched(likeness, gone, new)
    left = [path for path in gone if path not in found]
    return found | _matched(likeness, left, _strays(base, head, left, set(new))) if left else found


def _matched(likeness: "_Likeness", gone: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Exact copies, then the most similar files; of equals those of the same name, then the first by their paths."""
    exact = _chosen(likeness.copies(gone, new), lambda old, now: COPY)
    old = [path for path in sorted(gone) if path not in exact]
    now = [path for path in sorted(new) if path not in exact.values()]
    pairs: Iterable[tuple[str, str]] = product(old, now)
    if len(old) * len(now) > MOST_COMPARED:
        pairs = islice(((one, other) for one, other in pairs if _name(one) == _name(other)), MOST_COMPARED)
    return exact | _chosen(pairs, likeness.of)


def _chosen(pairs: Iterable[tuple[str, str]], likeness: Callable[[str, str], float]) -> dict[str, str]:
    """The pairs that are alike most, no file in two of them."""
    rated = [(likeness(*pair), pair) for pair in pairs]
    alike = [(rate, pair) for rate, pair in rated if rate >= SIMILAR]
    out: dict[str, str] = {}
    taken: set[str] = set()
    for _, (old, new) in sorted(alike, key=lambda one: (-one[0], _name(one[1][0]) != _name(one[1][1]), one[1])):
        if old not in out and new not in taken:
            out[old] = new
            taken.add(new)
    return out


class _Likeness:
    """Compares files of both sides; each is read once."""

    def __init__(self, base: FileSource, head: FileSource) -> None:
        self._base, self._head = base, head
        self._old: dict[str, _Content] = {}
        self._new: dict[str, _Content] = {}

    def copies(self, gone: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs that are the same by what costs least to know."""
        before, after = (
            {path: source.fingerprint(path) for path in paths}
            for source, paths in ((self._base, gone), (self._head, new))
        )
        return [(old, now) for old, now in product(before, after) if before[old] == after[now] is not None]

    def of(self, old: str, new: str) -> float:
        """In [0, 1], and above for copies: the same lines in another order are not one."""
        before, after = _content(self._base, old, self._old), _content(self._head, new, self._new)
        return COPY if before[0] == after[0] != b"" else similarity(before[1], after[1])


def _content(source: FileSource, path: str, known: dict[str, _Content]) -> _Content:
    if path not in known:
        try:
            data = source.read(path) or b""
        except InputErrors:  # whoever needs the file is told why it cannot be read
            data = b""
        known[path] = (data, chunks(data))
    return known[path]


def _strays(base: FileSource, head: FileSource, gone: Iterable[str], known: set[str]) -> list[str]:
    """Files that the change brings, with an ending of those that are gone; those of the same name first."""
    endings = {PurePosixPath(path).suffix for path in gone}
    names = {_name(path) for path in gone}
    found: set[str] = set()
    for ending in (ending for ending in endings if not is_glob(ending)):
        try:
            before, after = (set(side.glob(f"**/*{ending}")) for side in (base, head))
        except InputErrors:  # a name that is not UTF-8, somewhere
            continue
        found |= after - before - known
    return sorted(found, key=lambda path: (_name(path) not in names, path))[:MOST_STRAYS]


def _name(path: str) -> str:
    return PurePosixPath(path).name
