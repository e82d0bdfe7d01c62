"""Reads and writes `samples.jsonl`: one sample a line, schema `prompt-gate/sample/1`; input is not trusted."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from gate.config.documents import one_problem
from gate.errors import GateError
from gate.record.sample import ArmName, Sample
from gate.values import complaint, parsed, written

SCHEMA = "prompt-gate/sample/1"
SAMPLE_ADAPTER: TypeAdapter[Sample] = TypeAdapter(Sample)
LONGEST_LINE = 64 * 2**20
"""Bytes of one sample; a longer line is refused."""


class BadSample(Exception):
    """A line that is not a sample; the text says why, in one line."""


def sample_line(sample: Sample) -> bytes:
    """One line of `samples.jsonl`, with its line break."""
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
        """Has it no end, since its writer was stopped?"""
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
    """The sample whose line begins at a byte from `sample_lines`."""
    file.seek(start)
    return parse_sample(file.readline(LONGEST_LINE + 1))


SAMPLES_FILE = "samples.jsonl"


def samples_of(folder: Path) -> Iterator[Sample]:
    """Every sample, in the order in which they were finished; one in memory at a time.

    A last line without an end is ignored: its writer was stopped.
    """
    path = folder / SAMPLES_FILE
    hint = "name the folder that gate diff --out, or gate check --out, made"
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


def seconds_of(folder: Path) -> dict[tuple[str, str], float]:
    """Seconds of the candidate's answers, summed over the samples of each suite and case.

    Unusable lines, or no file at all, are ignored: no decision depends on the times.
    """
    found: dict[tuple[str, str], float] = defaultdict(float)
    with suppress(OSError, BadSample):
        for line in sample_lines(folder / SAMPLES_FILE):
            with suppress(ValueError, KeyError, TypeError, RecursionError):
                row = json.loads(line.data)
                took = row["reply"]["latency_s"]
                if row["arm"] == "candidate" and isinstance(took, float) and 0.0 <= took < 1e9:
                    found[str(row["suite"]), str(row["case"])] += took
    return dict(found)


@dataclass(frozen=True, slots=True)
class CaseSamples:
    """Samples of one case.

    Args:
        trouble: why some may be missing, in one sentence; empty otherwise.
    """

    samples: tuple[Sample, ...] = ()
    trouble: str = ""


def samples_beside(run: Path, suite: str, case: str) -> CaseSamples:
    """Read the samples of a case; lines of other cases are not parsed."""
    file = (run if run.is_dir() else run.parent) / SAMPLES_FILE
    # As the run wrote it: as it is, or with escapes.
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
                # The last line of a run that was killed has no end.
                bad += not line.torn
                continue
            if (sample.suite, sample.case_id) == (suite, case):
                found[sample.arm, sample.index] = sample
    except (BadSample, OSError) as error:
        why = str(error) if isinstance(error, BadSample) else error.strerror or "unknown reason"
        return CaseSamples(_ordered(found), f"{file} cannot be read to its end: {why}.")
    trouble = f"{bad:,} of the lines of {file} that name this case are no samples." if bad else ""
    return CaseSamples(_ordered(found), trouble)


def _ordered(found: dict[tuple[ArmName, int], Sample]) -> tuple[Sample, ...]:
    arms = list(ArmName)
    return tuple(found[key] for key in sorted(found, key=lambda key: (key[1], arms.index(key[0]))))
