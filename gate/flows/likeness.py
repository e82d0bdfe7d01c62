"""How much of a prompt that is gone a file of the change keeps; no more is read than may decide it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gate.errors import InputErrors
from gate.inputs.limits import PROMPT_CHARS
from gate.inputs.similarity import chunks, similar_sizes, similarity
from gate.inputs.source import FileSource

MOST_BYTES = 16 * 2**20
"""Bytes of the change's files that are read to find what moved."""

LARGEST_PROMPT = 4 * PROMPT_CHARS
"""Bytes of the largest prompt: no character takes more than four."""

COPY = 2.0

_Content = tuple[bytes, Counter[bytes]]


@dataclass(slots=True)
class Likeness:
    """Compares files of both sides; each is read once.

    Args:
        base, head: both sides.
    """

    base: FileSource
    head: FileSource
    _old: dict[str, _Content] = field(default_factory=dict)
    _similar: dict[str, tuple[range, int]] = field(default_factory=dict)
    _new: dict[str, _Content] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _left: int = MOST_BYTES

    def copies(self, gone: Iterable[str], new: Mapping[str, str | None]) -> list[tuple[str, str]]:
        """Pairs that are the same by their fingerprints; nothing is read.

        Args:
            gone: paths of the base.
            new: paths of the head, with their fingerprints where they have one.
        """
        after: defaultdict[str, list[str]] = defaultdict(list)
        for path, known in new.items():
            if known:
                after[known].append(path)
        return [(old, now) for old in gone for now in after.get(self.base.fingerprint(old) or "", ())]

    def measure(self, new: Iterable[str]) -> None:
        """Ask for the sizes of files of the head, all at once; those that it was not asked about have none."""
        self._sizes |= self.head.sizes([path for path in new if path not in self._sizes])

    def distance(self, old: str, new: str) -> int | None:
        """Bytes that a file of the head is larger or smaller; None where by its size it is no successor."""
        if old not in self._similar:
            before = self._before(old)[1]
            self._similar[old] = (similar_sizes(before), before.total())
        similar, whole = self._similar[old]
        size = self._sizes.get(new, 0)
        return abs(size - whole) if size in similar and size <= LARGEST_PROMPT else None

    def of(self, old: str, new: str) -> float | None:
        """In [0, 1], and above for copies: the same lines in another order are not one; None once too much is read."""
        if new not in self._new:
            if self._sizes[new] > self._left:
                return None
            self._left -= self._sizes[new]
            self._new[new] = _content(self.head, new)
        before, after = self._before(old), self._new[new]
        return COPY if before[0] == after[0] != b"" else similarity(before[1], after[1])

    def _before(self, path: str) -> _Content:
        if path not in self._old:
            self._old[path] = _content(self.base, path)
        return self._old[path]


def _content(source: FileSource, path: str) -> _Content:
    try:
        data = source.read(path) or b""
    except InputErrors:  # whoever needs the file is told why it cannot be read
        data = b""
    return data, chunks(data)
