"""Folders with the files of each side whose code is run, all of which are gone in the end."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from gate.bootstrap.trust import distrust
from gate.domain.code_place import CodePlace
from gate.errors import CannotEvaluate, GateError
from gate.git.command import Git
from gate.git.either import EitherSource
from gate.git.export import export
from gate.git.sources import RefSource, TreeSource
from gate.inputs.source import FileSource
from gate.inputs.subfolder import Subfolder
from gate.settings.surroundings import Surroundings

_CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2 (0 for a branch)"


def refuse_untrusted(here: Surroundings, what: str, instead: str) -> None:
    """Refuse to run code where anybody may have written it.

    Args:
        here: what started this process.
        what: is to be run, as `python:module:function`.
        instead: what can be used that is no code, within a sentence.

    Raises:
        GateError: the event is not one that can be trusted.
    """
    if reason := distrust(here):
        hint = f"a branch of the repository itself can be judged, or {instead}"
        raise GateError(f"{what} is code, and no code of the repository is run here: {reason}", hint)


def place_of(source: FileSource) -> CodePlace:
    """Where the code of one side lies.

    Args:
        source: the side.

    Raises:
        CannotEvaluate: it is in no checkout.
    """
    match source:
        case Subfolder(whole=whole, folder=folder):
            place = place_of(whole)
            return CodePlace(place.checkout, place.sha, place.label, f"{place.folder}/{folder}".lstrip("/"))
        case TreeSource(root=root):
            return CodePlace(root, None, source.label)
        case EitherSource(local=local):
            return place_of(local)
        case RefSource():
            return CodePlace(source.git.folder, source.sha, source.label)
        case _:
            message = f"{source.label} is not in a checkout, and code needs all of its files"
            raise CannotEvaluate(message, _CHECK_OUT)


@dataclass(slots=True)
class Worktrees:
    """Writes the files of each commit once; a working tree is used where it lies."""

    _scratch: Path | None = None
    _exported: dict[tuple[Path, str], Path] = field(default_factory=dict)

    def root(self, place: CodePlace) -> Path:
        """The folder that modules are looked for in.

        Args:
            place: of one side.

        Raises:
            GateError, CannotEvaluate: as `gate.git.export.export`.
        """
        return (place.checkout if place.sha is None else self._export(place, place.sha)) / place.folder

    @property
    def scratch(self) -> Path:
        """The folder that everything is in."""
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="prompt-gate-"))
        return self._scratch

    def folder(self) -> Path:
        """A new folder, for what processes write."""
        return Path(tempfile.mkdtemp(prefix="run-", dir=self.scratch))

    def close(self) -> None:
        """Remove all that was written."""
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _export(self, place: CodePlace, sha: str) -> Path:
        key = place.checkout, sha
        if key not in self._exported:
            folder = Path(tempfile.mkdtemp(prefix="worktree-", dir=self.scratch))
            export(Git(place.checkout), sha, place.label, folder)
            self._exported[key] = folder
        return self._exported[key]
