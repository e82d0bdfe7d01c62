"""A run on disk: writing its folder, and reading records and samples."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from gate.config.documents import one_problem
from gate.errors import GateError
from gate.files import make_gate_folder, read_bounded, write_lines, write_whole
from gate.record.run import RunRecord
from gate.record.transcript import ArmName, Sample
from gate.values import JsonValue, complaint, parsed, written

if TYPE_CHECKING:
    from gate.engine.samples import SampleTable

SCHEMA = "prompt-gate/sample/1"

SAMPLE_ADAPTER: TypeAdapter[Sample] = TypeAdapter(Sample)

LONGEST_LINE = 64 * 2**20
"""Bytes of one sample; a longer line is refused."""


class BadSample(Exception):
    """A line that is not a sample; the text is the reason, on one line."""


def sample_line(sample: Sample) -> bytes:
    """The line of a sample in `samples.jsonl`, with its line break."""
    return b'{"schema":"%s",%s\n' % (SCHEMA.encode(), written(SAMPLE_ADAPTER, sample)[1:])


def parse_sample(line: bytes) -> Sample:
    """Read one line of `samples.jsonl`."""
    try:
        data = parsed(line)
    except ValueError as error:
        raise BadSample(str(error)) from None
    schema = data.pop("schema", None) if isinstance(data, dict) else None
    if schema != SCHEMA:
        if isinstance(schema, str) and schema.startswith(SCHEMA[:-1]):
            raise BadSample(f"has schema {schema[:40]}, and this version reads {SCHEMA}")
        raise BadSample(f"is not a sample: it has no schema {SCHEMA}")
    try:
        return SAMPLE_ADAPTER.validate_python(data)
    except ValidationError as error:
        raise BadSample(f"is not a sample: {complaint(error)}") from None


def sample_schema() -> dict[str, Any]:
    """The JSON Schema of one line of `samples.jsonl`."""
    found = SAMPLE_ADAPTER.json_schema(mode="serialization")
    found["properties"] = {"schema": {"const": SCHEMA}, **found["properties"]}
    found["required"] = ["schema", *found["required"]]
    return {**found, "title": "a line of samples.jsonl"}


@dataclass(frozen=True, slots=True)
class SampleLine:
    """One line of a file."""

    number: int
    start: int
    data: bytes

    @property
    def torn(self) -> bool:
        """Is the line incomplete, because its writer was stopped?"""
        return not self.data.endswith(b"\n")


def sample_lines(path: Path) -> Iterator[SampleLine]:
    """The lines of a file, one in memory at a time."""
    with path.open("rb") as file:
        yield from sample_lines_of(file)


def sample_lines_of(file: BinaryIO) -> Iterator[SampleLine]:
    """The lines of an open file; see `sample_lines`."""
    number = start = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(data) > LONGEST_LINE:
            raise BadSample(f"line {number} is longer than {LONGEST_LINE // 2**20} MiB")
        yield SampleLine(number, start, data)
        start += len(data)


def sample_at(file: BinaryIO, start: int) -> Sample:
    """The sample at `SampleLine.start`."""
    file.seek(start)
    return parse_sample(file.readline(LONGEST_LINE + 1))


SAMPLES_FILE = "samples.jsonl"


def samples_of(folder: Path) -> Iterator[Sample]:
    """All samples in the order of completion, one in memory at a time.

    An incomplete last line is ignored: its writer was stopped.
    """
    path = folder / SAMPLES_FILE
    hint = "give the folder of a run: the --out of gate diff or gate check"
    try:
        for line in sample_lines(path):
            if line.torn:
                return
            try:
                yield parse_sample(line.data)
            except BadSample as bad:
                raise one_problem(str(path), line.number, str(bad), hint) from None
    except BadSample as bad:
        raise one_problem(str(path), 0, str(bad), hint) from None
    except OSError as error:
        raise GateError(f"cannot read {path}: {error.strerror}", hint) from None


def saved_samples(folder: Path) -> "SampleTable | None":
    """The samples in a folder, up to the first bad line; None where there are none."""
    path = folder / SAMPLES_FILE
    if not path.is_file():
        return None
    # Not loaded by a run that evaluates nothing.
    from gate.engine.samples import SampleTable

    def read(place: int) -> Sample:
        with path.open("rb") as file:
            return parse_sample(_line_at(file, place))

    samples = SampleTable(read)
    with suppress(OSError, BadSample):
        for line in sample_lines(path):
            if not line.torn:
                samples.add(parse_sample(line.data), line.start)
    return samples


@dataclass(frozen=True, slots=True)
class CaseSamples:
    """Samples of one case.

    Args:
        trouble: why samples may be missing, in one sentence; else empty.
    """

    samples: tuple[Sample, ...] = ()
    trouble: str = ""


def samples_beside(run: Path, suite: str, case: str) -> CaseSamples:
    """Read the samples of a case; lines of other cases are not parsed."""
    file = (run if run.is_dir() else run.parent) / SAMPLES_FILE
    # The run may have written the name with or without escapes.
    wanted = {json.dumps(case, ensure_ascii=flag).encode(errors="backslashreplace") for flag in (False, True)}
    found: dict[tuple[ArmName, int], Sample] = {}
    bad = 0
    try:
        if not file.is_file():
            return CaseSamples()
        for line in sample_lines(file):
            if not any(name in line.data for name in wanted):
                continue
            try:
                sample = parse_sample(line.data)
            except BadSample:
                # The last line of a killed run may be incomplete.
                bad += not line.torn
                continue
            if (sample.suite, sample.case_id) == (suite, case):
                found[sample.arm, sample.index] = sample
    except (BadSample, OSError) as error:
        why = str(error) if isinstance(error, BadSample) else error.strerror or "unknown reason"
        return CaseSamples(_ordered(found), f"{file} cannot be read completely: {why}.")
    trouble = f"{bad:,} of the lines of {file} about this case are not samples." if bad else ""
    return CaseSamples(_ordered(found), trouble)


def _ordered(found: dict[tuple[ArmName, int], Sample]) -> tuple[Sample, ...]:
    arms = list(ArmName)
    return tuple(found[key] for key in sorted(found, key=lambda key: (key[1], arms.index(key[0]))))


_PIECE = 1 << 16


@dataclass(slots=True)
class RunFolder:
    """Writes samples immediately and the record at the end; creates nothing before the first sample.

    Args:
        path: created when needed; existing files with the same names are replaced.
        reports: file name, such as `report.md`, to renderer.
        beside: names of files that other code may write there.
    """

    path: Path
    reports: Mapping[str, Callable[[RunRecord], str]]
    beside: tuple[str, ...] = ()
    kept: int = 0
    samples: "SampleTable | None" = field(default=None, init=False)
    _samples: BinaryIO | None = field(default=None, init=False)
    _end: int = field(default=0, init=False)

    def sample(self, sample: Sample) -> int:
        """Append one line to `samples.jsonl` and flush it; returns the position of its first byte."""

        if self._samples is None:
            make_gate_folder(self.path)
            # Delete it first, so that a link of that name in the repository is not followed.
            (self.path / SAMPLES_FILE).unlink(missing_ok=True)
            self._samples = (self.path / SAMPLES_FILE).open("x+b")
        line = sample_line(sample)
        place = self._end
        self._samples.write(line)
        self._samples.flush()
        self._end += len(line)
        self.kept += 1
        return place

    def read(self, place: int) -> Sample:
        """The sample at a position from `sample`."""
        if self._samples is None:
            with (self.path / SAMPLES_FILE).open("rb") as file:
                return parse_sample(_line_at(file, place))
        # Use the open file: another run in the same folder may have replaced the file of that name.
        return parse_sample(_line_at(self._samples, place))

    def saved(self) -> "SampleTable | None":
        """The samples of the run, or else those that are in the folder."""
        return saved_samples(self.path) if self.samples is None else self.samples

    def run(self, run: RunRecord, samples: "SampleTable | None" = None) -> None:
        """Write `run.json` and the reports, each atomically."""
        self.samples = samples
        make_gate_folder(self.path)
        self._reclaim()
        write_whole(self.path / "run.json", dump_run(run))
        for name, render in self.reports.items():
            write_whole(self.path / name, render(run))

    def clear(self) -> None:
        """Remove files with the names of a run's files, of an earlier run or in the repository."""
        for name in ("run.json", SAMPLES_FILE, *self.reports, *self.beside):
            path = self.path / name
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise GateError(f"cannot remove {path}: {error.strerror}", "give another folder") from None

    def made(self) -> Path:
        """The folder, created if missing."""
        make_gate_folder(self.path)
        return self.path

    def close(self) -> None:
        """Close `samples.jsonl`, ignoring errors of the disk."""
        if self._samples is not None:
            # On a full disk the write fails again; the error was already reported.
            with suppress(OSError):
                self._samples.close()
            self._samples = None

    def _reclaim(self) -> None:
        """Restore this run's `samples.jsonl`, if another run in the same folder replaced it."""
        if self._samples is None:
            return
        path = self.path / SAMPLES_FILE
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._samples.fileno()), path.stat(follow_symlinks=False)):
                return
        write_lines(path, _pieces(self._samples))


