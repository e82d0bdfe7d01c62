"""A run as a form of several parts, read from the disk while it is sent."""

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from gate.errors import GateError

_BLOCK = 2**18
_File: TypeAlias = tuple[Path, int]


@dataclass(frozen=True, slots=True)
class RunParcel:
    """What is sent; each time that it is iterated over, it is read anew.

    Args:
        head: what stands in front of each file, and that file with its size.
        tail: what stands at the end.
        edge: between the parts.
        shown: is told how many bytes of how many were read.
    """

    head: tuple[tuple[bytes, _File], ...]
    tail: bytes
    edge: str
    shown: Callable[[int, int], None]

    @classmethod
    def of(cls, run: Path, samples: Path | None, origin: str, shown: Callable[[int, int], None]) -> "RunParcel":
        """A run and what lies beside it.

        Args:
            run: `run.json`.
            samples: `samples.jsonl`; None without them.
            origin: where the run comes from, in JSON.
            shown: is told how many bytes of how many were read.
        """
        edge = secrets.token_hex(16)
        named = {"run": run} | ({} if samples is None else {"samples": samples})
        start = f'--{edge}\r\ncontent-disposition: form-data; name="origin"\r\n\r\n{origin}\r\n'
        head = []
        for name, path in named.items():
            kind = f'content-disposition: form-data; name="{name}"; filename="{name}"'
            head.append((f"{start}--{edge}\r\n{kind}\r\n\r\n".encode(), (path, _size(path))))
            start = "\r\n"
        return cls(tuple(head), f"\r\n--{edge}--\r\n".encode(), edge, shown)

    @property
    def kind(self) -> str:
        """The media type."""
        return f"multipart/form-data; boundary={self.edge}"

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(len(head) + size for head, (_, size) in self.head) + len(self.tail)

    def __iter__(self) -> Iterator[bytes]:
        done, whole = 0, self.size
        for head, file in self.head:
            yield head
            for block in _blocks(*file):
                yield block
                done += len(block)
                self.shown(done, whole)
        yield self.tail


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}") from None


def _blocks(path: Path, size: int) -> Iterator[bytes]:
    """So many bytes of a file: it was said how long it is."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != size:
                raise GateError(f"{path} changed while it was sent", "repeat when the run is finished")
            while block := file.read(min(_BLOCK, size)):
                size -= len(block)
                yield block
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}") from None
    if size:
        raise GateError(f"{path} changed while it was sent", "repeat when the run is finished")
