"""A git repository in a folder, and commits of files into it."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.command import git


def write(repo: Path, files: Mapping[str, str | bytes | None]) -> None:
    """Put files into the working tree; None takes one away."""
    for path, text in files.items():
        if text is None:
            (repo / path).unlink()
            continue
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_bytes(text if isinstance(text, bytes) else text.encode())


def commit(repo: Path, files: Mapping[str, str | bytes | None], message: str = "change") -> str:
    """Write files and commit whatever there is in the working tree; the commit's sha."""
    write(repo, files)
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(repo, "rev-parse", "HEAD")


def make(folder: Path, files: Mapping[str, str | bytes | None]) -> Path:
    """A repository with these files on `main`; the folder may be there."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, files, "one")
    return folder
