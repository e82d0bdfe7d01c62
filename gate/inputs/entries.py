"""One file of a commit's tree, and the rules that every source of files keeps: which paths, which kinds, how large."""

import hashlib
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from gate.inputs.limits import FILE_BYTES
from gate.inputs.paths import escapes, matches, may_hold, normal
from gate.inputs.problems import one_problem, quoted

FOLDER, LINK, SUBMODULE = "040000", "120000", "160000"
_KINDS = {LINK: "is a symbolic link", SUBMODULE: "is a submodule", FOLDER: "is a folder"}
_REMEDIES = {
    LINK: "put the file itself there, or name the file that the link leads to",
    SUBMODULE: "keep the file in this repository, and name it there",
    FOLDER: "name the file itself",
}
_WAYS = {LINK: "lies behind the symbolic link", SUBMODULE: "lies in the submodule"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a git tree.

    Args:
        mode: six octal digits, as git has them.
        oid: object id.
        size: bytes; 0 for what is no blob, and where nobody asked for it.
        path: from the root of the repository.
    """

    mode: str
    oid: str
    size: int
    path: str

    @classmethod
    def root(cls, oid: str) -> "Entry":
        """The whole tree."""
        return cls(FOLDER, oid, 0, "")

    @property
    def plain(self) -> bool:
        """A file, and no link, submodule or folder."""
        return self.mode not in _KINDS

    @property
    def folder(self) -> bool:
        """A tree."""
        return self.mode == FOLDER

    def below(self, folder: str) -> "Entry":
        """The same entry with its path from the root.

        Args:
            folder: what its path was relative to; empty for the root.
        """
        return replace(self, path=f"{folder}/{self.path}") if folder else self

    @property
    def fingerprint(self) -> str:
        """Equal for equal content of equal kind, in every clone of the repository."""
        return f"{self.mode}:{self.oid}"

    def check(self, place: str) -> None:
        """Refuse what is not a plain file of bounded size.

        Args:
            place: how the file is named to the user.

        Raises:
            InputErrors: it is something else.
        """
        if not self.plain:
            raise one_problem(place, 0, _KINDS[self.mode], _REMEDIES[self.mode])
        if self.size > FILE_BYTES:
            too_large(place)


def folders(path: str) -> list[str]:
    """The folders on the way to a path, outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def check_way(place: str, way: Iterable[tuple[str, str]]) -> None:
    """Refuse a path on whose way something else than folders lies: no commit has such a file.

    Args:
        place: how the file is named to the user.
        way: mode and path of what lies there.

    Raises:
        InputErrors: a symbolic link, or a submodule.
    """
    for mode, path in way:
        if mode in _WAYS:
            message = f"{_WAYS[mode]} {quoted(path)}, which the gate does not read"
            raise one_problem(place, 0, message, "keep the file itself in this repository, and name it there")


def checked(path: str) -> str:
    """The path as git names it.

    Raises:
        InputErrors: it leaves the repository.
    """
    if reason := escapes(path):
        raise one_problem(path, 0, f"the path {quoted(path)} {reason}", "name a file inside the repository")
    return normal(path)


def matching(paths: Iterable[str], pattern: str) -> list[str]:
    """Those paths that match, sorted.

    Raises:
        InputErrors: one of them is not UTF-8.
    """
    found = sorted(path for path in paths if matches(path, pattern))
    for path in found:
        try:
            path.encode()
        except UnicodeEncodeError:
            raise one_problem(ascii(path), 0, "has a name that is not UTF-8", "rename the file") from None
    return found


def linked(entries: Iterable[Entry], pattern: str) -> dict[str, str]:
    """Links and submodules that match, or behind which something could, by their paths.

    Returns:
        What each is: its kind, and of one that matches itself also what it leads to. A submodule behind which something
        could match is the same one when it moves on: nothing in it was examined before, either.
    """
    odd = [entry for entry in entries if entry.mode in _WAYS]
    behind = {entry.path: entry.mode for entry in odd if may_hold(entry.path, pattern)}
    return behind | {entry.path: entry.fingerprint for entry in odd if matches(entry.path, pattern)}


def destination(link: str, target: bytes) -> str | None:
    """The path from the root, `.`, that a symbolic link leads to; None where that is no place in the repository.

    Args:
        link: its own path.
        target: its content.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target.decode("utf-8", "surrogateescape")))
    return None if path != "." and escapes(path) else path


def content_fingerprint(data: bytes | None) -> str | None:
    """SHA-256, for sources that have no object ids."""
    return None if data is None else "sha256:" + hashlib.sha256(data).hexdigest()


def too_large(place: str) -> NoReturn:
    """Refuse a file for its size."""
    raise one_problem(place, 0, f"is larger than {FILE_BYTES // 1024**2} MiB", "split it into several files")
