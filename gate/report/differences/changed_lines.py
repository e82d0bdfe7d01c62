"""Where a prompt was changed, for annotations beside the change."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST = 10
"""Annotations of one prompt."""
_LONGEST = 5_000
"""Lines; a longer prompt is annotated in its first line, because a comparison can take quadratic time."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A sentence about lines of the candidate's file.

    Args:
        path: in the repository.
        first, last: 1-based lines, both within the file.
        message: plain text.
    """

    path: str
    first: int
    last: int
    message: str


def annotations(path: str, old: str, new: str, message: str) -> tuple[Annotation, ...]:
    """The changed lines of a prompt, at most `MOST` places, the longest ones first kept; in the order of the file.

    Lines that were only taken out are shown at the line that follows them, or else at the last.

    Args:
        path: of the candidate's file.
        old: the baseline's text; empty for a new prompt.
        new: the candidate's text.
        message: the sentence to put there.
    """
    hunks = list(_hunks(old.splitlines(), new.splitlines()))
    longest = sorted(hunks, key=lambda hunk: hunk[0] - hunk[1])[:MOST]
    return tuple(Annotation(path, first, last, message) for first, last in sorted(longest))


def _hunks(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    count = max(len(new), 1)
    if max(len(old), len(new)) > _LONGEST:
        yield 1, 1
        return
    seen: set[tuple[int, int]] = set()
    for tag, _, _, first, end in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            continue
        hunk = (first + 1, end) if end > first else (min(first + 1, count), min(first + 1, count))
        if hunk not in seen:
            seen.add(hunk)
            yield hunk
