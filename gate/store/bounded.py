"""Reads files whose size their names do not tell: a repository may bring a link to a device that never ends."""

from pathlib import Path


def read_bounded(path: Path, most: int) -> bytes | None:
    """The bytes of a file; None where they are more than `most`.

    Args:
        path: of a file, a pipe or a device.
        most: bytes that are read at most, and one.

    Raises:
        OSError: it cannot be read.
    """
    if path.stat().st_size > most:
        return None
    parts, left = list[bytes](), most + 1
    with path.open("rb") as file:
        while left and (part := file.read(min(2**24, left))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts) if left else None
