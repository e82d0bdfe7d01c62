"""A model that comes in parts."""

import hashlib
import os
from pathlib import Path

import pytest

from gate.calls.providers.packaged_model import ModelParts, assemble_model
from gate.errors import GateError

WHOLE = b"GGUF" + b"x" * 3_000_000


@pytest.fixture
def parts(tmp_path: Path) -> ModelParts:
    paths = [tmp_path / f"part{i}" for i in range(3)]
    for i, path in enumerate(paths):
        path.write_bytes(WHOLE[i * 1_100_000 : (i + 1) * 1_100_000])
    return ModelParts(paths, hashlib.sha256(WHOLE).hexdigest(), "m.gguf")


def test_the_parts_become_the_whole_and_nothing_is_left_over(parts: ModelParts, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "cache"
    assert assemble_model(parts, folder).read_bytes() == WHOLE
    assert sorted(path.name for path in folder.iterdir()) == ["m.gguf", "m.gguf.verified"]


def test_a_verified_file_is_used_as_it_is(parts: ModelParts, tmp_path: Path) -> None:
    made = assemble_model(parts, tmp_path / "cache")
    before = made.stat().st_ino
    for path in parts.paths:
        path.unlink()
    assert assemble_model(parts, tmp_path / "cache").stat().st_ino == before


def test_a_file_that_was_tampered_with_is_made_again(parts: ModelParts, tmp_path: Path) -> None:
    made = assemble_model(parts, tmp_path / "cache")
    made.write_bytes(WHOLE[:-1] + b"y")
    os.utime(made, ns=(1, 1))
    assert assemble_model(parts, tmp_path / "cache").read_bytes() == WHOLE


def test_damaged_parts_leave_nothing_behind(parts: ModelParts, tmp_path: Path) -> None:
    parts.paths[1].write_bytes(b"damaged")
    with pytest.raises(GateError, match="SHA-256"):
        assemble_model(parts, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
