"""How much of a file is kept in another one, by git's own measure of renames."""

import re
from collections import Counter
from math import ceil, floor

SIMILAR = 0.5
"""Share of the content from which on git takes one file for the successor of another (`git diff --find-renames`)."""

_BLANKS = b" \t\r"
_CHUNK = re.compile(rb"[^\n]{0,63}+\n|[^\n]{1,64}")


def chunks(data: bytes) -> Counter[bytes]:
    """The lines of a file, long ones in pieces of 64 bytes, each with the number of its bytes in the file.

    Args:
        data: the file; blanks at the end of a line count for nothing, nor does whether lines end as on Windows, or
            whether the last one ends at all.
    """
    text = b"\n".join(line.rstrip(_BLANKS) for line in data.split(b"\n"))
    text += b"\n" if text and not text.endswith(b"\n") else b""
    found: Counter[bytes] = Counter()
    for piece in _CHUNK.findall(text):
        found[piece] += len(piece)
    return found


def similar_sizes(old: Counter[bytes]) -> range:
    """Sizes in bytes outside of which no file is similar, so that it need not be read.

    A byte may be missing at the end of the other file, and its line ends, with the blanks before them, may take as much
    room again. Where they take more, the other file is not looked at: it would be a way to have anything read.
    """
    total = old.total()
    return range(max(1, ceil(total * SIMILAR) - 1), floor(total / SIMILAR) * 2 + 1)


def similarity(old: Counter[bytes], new: Counter[bytes]) -> float:
    """The bytes of the chunks that both have, as a share of the larger file, in [0, 1]; 0 where both are empty.

    Source: `diffcore-delta.c` and `estimate_similarity` in `diffcore-rename.c` of git, which hash the chunks first.
    Unlike git's, lines count without the blanks at their ends (as in `git diff --ignore-space-at-eol`).
    """
    largest = max(old.total(), new.total())
    return (old & new).total() / largest if largest else 0.0
