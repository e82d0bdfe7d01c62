"""The repository or folder that a command works in, and who works there."""

import os
from dataclasses import dataclass
from pathlib import Path

from gate.errors import GateError
from gate.git.command import Git
from gate.git.repository import Repo, UntrustedOwner
from gate.git.sources import TreeSource
from gate.store.files import GATE_FOLDER


@dataclass(frozen=True, slots=True)
class Place:
    """A folder whose files a configuration names."""

    root: Path
    repo: Repo | None

    @property
    def tree(self) -> TreeSource:
        """Its files, as they are on disk."""
        return TreeSource(self.root, Git(self.root))

    @property
    def branch(self) -> str:
        """The branch that changes are compared with: the server's main branch, or else one of this clone.

        It is written into files and shown: one that a screen or YAML would take for more than a name is `HEAD`.
        """
        found = self._branch()
        return found if found.isprintable() else "HEAD"

    def _branch(self) -> str:
        if self.repo is None:
            return "main"
        known = self.repo.git.ask("symbolic-ref", "--short", "--quiet", "refs/remotes/origin/HEAD")
        if known.code == 0:
            return known.out.decode("utf-8", "replace").strip()
        local = self.repo.git.ask("for-each-ref", "--format=%(refname:short)", "refs/heads").out
        names = local.decode("utf-8", "replace").split()
        current = self.repo.git.ask("symbolic-ref", "--short", "--quiet", "HEAD").out.decode("utf-8", "replace").strip()
        return next((name for name in ("main", "master") if name in (*names, current)), current or "HEAD")


def root_of(directory: Path) -> Path:
    """The folder that paths in `gate.yaml` are relative to: the repository's root, or the folder itself without one.

    Raises:
        UntrustedOwner: git does not trust the repository.
    """
    try:
        return Repo.open(directory).root
    except UntrustedOwner:
        raise
    except GateError:
        return directory.resolve()


def tree_of(directory: Path) -> TreeSource:
    """The files there, as they are on disk; see `root_of`."""
    root = root_of(directory)
    return TreeSource(root, Git(root))


def own_folder(directory: Path = Path()) -> Path:
    """`.gate` of the repository that a folder lies in, or of that folder, as it is named from there.

    What was paid for in a subfolder is known at the root, too.
    """
    try:
        root = Repo.open(directory).root
    except GateError:
        return directory / GATE_FOLDER
    return directory / os.path.relpath(root, directory.resolve()) / GATE_FOLDER


def place_here(directory: Path = Path()) -> Place:
    """The repository that a folder is in, or the folder.

    Raises:
        GateError: the repository is bare, or git does not trust its owner.
    """
    try:
        repo = Repo.open(directory)
    except UntrustedOwner:
        raise
    except GateError as error:
        if "bare" in error.message:
            raise
        return Place(directory.resolve(), None)
    return Place(repo.root, repo)


def git_user_name(repo: Repo) -> str:
    """The author name of commits in a repository; empty where git has none."""
    answer = repo.git.ask("config", "--get", "user.name")
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""
