"""How much of a file is kept in another one, by git's own measure of renames."""

import re
from collections import Counter
from math import ceil, floor

SIMILAR = 0.5
"""Share of the content from which on git takes one file for the successor of another (`git diff --find-renames`)."""

_CHUNK = re.compile(rb"[^\n]{0,63}+\n|[^\n]{1,64}")


def chunks(data: bytes) -> Counter[bytes]:
    """The lines of a file, long ones in pieces of 64 bytes, each with the number of its bytes in the file.

    Args:
        data: the file; line ends of Windows count as those of Unix, and a last line without an end as one with.
    """
    text = data.replace(b"\r\n", b"\n")
    text += b"\n" if text and not text.endswith(b"\n") else b""
    found: Counter[bytes] = Counter()
    for piece in _CHUNK.findall(text):
        found[piece] += len(piece)
    return found


def similar_sizes(old: Counter[bytes]) -> range:
    """Sizes in bytes outside of which no file is similar, so that it need not be read.

    A byte may be missing at the end of the other file, and its line ends may take twice the room.
    """
    total = old.total()
    return range(max(1, ceil(total * SIMILAR) - 1), floor(total / SIMILAR) * 2 + 1)


def similarity(old: Counter[bytes], new: Counter[bytes]) -> float:
    """The bytes of the chunks that both have, as a share of the larger file, in [0, 1]; 0 where both are empty.

    Source: `diffcore-delta.c` and `estimate_similarity` in `diffcore-rename.c` of git, which hash the chunks first.
    """
    largest = max(old.total(), new.total())
    return (old & new).total() / largest if largest else 0.0
