"""The folder or repository that a command works in, and files by the paths that the user gave."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.errors import GateError
from gate.files import GATE_FOLDER, read_bounded
from gate.git.objects import Git
from gate.git.repository import Repo, TreeSource, UntrustedRepository
from gate.prompts.files import FileSource, content_fingerprint


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
        UntrustedRepository: git does not trust the repository.
    """
    try:
        return Repo.open(directory).root
    except UntrustedRepository:
        raise
    except GateError:
        return directory.resolve()


def tree_of(directory: Path) -> TreeSource:
    """The files there, as they are on disk; see `root_of`."""
    root = root_of(directory)
    return TreeSource(root, Git(root))


def own_folder(directory: Path = Path()) -> Path:
    """`.gate` of a folder's repository, or of that folder, relative to it.

    Answers that a run in a subfolder paid for are also reused at the root.
    """
    try:
        root = Repo.open(directory).root
    except UntrustedRepository:
        raise
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
    except UntrustedRepository:
        raise
    except GateError:
        return Place(directory.resolve(), None)
    return Place(repo.root, repo)


def git_user_name(repo: Repo) -> str:
    """The author name of commits in a repository; empty where git has none."""
    answer = repo.git.ask("config", "--get", "user.name")
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""


LARGEST_FILE = 64 * 2**20
"""Bytes of a prompt, case file or recording."""


def folder_of(path: str) -> TreeSource:
    """The folder of a file and everything below; a link that leads out of it is refused."""
    folder = Path(path).parent
    return TreeSource(folder, Git(folder))


@dataclass(frozen=True, slots=True)
class DiskSource:
    """Plain files, for file mode: paths are the user's own and may lie anywhere."""

    label: str = "file"
    sha: str | None = None

    def read(self, path: str) -> bytes | None:
        file = Path(path)
        try:
            if not file.is_file() and file.exists():
                raise GateError(f"{path} is not a regular file", "use the path of a file")
            data = read_bounded(file, LARGEST_FILE)
            if data is None:
                raise GateError(f"{path} is larger than {LARGEST_FILE // 2**20} MiB", "split it")
            return data
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise GateError(f"cannot read {path}: {error}", "use a readable file") from None

    def fingerprint(self, path: str) -> str | None:
        return content_fingerprint(self.read(path))

    def glob(self, pattern: str) -> list[str]:
        return [pattern]

    def listing(self, folder: str = "") -> dict[str, str]:
        """Empty: a path is only itself, and no folder belongs to it."""
        return {}

    def links(self, pattern: str) -> dict[str, str]:
        """Empty: a path is only itself."""
        return {}

    def leads_to(self, link: str) -> str | None:
        return None


def refuse_tracked(*paths: Path, sides: Sequence[FileSource] = ()) -> None:
    """Refuse files that a change could have added.

    Args:
        sides: of the comparison, in addition to what is checked out: a file may stay on the disk when git no longer
            tracks it.

    Raises:
        GateError: git tracks one of them, or does not say.
    """
    for path in (path for path in paths if path.exists() or path.is_symlink()):
        if is_tracked(path, sides):
            raise GateError(f"git tracks {path}, so a change could have added it", "git rm --cached it")


def is_tracked(path: Path, sides: Sequence[FileSource] = ()) -> bool:
    """Does git track a file or folder: in an index, in what is checked out, or at a side of the comparison?

    Every repository around it is asked, and none that lies beside it: a change can add a folder that git takes for a
    repository, but not a folder named `.git`.

    Raises:
        GateError: git does not say.
    """
    place = path.absolute()
    real = place.parent.resolve()
    repos = [Repo.open(folder) for folder in {*place.parents, real, *real.parents} if (folder / ".git").exists()]
    if any(repo.is_tracked(place) for repo in repos):
        return True
    commits = [side for side in sides if side.sha is not None]
    names = {name for repo in repos if (name := repo.name_of(place)) is not None}
    return any(side.fingerprint(name) is not None for side in commits for name in names)
