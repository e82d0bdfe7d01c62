"""Reads a `run.json` that may come from anywhere."""

import re
from importlib.metadata import version
from pathlib import Path

from pydantic import ValidationError

from gate.domain.jsonvalue import JsonValue
from gate.domain.record import SCHEMA, RunRecord
from gate.errors import GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.store.bounded import read_bounded

LARGEST = 256 * 1024 * 1024
"""Bytes; a larger file is not one of ours."""


def load_run(path: Path) -> RunRecord:
    """Read a record.

    Args:
        path: a `run.json`, or the folder that holds one.

    Raises:
        GateError: no such file, not a run, or a run of another version.
    """
    file = path / "run.json" if path.is_dir() else path
    hint = "name a run.json, or a folder that gate diff --out made"
    try:
        text = read_bounded(file, LARGEST)
    except OSError as error:
        raise GateError(f"cannot read {file}: {error.strerror}", hint) from None
    if text is None:
        raise GateError(f"{file} is larger than {LARGEST // 2**20} MiB, so it is not a run", hint)
    return read_run(text, str(file), hint)


def read_run(content: bytes, file: str, hint: str = "send a run.json as the gate wrote it") -> RunRecord:
    """Read the content of a record; see `load_run`.

    Args:
        content: of the file.
        file: its name, for messages.
        hint: what to do about a file that is none.
    """
    try:
        data = parse_json(content.decode("utf-8"))
    except (BadJson, ValueError) as error:
        raise GateError(f"{file} is not JSON: {error}", hint) from None
    told = data if isinstance(data, dict) else {}
    schema = told.get("schema")
    if not isinstance(schema, str) or not re.fullmatch(r"prompt-gate/run/\d{1,6}", schema):
        raise GateError(f"{file} is not a run: it has no schema {SCHEMA}", hint)
    hint = _other_version(told.get("tool_version")) or hint
    if schema != SCHEMA:
        raise GateError(f"{file} has schema {schema}, and this version reads {SCHEMA}", hint)
    try:
        return RunRecord.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        said = f"{where}: {first['msg']}" if where else first["msg"]
        raise GateError(f"{file} is not a whole run: {said}", hint) from None


def _other_version(wrote: JsonValue) -> str:
    """What to do where another version wrote the record, whose fields may be others; empty where it was this one."""
    own = version("prompt-gate")
    if (
        not isinstance(wrote, str)
        or not re.fullmatch(r"\d{1,6}(\.\d{1,6}){1,2}\w{0,20}", wrote, re.ASCII)
        or wrote == own
    ):
        return ""
    return f"Prompt Gate {wrote} wrote it, and this is {own}: read it with that version"
