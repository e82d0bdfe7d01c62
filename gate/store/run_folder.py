"""A run on disk: its folder with record and samples, records read back, and sessions that end with the run."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from gate.errors import GateError
from gate.messages import Message
from gate.record.run import RunRecord
from gate.record.sample import Sample, Words, words_of
from gate.store.files import make_gate_folder, read_bounded
from gate.values import JsonValue, complaint, parsed, written

_PIECE = 1 << 16


@dataclass(slots=True)
class RunFolder:
    """Writes samples as they come and the record at the end; nothing is made on disk before the first sample.

    Args:
        path: made when needed; earlier files of the same names are replaced.
        reports: file name, such as `report.md`, to renderer.
        beside: names of files that others may put there.
    """

    path: Path
    reports: Mapping[str, Callable[[RunRecord], str]]
    beside: tuple[str, ...] = ()
    kept: int = 0
    _samples: BinaryIO | None = field(default=None, init=False)
    _end: int = field(default=0, init=False)

    def sample(self, sample: Sample) -> int:
        """Append one line to `samples.jsonl` and flush it; returns its first byte's position."""
        from gate.store.samples import sample_line

        if self._samples is None:
            make_gate_folder(self.path)
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
        """The texts of the sample whose line begins at a byte."""
        from gate.store.samples import parse_sample

        if self._samples is None:
            with (self.path / "samples.jsonl").open("rb") as file:
                return words_of(parse_sample(_line_at(file, place)))
        # By its own handle: another run in the same folder may have put its samples under that name.
        return words_of(parse_sample(_line_at(self._samples, place)))

    def run(self, run: RunRecord) -> None:
        """Write `run.json` and the reports, each whole or not at all."""
        make_gate_folder(self.path)
        self._reclaim()
        write_whole(self.path / "run.json", dump_run(run))
        for name, render in self.reports.items():
            write_whole(self.path / name, render(run))

    def clear(self) -> None:
        """Remove files with the names of a run's files, from an earlier run or the repository itself."""
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
        """The folder, made where it is missing."""
        make_gate_folder(self.path)
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
    """As `write_whole`, piece by piece; leaves nothing behind where the pieces fail."""
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
    """The line that begins at a byte, without moving the writer's position."""
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


AnyRecord = TypeVar("AnyRecord", bound=BaseModel)

LARGEST_RECORD = 256 * 1024 * 1024
"""Bytes; a larger file is not a record."""
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){1,2}\w{0,20}", re.ASCII)


def load_run(path: Path) -> RunRecord:
    """Read a record.

    Args:
        path: a `run.json`, or its folder.
    """
    file = path / "run.json" if path.is_dir() else path
    hint = "name a run.json, or a folder that gate diff --out made"
    return read_run(content_of(file, "run", hint, LARGEST_RECORD), str(file), hint)


def read_run(content: bytes, file: str, hint: str = "send a run.json as the gate wrote it") -> RunRecord:
    """Read the content of a record; see `load_run`."""
    return read_record(RunRecord, content, file, "run", hint)


def content_of(file: Path, what: str, hint: str, largest: int) -> bytes:
    """The content of a file that may be anything."""
    try:
        content = read_bounded(file, largest)
    except OSError as error:
        raise GateError(f"cannot read {file}: {error.strerror}", hint) from None
    if content is None:
        raise GateError(f"{file} is larger than {largest // 2**20} MiB, so it is not a {what}", hint)
    return content


def read_record(model: type[AnyRecord], content: bytes, file: str, what: str, hint: str) -> AnyRecord:
    """Read a record with a schema.

    Raises:
        GateError: it is not such a record, or is of another version.
    """
    try:
        data = parsed(content)
    except ValueError as error:
        raise GateError(f"{file} {error}", hint) from None
    told = data if isinstance(data, dict) else {}
    expected, schema = str(model.model_fields["schema_id"].default), told.get("schema")
    if not isinstance(schema, str) or not re.fullmatch(rf"prompt-gate/{what}/\d{{1,6}}", schema):
        raise GateError(f"{file} is not a {what}: it has no schema {expected}", hint)
    hint = _other_version(told) or hint
    if schema != expected:
        raise GateError(f"{file} has schema {schema}, and this version reads {expected}", hint)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise GateError(f"{file} is not a whole {what}: {complaint(error)}", hint) from None


def _other_version(told: dict[str, JsonValue]) -> str:
    """The remedy where another version wrote the record; empty where it was this one."""
    own, wrote = version("prompt-gate"), told.get("tool_version")
    if not isinstance(wrote, str) or not _VERSION.fullmatch(wrote) or wrote == own:
        return ""
    return f"Prompt Gate {wrote} wrote it, and this is {own}: read it with that version"


_MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """See `gate.agents.interface.Sessions`."""

    folder: Path

    def save(self, session: str, messages: Sequence[Message]) -> None:
        try:
            make_gate_folder(self.folder)
        except GateError as error:
            raise OSError(0, error.message) from None
        write_whole(self._path(session), written(_MESSAGES, tuple(messages)).decode())

    def load(self, session: str) -> tuple[Message, ...] | None:
        try:
            return _MESSAGES.validate_python(parsed(self._path(session).read_bytes()))
        except (OSError, ValueError):
            return None

    def clear(self) -> None:
        """Remove all sessions."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, session: str) -> Path:
        if not _ID.fullmatch(session):
            raise ValueError(f"{session!r} is no id of a session")
        return self.folder / f"{session}.json"
