"""`samples.jsonl`: one sample a line, schema `prompt-gate/sample/1`; what is read back may come from anywhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from gate.domain.jsonbytes import complaint, parsed, written
from gate.domain.sample import Sample

SCHEMA = "prompt-gate/sample/1"
SAMPLES: TypeAdapter[Sample] = TypeAdapter(Sample)
LONGEST_LINE = 64 * 2**20
"""Bytes of one sample; a longer line is not one of ours."""


class BadSample(Exception):
    """A line that is not a sample; the text says why, in one line."""


def sample_line(sample: Sample) -> bytes:
    """One line of `samples.jsonl`, with its line break."""
    return b'{"schema":"%s",%s\n' % (SCHEMA.encode(), written(SAMPLES, sample)[1:])


def parse_sample(line: bytes) -> Sample:
    """Read one line of `samples.jsonl`.

    Raises:
        BadSample: it is not JSON, or not a sample as `sample_line` writes it.
    """
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
        return SAMPLES.validate_python(data)
    except ValidationError as error:
        raise BadSample(f"is not a sample: {complaint(error)}") from None


def sample_schema() -> dict[str, Any]:
    """The JSON Schema of one line of `samples.jsonl`."""
    found = SAMPLES.json_schema(mode="serialization")
    found["properties"] = {"schema": {"const": SCHEMA}, **found["properties"]}
    found["required"] = ["schema", *found["required"]]
    return {**found, "title": "a line of samples.jsonl"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    Args:
        number: from 1.
        start: its first byte.
        data: with its line break, where it has one.
    """

    number: int
    start: int
    data: bytes

    @property
    def torn(self) -> bool:
        """It has no end: whoever wrote it was stopped."""
        return not self.data.endswith(b"\n")


def lines(path: Path) -> Iterator[Line]:
    """The lines of a file, one in memory at a time.

    Raises:
        BadSample: a line that is too long to be a sample; nothing after it is read.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        yield from lines_of(file)


def lines_of(file: BinaryIO) -> Iterator[Line]:
    """The lines of a file that is open; see `lines`."""
    number = start = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(data) > LONGEST_LINE:
            raise BadSample(f"line {number} is longer than {LONGEST_LINE // 2**20} MiB")
        yield Line(number, start, data)
        start += len(data)


def sample_at(file: BinaryIO, start: int) -> Sample:
    """The sample whose line begins at a byte that `lines` has named.

    Raises:
        BadSample: there is no sample any more.
    """
    file.seek(start)
    return parse_sample(file.readline(LONGEST_LINE + 1))
