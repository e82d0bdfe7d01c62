"""A git repository in a folder, and commits of files into it."""

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.command import git

Files = Mapping[str, str | bytes | None]
_MADE: dict[tuple[tuple[str, str | bytes | None], ...], "tempfile.TemporaryDirectory[str]"] = {}
"""The git folder of each repository that was made, by its files: a further one is copied, which takes no process."""


def write(repo: Path, files: Files) -> None:
    """Put files into the working tree; None takes one away."""
    for path, text in files.items():
        if text is None:
            (repo / path).unlink()
            continue
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_bytes(text if isinstance(text, bytes) else text.encode())


def commit(repo: Path, files: Files, message: str = "change") -> str:
    """Write files and commit whatever there is in the working tree; the commit's sha."""
    write(repo, files)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--allow-empty", "--message", message)
    head = (repo / ".git/HEAD").read_text().strip()
    return (repo / ".git" / head.removeprefix("ref: ")).read_text().strip() if head.startswith("ref: ") else head


def make(folder: Path, files: Files) -> Path:
    """A repository with these files, and those that are in the folder already, on `main`."""
    folder.mkdir(exist_ok=True)
    alone, start = not any(folder.iterdir()), tuple(files.items())
    if alone and start in _MADE:
        write(folder, files)
        shutil.copytree(_MADE[start].name, folder / ".git", dirs_exist_ok=True)
        return folder
    git(folder, "init", "--quiet", "--initial-branch", "main", "--template=")
    (folder / ".git/hooks").mkdir()
    commit(folder, files, "one")
    if alone:
        _MADE[start] = tempfile.TemporaryDirectory(prefix="gate-made-")
        atexit.register(_MADE[start].cleanup)
        shutil.copytree(folder / ".git", _MADE[start].name, dirs_exist_ok=True)
    return folder
