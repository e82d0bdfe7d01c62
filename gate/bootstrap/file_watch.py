"""Tells whether the files that programs run in are still those of their commit."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISLNK
from typing import TypeAlias

from gate.inputs.problems import quoted

CODE = frozenset(
    ".bash .cjs .class .cts .dll .dylib .ex .exs .jar .js .jsx .lua .mjs .mts .node .php .pl .pm .ps1 .pth .py .pyc "
    ".pyd .pyz .r .rb .sh .so .ts .tsx .wasm".split()
)
"""Endings of files that a program may load because they are there."""

Files: TypeAlias = dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class FileWatch:
    """What the files of a commit looked like when they had been written.

    Args:
        root: the folder of all of them.
        label: the commit, as the user knows it.
    """

    root: Path
    label: str
    _written: Mapping[str, tuple[int, ...]] = field(repr=False)

    @classmethod
    def of(cls, root: Path, label: str) -> "FileWatch":
        """Note what is there now; see the class for the arguments."""
        return cls(root, label, _files(root))

    def changed(self) -> str:
        """Why what ran there may have been another program; empty where nothing says so.

        A file of the commit is another one, or there is code that the commit does not have. Other files may come.
        """
        found = _files(self.root)
        changed = {path for path, told in self._written.items() if found.get(path) != told}
        fresh = {path for path in found.keys() - self._written.keys() if _loadable(path, found[path][0])}
        named = min(changed | fresh, default="")
        return f"the files of {self.label} were changed while it ran: {quoted(named)}" if named else ""


def _loadable(path: str, mode: int) -> bool:
    # Node runs whatever file a package.json names.
    return S_ISLNK(mode) or os.path.splitext(path)[1].lower() in CODE or os.path.basename(path) == "package.json"


def _files(root: Path) -> Files:
    """Mode, size, inode and time of change, which no user can set, of each file that can be seen."""
    found: Files = {}
    folders = [top := os.fspath(root)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    continue
                # It may be gone by now, as what an agent needs for a moment.
                with suppress(OSError):
                    told = entry.stat(follow_symlinks=False)
                    found[entry.path[len(top) + 1 :]] = (told.st_mode, told.st_size, told.st_ino, told.st_ctime_ns)
    return found
