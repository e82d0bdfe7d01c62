"""Paths in configuration, reading up to a limit, writing whole or not at all, and the gate's own folder."""

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from gate.errors import GateError
from gate.limits import PATH_CHARS


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
"""Folder of the answers that later runs reuse."""


def make_private_folder(path: Path) -> None:
    """Make a folder and its parents, which only their owner can open. Existing ones keep their rights."""
    for folder in (*reversed(path.parents), path):
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Make an empty file that only its owner can read. An existing one keeps its rights.

    Whoever opens the file reports what is wrong with its place.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def make_gate_folder(path: Path) -> None:
    """Make a folder. If it is `.gate` or inside it, only the owner can open it, and git ignores it."""
    home = path if path.name == GATE_FOLDER else path.parent
    own = home.name == GATE_FOLDER
    if own and (path.is_symlink() or home.is_symlink()):
        raise GateError(f"the path {path} contains a symbolic link", "remove the link, or set a folder with --out")
    try:
        if own:
            make_private_folder(path)
        else:
            path.mkdir(parents=True, exist_ok=True)
        ignored = home / ".gitignore"
        if own and not ignored.is_file():
            # Runs hold model outputs; they are not for the repository unless somebody decides so.
            ignored.unlink(missing_ok=True)
            with ignored.open("x", encoding="utf-8") as file:
                file.write("*\n")
    except OSError as error:
        raise GateError(f"cannot write to {path}: {error.strerror}", "set another folder with --out") from None


_HINT = "set another path with --out"


def write_new(path: Path, text: str) -> None:
    """Write a new file, whole or not at all."""
    write_all_new({path: text})


def write_all_new(texts: Mapping[Path, str]) -> None:
    """Write several new files, or none where one is in the way; see `write_new`."""
    for path in texts:
        _check_way(path)
        if os.path.lexists(path):
            raise GateError(f"{path} already exists and is not overwritten", f"remove it, or {_HINT}")
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
            raise GateError(f"{path} is not a regular file", "use the path of the file itself")
    made: dict[Path, Path] = {}
    path = Path()
    try:
        for path, text in texts.items():
            made[path] = _beside(path, (text.encode("utf-8"),))
            made[path].chmod(path.stat().st_mode & 0o7777)
        for path, new in made.items():
            new.replace(path)
    except OSError as error:
        raise GateError(
            f"cannot write to {error.filename2 or path}: {error.strerror}", "check its permissions"
        ) from None
    except UnicodeEncodeError:
        raise GateError(
            f"cannot write to {path}: its new text is not valid Unicode",
            "remove the characters that are not valid Unicode",
        ) from None
    finally:
        for new in made.values():
            new.unlink(missing_ok=True)


def _check_way(path: Path) -> None:
    """Refuse a link in the path, which a repository may contain; an absolute path comes from the user."""
    if path.is_absolute():
        return
    for folder in path.parents:
        if folder.is_symlink():
            raise GateError(f"the path {path} contains the symbolic link {folder}", f"remove the link, or {_HINT}")


def _link(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = _beside(path, (text.encode("utf-8"),))
        try:
            new.chmod(0o666 & ~_umask())
            os.link(new, path, follow_symlinks=False)  # unlike a rename this fails where something is in the way
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise GateError(f"cannot write to {path}: {error.strerror}", _HINT) from None


def _beside(path: Path, parts: Iterable[bytes], *, sync: bool = True) -> Path:
    """A temporary file with the data, in the same folder; nothing is left behind where the parts fail."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with open(handle, "wb") as file:
            file.writelines(parts)
            if sync:
                file.flush()
                os.fsync(file.fileno())
    except BaseException:
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


def write_lines(path: Path, parts: Iterable[str] | Iterable[bytes], *, sync: bool = False) -> None:
    """As `write_whole`, piece by piece; leaves nothing behind where the pieces fail.

    Args:
        sync: return only when all is on the disk.
    """
    data = (part.encode(errors="replace") if isinstance(part, str) else part for part in parts)
    new = _beside(path, data, sync=sync)
    try:
        new.chmod(0o644)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


_DRIVE = re.compile(r"[A-Za-z]:")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ ignores in names; git also refuses them in `.git`."""

_GIT = re.compile(r"(?i)(?:\.git|git~1)[. ]*(?::.*)?")
"""git's own folder under all its names: NTFS drops dots and blanks at the end, and knows short names and streams."""


def escapes(path: str) -> str:
    """Why a path may not be read from a repository; empty when it may."""
    if not path or path == ".":
        return "is empty"
    if "\0" in path:
        return "contains a NUL character"
    if path.startswith("/"):
        return "is absolute"
    parts = path.split("/")
    if ".." in parts:
        return "leaves the repository ('..')"
    if any(_GIT.fullmatch(_IGNORED.sub("", part)) for part in parts):
        return "is inside .git"
    return ""


def path_complaint(path: str) -> str:
    """Why a path in configuration is refused; empty when it is fine. Stricter than `escapes`."""
    if len(path) > PATH_CHARS:
        return f"is longer than {PATH_CHARS:,} characters"
    if _DRIVE.match(path):
        return "is absolute"
    if "\\" in path:
        return "contains a backslash (write '/')"
    if _CONTROL.search(path):
        return "contains a control character"
    return escapes(path)


def normal(path: str) -> str:
    """The path as git names it: no `./`, no doubled slashes."""
    return str(PurePosixPath(path))


def is_glob(path: str) -> bool:
    """The path is a pattern that may match several files; a text inside a file (`path::NAME`) is none."""
    return "::" not in path and any(char in path for char in "*?[")


def literal_folder(pattern: str) -> str:
    """The folder of all files that match a pattern; empty for the root."""
    parts = PurePosixPath(pattern).parts
    fixed = next((place for place, part in enumerate(parts) if is_glob(part)), len(parts) - 1)
    return "/".join(parts[:fixed])


def matches(path: str, pattern: str) -> bool:
    """Does a path match a pattern?

    `*`, `?` and `[…]` stay within one folder, `**` matches any folders, and names that start with a dot only match
    a pattern that does. A name matches itself, so that `app/[locale]/*.md` also has the files of that folder.
    """
    return _matched(path.split("/"), pattern.split("/"))[-1]


def may_hold(folder: str, pattern: str) -> bool:
    """Could something in a folder match a pattern?"""
    return any(_matched(folder.split("/"), pattern.split("/"))[:-1])


def _matched(names: list[str], patterns: list[str]) -> list[bool]:
    """After each part of the pattern: can the parts so far match all the names?"""
    found = []
    # reached[i]: the patterns so far can match the first i names.
    reached = [True] + [False] * len(names)
    for pattern in patterns:
        following = [False] * (len(names) + 1)
        for index, yes in enumerate(reached):
            if pattern == "**":
                dotted = index > 0 and names[index - 1].startswith(".")
                following[index] = yes or (index > 0 and following[index - 1] and not dotted)
            elif yes and index < len(names):
                following[index + 1] = _segment(names[index], pattern)
        reached = following
        found.append(reached[-1])
    return found


def _segment(name: str, pattern: str) -> bool:
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return name == pattern or fnmatchcase(name, pattern)