def dump_run(run: RunRecord) -> str:
    """The text of `run.json`."""
    return run.model_dump_json(by_alias=True, indent=2) + "\n"


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
    hint = "give a run.json or the folder of a run; gate diff writes one to .gate/last"
    return read_run(content_of(file, "run", hint, LARGEST_RECORD), str(file), hint)


def read_run(content: bytes, file: str, hint: str = "send the run.json unchanged") -> RunRecord:
    """Read the content of a record; see `load_run`."""
    return read_record(RunRecord, content, file, "run", hint)


def content_of(file: Path, what: str, hint: str, largest: int) -> bytes:
    """The content of an untrusted file, up to a size limit."""
    try:
        content = read_bounded(file, largest)
    except OSError as error:
        raise GateError(f"cannot read {file}: {error.strerror}", hint) from None
    if content is None:
        raise GateError(f"{file} is larger than {largest // 2**20} MiB, so it is not a {what}", hint)
    return content


def read_record(model: type[AnyRecord], content: bytes, file: str, what: str, hint: str) -> AnyRecord:
    """Read a versioned record.

    Raises:
        GateError: the content is not such a record, or of another version.
    """
    try:
        data = parsed(content)
    except ValueError as error:
        raise GateError(f"{file} {error}", hint) from None
    entries = data if isinstance(data, dict) else {}
    expected, schema = str(model.model_fields["schema_id"].default), entries.get("schema")
    if not isinstance(schema, str) or not re.fullmatch(rf"prompt-gate/{what}/\d{{1,6}}", schema):
        raise GateError(f"{file} is not a {what}: it has no schema {expected}", hint)
    hint = _other_version(entries) or hint
    if schema != expected:
        raise GateError(f"{file} has schema {schema}, and this version reads {expected}", hint)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise GateError(f"{file} is not a complete {what}: {complaint(error)}", hint) from None


def _other_version(entries: dict[str, JsonValue]) -> str:
    """A hint if another version wrote the record; else empty."""
    own, wrote = version("prompt-gate"), entries.get("tool_version")
    if not isinstance(wrote, str) or not _VERSION.fullmatch(wrote) or wrote == own:
        return ""
    return f"Prompt Gate {wrote} wrote it, and this is {own}: read it with that version"
