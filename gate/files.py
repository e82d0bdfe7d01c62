"""Reads files up to a limit, writes them whole or not at all, and knows the gate's own folder."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from gate.errors import GateError


def read_bounded(path: Path, most: int) -> bytes | None:
    """The bytes of a file; None where they are more than `most`."""
    if path.stat().st_size > most:
        return None
    parts, left = list[bytes](), most + 1
    with path.open("rb") as file:
        while left and (part := file.read(min(2**24, left))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts) if left else None


GATE_FOLDER = ".gate"

STORE_FILE = Path(GATE_FOLDER) / "gate.db"

CACHE_FOLDER = Path(GATE_FOLDER) / "cache"
"""Where answers are kept from run to run."""


def make_gate_folder(path: Path) -> None:
    """Make a folder, and keep it out of git if it is `.gate` or inside it."""
    home = path if path.name == GATE_FOLDER else path.parent
    own = home.name == GATE_FOLDER
    if own and (path.is_symlink() or home.is_symlink()):
        raise GateError(f"{path} lies behind a symbolic link", "remove the link, or name a folder with --out")
    try:
        path.mkdir(parents=True, exist_ok=True)
        ignored = home / ".gitignore"
        if own and not ignored.is_file():
            # Runs hold model outputs; they are not for the repository unless somebody decides so.
            ignored.unlink(missing_ok=True)
            with ignored.open("x", encoding="utf-8") as file:
                file.write("*\n")
    except OSError as error:
        raise GateError(f"cannot write to {path}: {error.strerror}", "name another folder with --out") from None


_HINT = "name another place with --out"


def write_new(path: Path, text: str) -> None:
    """Write a new file, whole or not at all."""
    write_all_new({path: text})


def write_all_new(texts: Mapping[Path, str]) -> None:
    """Write several new files, or none where one is in the way; see `write_new`."""
    for path in texts:
        _check_way(path)
        if os.path.lexists(path):
            raise GateError(f"{path} is there already, and nothing is overwritten", f"remove it, or {_HINT}")
    written: list[Path] = []
    try:
        for path, text in texts.items():
            _link(path, text)
            written.append(path)
    except (GateError, KeyboardInterrupt):
        for path in written:
            path.unlink(missing_ok=True)
        raise


def rewrite(path: Path, text: str) -> None:
    """Replace the text of a file, whole or not at all; its rights stay."""
    rewrite_all({path: text})


def rewrite_all(texts: Mapping[Path, str]) -> None:
    """Replace the texts of several files; all are on the disk before the first file is replaced. See `rewrite`."""
    for path in texts:
        _check_way(path)
        if path.is_symlink() or not path.is_file():
            raise GateError(f"{path} is no plain file", "name the file itself")
    made: dict[Path, Path] = {}
    path = Path()
    try:
        for path, text in texts.items():
            made[path] = _beside(path, text.encode("utf-8"))
            made[path].chmod(path.stat().st_mode & 0o7777)
        for path, new in made.items():
            new.replace(path)
    except OSError as error:
        raise GateError(f"cannot write to {error.filename2 or path}: {error.strerror}", "check its rights") from None
    except UnicodeEncodeError:
        raise GateError(f"cannot write to {path}: its new text is no Unicode", "look at the prompt's words") from None
    finally:
        for new in made.values():
            new.unlink(missing_ok=True)


def _check_way(path: Path) -> None:
    """Refuse a link on the way, which a repository may have brought; an absolute path was named by the user."""
    if path.is_absolute():
        return
    for folder in path.parents:
        if folder.is_symlink():
            raise GateError(f"{path} lies behind the symbolic link {folder}", f"remove the link, or {_HINT}")


def _link(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = _beside(path, text.encode("utf-8"))
        try:
            new.chmod(0o666 & ~_umask())
            os.link(new, path, follow_symlinks=False)  # unlike a rename this fails where something is in the way
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise GateError(f"cannot write to {path}: {error.strerror}", _HINT) from None


def _beside(path: Path, data: bytes) -> Path:
    """A temporary file with the data, in the same folder."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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
