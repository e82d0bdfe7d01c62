"""Opens the places that files come from, and resolves what there is to evaluate; loads no model SDK and no numpy."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gate.app.environment.settings import DATABASE, database_url
from gate.app.repository import prompt_builder
from gate.config.values import StoreName
from gate.errors import GateError, InputErrors, MissingKey
from gate.git.objects import Git
from gate.git.repository import Noted, Repo, Sightings, TreeSource
from gate.prompts.files import FileSource, content_fingerprint
from gate.resolve.pairing import Sides, StoredCases
from gate.resolve.resolved import Resolved, rehearse
from gate.resolve.two_refs import resolve
from gate.store.run_folder import STORE_FILE, read_bounded

if TYPE_CHECKING:
    from gate.resolve.two_files import FileRun, Files

LARGEST_FILE = 64 * 2**20
"""Bytes of a prompt, case file or recording."""


@dataclass(frozen=True, slots=True)
class GitPlace:
    """The repository of a comparison of two refs.

    Args:
        seen: records what is read of the head's side.
    """

    directory: Path = Path()
    seen: Sightings | None = None


WORKING_FOLDER = GitPlace()


def resolve_git_mode(
    refs: tuple[str, str | None],
    config: str,
    suites: Sequence[str],
    *,
    everything: bool,
    here: GitPlace = WORKING_FOLDER,
) -> Resolved:
    """Read both sides from a repository.

    Args:
        refs: base, and head or None for the working tree.
    """
    repo, seen = Repo.open(here.directory), here.seen
    base, head = refs
    with prompt_builder() as builder:
        to: FileSource = repo.at(head) if head is not None else repo.tree()
        to = to if seen is None else Noted(to, repo.root, seen)
        sides = Sides(repo.at(base), to, builder=builder, shelf=store_case_reader(repo.root))
        return rehearsed(resolve(sides, config, suites, everything=everything))


def resolve_files_mode(files: "Files", run: "FileRun", seen: Sightings | None = None) -> Resolved:
    """Read three files by the paths that the user gave."""
    from gate.resolve.two_files import resolve_files

    if seen is None:
        return rehearsed(resolve_files(DiskSource(), files, run, folder_of))
    disk = Noted(DiskSource(), Path(), seen)
    return rehearsed(resolve_files(disk, files, run, lambda path: Noted(folder_of(path), Path(path).parent, seen)))


def folder_of(path: str) -> TreeSource:
    """The folder of a file and everything below; a link that leads out of it is refused."""
    folder = Path(path).parent
    return TreeSource(folder, Git(folder))


def rehearsed(resolved: Resolved) -> Resolved:
    """The same, after every case was tried in every prompt and scorer.

    Raises:
        InputErrors: one does not fit.
    """
    trials = (trial.suite for edit in resolved.edits for trial in edit.trials if not trial.reason)
    rehearse((*resolved.suites, *trials))
    return resolved


@dataclass(frozen=True, slots=True)
class DiskSource:
    """Plain files, for file mode: paths are the user's own and may lie anywhere."""

    label: str = "file"
    sha: str | None = None

    def read(self, path: str) -> bytes | None:
        file = Path(path)
        try:
            if not file.is_file() and file.exists():
                raise GateError(f"{path} is not a plain file", "name a file")
            data = read_bounded(file, LARGEST_FILE)
            if data is None:
                raise GateError(f"{path} is larger than {LARGEST_FILE // 2**20} MiB", "split it")
            return data
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise GateError(f"cannot read {path}: {error}", "name a readable file") from None

    def fingerprint(self, path: str) -> str | None:
        return content_fingerprint(self.read(path))

    def glob(self, pattern: str) -> list[str]:
        return [pattern]

    def listing(self, folder: str = "") -> dict[str, str]:
        """Empty: a path stands for itself, and no folder belongs to it."""
        return {}

    def links(self, pattern: str) -> dict[str, str]:
        """Empty: a path stands for itself."""
        return {}

    def leads_to(self, link: str) -> str | None:
        return None

    def sizes(self, paths: Sequence[str]) -> dict[str, int]:
        return {path: Path(path).stat().st_size for path in paths if Path(path).is_file()}


@dataclass(frozen=True, slots=True)
class StoreCaseReader:
    """See `gate.resolve.pairing.CaseShelf`; the store is opened only when something is read."""

    root: Path
    url: str | None = field(repr=False)
    _known: dict[StoreName, StoredCases | InputErrors] = field(default_factory=dict)

    def read(self, name: StoreName) -> StoredCases:
        if name not in self._known:
            self._known[name] = self._looked_up(name)
        found = self._known[name]
        if isinstance(found, InputErrors):
            raise found
        return found

    def _looked_up(self, name: StoreName) -> StoredCases | InputErrors:
        if self.url is None and not (self.root / STORE_FILE).exists():
            hint = f"set {DATABASE} to the address of its database; a file is made by gate serve"
            raise MissingKey(f"{name.text} is in a store, and there is none: no {DATABASE}, and no {STORE_FILE}", hint)
        # Nothing but a suite of a store needs what opens one.
        from gate.app.store import stored_cases

        try:
            return stored_cases(self.root, self.url, name)
        except InputErrors as errors:
            return errors


def store_case_reader(root: Path) -> StoreCaseReader:
    """Reader of the suites in the store that the environment names, or in the repository's own."""
    return StoreCaseReader(root, database_url())
