"""A shard on disk: `shard.json` and `samples.jsonl` in one folder."""

import re
from pathlib import Path

from pydantic import ValidationError

from gate.domain.shard import SCHEMA, ShardRecord
from gate.errors import CannotEvaluate, GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.store.bounded import read_bounded
from gate.store.run_folder import write_whole

NAME = "shard.json"
LARGEST = 16 * 2**20
"""Bytes; a larger file is not one of ours."""
HINT = "name folders that gate diff --shard made, or the folder that holds them"


def write_shard(folder: Path, record: ShardRecord) -> None:
    """Write `shard.json` into a folder that is there, whole or not at all.

    Raises:
        CannotEvaluate: it cannot be written.
    """
    try:
        write_whole(folder / NAME, record.model_dump_json(by_alias=True, indent=2) + "\n")
    except OSError as error:
        raise CannotEvaluate(f"cannot write {folder / NAME}: {error.strerror}", "name another folder") from None


def shard_folders(path: Path) -> list[Path]:
    """The folder itself where it is a shard, or the shards in it, by name.

    Raises:
        GateError: there is no such folder.
        CannotEvaluate: it holds none.
    """
    if not path.is_dir():
        raise GateError(f"{path} is not a folder", HINT)
    if (path / NAME).exists():
        return [path]
    found = sorted(one for one in path.iterdir() if (one / NAME).is_file())
    if not found:
        raise CannotEvaluate(f"there is no shard in {path}: it holds no {NAME}", f"did every job fail? {HINT}")
    return found


def load_shard(folder: Path) -> ShardRecord:
    """Read `shard.json`.

    Raises:
        GateError: it is not a shard, or one of a newer version.
    """
    file = folder / NAME
    try:
        text = read_bounded(file, LARGEST)
        if text is None:
            raise GateError(f"{file} is larger than {LARGEST // 2**20} MiB, so it is not a shard", HINT)
        data = parse_json(text.decode("utf-8"))
    except OSError as error:
        raise GateError(f"cannot read {file}: {error.strerror}", HINT) from None
    except BadJson as error:
        raise GateError(f"{file} is not JSON: {error.message}", HINT) from None
    except ValueError:
        raise GateError(f"{file} is not UTF-8", HINT) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    match = re.fullmatch(r"prompt-gate/shard/(\d{1,6})", schema) if isinstance(schema, str) else None
    if match is None:
        raise GateError(f"{file} is not a shard: it has no schema {SCHEMA}", HINT)
    if int(match[1]) > int(SCHEMA.rsplit("/", 1)[1]):
        raise GateError(f"{file} has schema {schema}, newer than this version reads ({SCHEMA})", "update Prompt Gate")
    try:
        return ShardRecord.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:100]
        said = f"{where}: {first['msg']}" if where else first["msg"]
        raise GateError(f"{file} is not a whole shard: {said}", HINT) from None
