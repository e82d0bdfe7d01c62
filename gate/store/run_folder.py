"""A run on disk: `run.json`, `samples.jsonl` and the rendered reports in one folder."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from gate.domain.record import RunRecord
from gate.domain.sample import Sample, Words, words_of
from gate.errors import GateError
from gate.store.own_folder import make_folder

_PIECE = 1 << 16


@dataclass(slots=True)
class RunFolder:
    """Keeps samples as they come and the record at the end; nothing is made on disk before the first sample.

    Args:
        path: the folder; made when it is needed, earlier files of the same names are replaced.
        reports: file name to renderer, such as `report.md`.
        beside: names of files that others may put there.
    """

    path: Path
    reports: Mapping[str, Callable[[RunRecord], str]]
    beside: tuple[str, ...] = ()
    kept: int = 0
    _samples: BinaryIO | None = field(default=None, init=False)
    _end: int = field(default=0, init=False)

    def sample(self, sample: Sample) -> int:
        """Append one line to `samples.jsonl` and flush it.

        Returns:
            Where the line begins, in bytes.
        """
        from gate.store.samples import sample_line

        if self._samples is None:
            make_folder(self.path)
            # Removed and made anew: a link of that name, which a repository may bring, is not followed.
            (self.path / "samples.jsonl").unlink(missing_ok=True)
            self._samples = (self.path / "samples.jsonl").open("x+b")
        line = sample_line(sample)
        place = self._end
        self._samples.write(line)
        self._samples.flush()
        self._end += len(line)
        self.kept += 1
        return place

    def words(self, place: int) -> Words:
        """The texts of the sample whose line begins there."""
        from gate.store.samples import parse_sample

        if self._samples is None:
            with (self.path / "samples.jsonl").open("rb") as file:
                return words_of(parse_sample(_line_at(file, place)))
        # By its own handle: another run in the same folder may have put its samples under that name.
        return words_of(parse_sample(_line_at(self._samples, place)))

    def run(self, run: RunRecord) -> None:
        """Write `run.json` and the reports, each whole or not at all."""
        make_folder(self.path)
        self._reclaim()
        write_whole(self.path / "run.json", dump_run(run))
        for name, render in self.reports.items():
            write_whole(self.path / name, render(run))

    def clear(self) -> None:
        """Remove what an earlier run, or the repository itself, left here under the names of a run's files."""
        for name in ("run.json", "samples.jsonl", *self.reports, *self.beside):
            path = self.path / name
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise GateError(f"cannot remove {path}: {error.strerror}", "name another folder") from None

    def made(self) -> Path:
        """The folder, which is made unless it is there.

        Raises:
            GateError: it cannot be made, or lies behind a link that a repository may have brought.
        """
        make_folder(self.path)
        return self.path

    def close(self) -> None:
        """Close `samples.jsonl`."""
        if self._samples is not None:
            # What a full disk did not take cannot be written now either, and was told when it was not taken.
            with suppress(OSError):
                self._samples.close()
            self._samples = None

    def _reclaim(self) -> None:
        """Put this run's samples beside its record again, where another run in the same folder put its own."""
        if self._samples is None:
            return
        path = self.path / "samples.jsonl"
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._samples.fileno()), path.stat(follow_symlinks=False)):
                return
        write_lines(path, _pieces(self._samples))


def dump_run(run: RunRecord) -> str:
    """The text of `run.json`."""
    return run.model_dump_json(by_alias=True, indent=2) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old or the new one, never a half."""
    write_lines(path, (text,))


def write_lines(path: Path, parts: Iterable[str] | Iterable[bytes]) -> None:
    """The same, piece by piece; nothing is left behind where the pieces come to no end."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.writelines(part.encode(errors="replace") if isinstance(part, str) else part for part in parts)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _line_at(file: BinaryIO, place: int) -> bytes:
    """The line that begins there, whatever the position of whoever writes the file."""
    line = b""
    for piece in _pieces(file, place):
        line += piece
        if b"\n" in piece:
            break
    return line.partition(b"\n")[0]


def _pieces(file: BinaryIO, place: int = 0) -> Iterator[bytes]:
    while piece := os.pread(file.fileno(), _PIECE, place):
        yield piece
        place += len(piece)
