"""Reads the records of runs and shards, which may come from anywhere."""

import re
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from gate.domain.jsonbytes import complaint, parsed
from gate.domain.jsonvalue import JsonValue
from gate.domain.record import RunRecord
from gate.errors import GateError
from gate.store.bounded import read_bounded

Record = TypeVar("Record", bound=BaseModel)

LARGEST = 256 * 1024 * 1024
"""Bytes; a larger file is not one of ours."""
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){1,2}\w{0,20}", re.ASCII)


def load_run(path: Path) -> RunRecord:
    """Read a record.

    Args:
        path: a `run.json`, or the folder that holds one.

    Raises:
        GateError: no such file, not a run, or a run of another version.
    """
    file = path / "run.json" if path.is_dir() else path
    hint = "name a run.json, or a folder that gate diff --out made"
    return read_run(content_of(file, "run", hint, LARGEST), str(file), hint)


def read_run(content: bytes, file: str, hint: str = "send a run.json as the gate wrote it") -> RunRecord:
    """Read the content of a record; see `load_run`.

    Args:
        content: of the file.
        file: its name, for messages.
        hint: what to do about a file that is none.
    """
    return read_record(RunRecord, content, file, "run", hint)


def content_of(file: Path, what: str, hint: str, largest: int) -> bytes:
    """The content of a file that may be anything.

    Args:
        file: to read.
        what: it should be, such as `run`.
        hint: what to do where it cannot be that.
        largest: bytes that it may have.

    Raises:
        GateError: it cannot be read, or is too large.
    """
    try:
        content = read_bounded(file, largest)
    except OSError as error:
        raise GateError(f"cannot read {file}: {error.strerror}", hint) from None
    if content is None:
        raise GateError(f"{file} is larger than {largest // 2**20} MiB, so it is not a {what}", hint)
    return content


def read_record(model: type[Record], content: bytes, file: str, what: str, hint: str) -> Record:
    """A record with a schema, from the content of its file.

    Args:
        model: with the name of its schema as the default of `schema_id`.
        content: of the file.
        file: its name, for messages.
        what: it should be, such as `run`.
        hint: what to do about a file that is none.

    Raises:
        GateError: it is no such record, or another version wrote it.
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
    """What to do where another version wrote the record, whose fields may be others; empty where it was this one."""
    own, wrote = version("prompt-gate"), told.get("tool_version")
    if not isinstance(wrote, str) or not _VERSION.fullmatch(wrote) or wrote == own:
        return ""
    return f"Prompt Gate {wrote} wrote it, and this is {own}: read it with that version"
