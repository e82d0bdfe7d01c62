"""The two places that files come from: git objects of a commit, and the working tree."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from gate.git.command import Git
from gate.inputs.limits import FILE_BYTES
from gate.inputs.paths import escapes, matches, normal
from gate.inputs.problems import one_problem, quoted

_SYMLINK, _SUBMODULE, _FOLDER = "120000", "160000", "040000"
_KINDS = {_SYMLINK: "is a symbolic link", _SUBMODULE: "is a submodule", _FOLDER: "is a folder"}


@dataclass(frozen=True, slots=True)
class RefSource:
    """Files of one commit (`gate.inputs.source.FileSource`).

    Args:
        label: the ref as the user named it.
        sha: the commit.
        git: runs git in the repository.
    """

    label: str
    sha: str
    git: Git

    def read(self, path: str) -> bytes | None:
        """The blob's bytes, or None when the commit has no such file.

        Raises:
            InputErrors: the path leaves the repository, or names a link, a submodule, a folder or something huge.
        """
        path = _checked(path)
        entries = self._entries(self.sha, "--", path)
        entry = next((entry for entry in entries if entry.path == path), None)
        if entry is None:
            return None
        place = f"{self.label}:{path}"
        if entry.mode in _KINDS:
            raise one_problem(place, 0, _KINDS[entry.mode], "name the file itself")
        if entry.size > FILE_BYTES:
            _too_large(place)
        return self.git.run("cat-file", "blob", entry.oid)

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match, sorted; links and submodules are left out."""
        pattern = _checked(pattern)
        paths = (entry.path for entry in self._entries("-r", self.sha) if entry.mode not in _KINDS)
        return _matching(paths, pattern)

    def _entries(self, *arguments: str) -> "list[_Entry]":
        out = self.git.run("ls-tree", "--full-tree", "-l", "-z", *arguments)
        return [_Entry.parse(line) for line in out.split(b"\0") if line]


@dataclass(frozen=True, slots=True)
class TreeSource:
    """Files of the working tree (`gate.inputs.source.FileSource`).

    Args:
        root: of the working tree.
        git: runs git there.
    """

    root: Path
    git: Git

    @property
    def label(self) -> str:
        return "working tree"

    @property
    def sha(self) -> str | None:
        return None

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None when there is no such file.

        Raises:
            InputErrors: the path, or a link on its way, leaves the repository, or it is no plain file of bounded size.
        """
        path = _checked(path)
        root = self.root.resolve()
        try:
            real = (root / path).resolve(strict=True)
            if not real.is_relative_to(root):
                raise one_problem(path, 0, "is a symbolic link that leaves the repository", "keep the file inside it")
            _checked(real.relative_to(root).as_posix())
            return self._bytes(real, path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except RuntimeError:
            # Python up to 3.12 says a loop of links this way; later versions raise an OSError.
            raise one_problem(path, 0, "is a symbolic link to itself") from None
        except OSError as error:
            raise one_problem(path, 0, f"cannot be read: {error.strerror or 'unknown reason'}") from None

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match, sorted; links, and files that git ignores, are left out."""
        pattern = _checked(pattern)
        out = self.git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = {os.fsdecode(name) for name in out.split(b"\0") if name}
        return [path for path in _matching(names, pattern) if self._is_plain(path)]

    def _bytes(self, real: Path, path: str) -> bytes:
        # Opening a pipe would wait for a writer, so the kind is looked at first.
        mode = real.stat().st_mode
        if not stat.S_ISREG(mode):
            raise one_problem(path, 0, "is a folder" if stat.S_ISDIR(mode) else "is not a plain file", "name a file")
        with real.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            _too_large(path)
        return data

    def _is_plain(self, path: str) -> bool:
        try:
            return stat.S_ISREG((self.root / path).lstat().st_mode)
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of `git ls-tree -l -z`."""

    mode: str
    oid: str
    size: int
    path: str

    @classmethod
    def parse(cls, line: bytes) -> "_Entry":
        facts, _, name = line.partition(b"\t")
        mode, _, oid, size = facts.decode("ascii").split()
        return cls(mode, oid, int(size) if size.isdigit() else 0, os.fsdecode(name))


def _checked(path: str) -> str:
    if reason := escapes(path):
        raise one_problem(path, 0, f"the path {quoted(path)} {reason}", "name a file inside the repository")
    return normal(path)


def _matching(paths: Iterable[str], pattern: str) -> list[str]:
    found = sorted(path for path in paths if matches(path, pattern))
    for path in found:
        try:
            path.encode()
        except UnicodeEncodeError:
            raise one_problem(ascii(path), 0, "has a name that is not UTF-8", "rename the file") from None
    return found


def _too_large(place: str) -> NoReturn:
    raise one_problem(place, 0, f"is larger than {FILE_BYTES // 1024**2} MiB", "split it into several files")
