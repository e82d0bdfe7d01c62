"""A shard on disk: `shard.json` and `samples.jsonl` in one folder."""

from pathlib import Path

from gate.domain.shard import ShardRecord
from gate.errors import CannotEvaluate, GateError
from gate.store.load import content_of, read_record
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
        GateError: it is not a shard, or one of another version.
    """
    file = folder / NAME
    return read_record(ShardRecord, content_of(file, "shard", HINT, LARGEST), str(file), "shard", HINT)
