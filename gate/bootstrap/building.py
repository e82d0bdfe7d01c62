"""Builds the texts of Python prompts: a folder for each side, a process for each function, nothing left afterwards."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gate.bootstrap.trust import distrust
from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.errors import CannotEvaluate, GateError
from gate.flows.ports import PromptBuilder
from gate.git.either import EitherSource
from gate.git.export import export
from gate.git.sources import RefSource, TreeSource
from gate.inputs.builders import Entry, key_of
from gate.inputs.source import FileSource
from gate.inputs.subfolder import Subfolder
from gate.settings.surroundings import Surroundings

Texts = tuple[str | Failed, ...]

_CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2 (0 for a branch)"


@contextmanager
def building(here: Surroundings | None = None) -> Iterator[PromptBuilder]:
    """What builds prompts, for as long as both sides are read.

    Args:
        here: what started this process; read from the environment when None.
    """
    workshop = _Workshop(here or Surroundings.from_environ())
    try:
        yield workshop
    finally:
        workshop.close()


@dataclass(slots=True)
class _Workshop:
    """See `gate.flows.ports.PromptBuilder`; what two suites ask for is built once.

    Args:
        here: says whether code may run.
    """

    here: Surroundings
    _scratch: Path | None = None
    _exported: dict[tuple[Path, str], Path] = field(default_factory=dict)
    _known: dict[tuple[Path, Entry, tuple[str, ...]], Texts] = field(default_factory=dict)

    def build(self, source: FileSource, entry: Entry, sessions: Sequence[dict[str, JsonValue]]) -> Texts:
        if reason := distrust(self.here):
            hint = "a branch of the repository itself can be judged, or a prompt that is a file"
            raise GateError(f"{entry} is code, and no code of the repository is run here: {reason}", hint)
        from gate.python.process import Limits, Worktree, call  # few prompts are code

        root, checkout = self._root(source)
        key = root, entry, tuple(map(key_of, sessions))
        if key not in self._known:
            run = Path(tempfile.mkdtemp(prefix="run-", dir=self._folder()))
            self._known[key] = call(entry, sessions, Worktree(root, checkout, run, self.here.path), Limits())
        return self._known[key]

    def close(self) -> None:
        """Remove all that was written."""
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _root(self, source: FileSource) -> tuple[Path, Path]:
        """The folder that modules are looked for in, and the checkout that they must not come from instead."""
        match source:
            case Subfolder(whole=whole, folder=folder):
                root, checkout = self._root(whole)
                return root / folder, checkout
            case TreeSource(root=root):
                return root, root
            case EitherSource(local=local):
                return self._root(local)
            case RefSource():
                return self._export(source), source.git.folder
            case _:
                message = f"{source.label} is not in a checkout, and a Python prompt needs all of its files"
                raise CannotEvaluate(message, _CHECK_OUT)

    def _export(self, source: RefSource) -> Path:
        key = source.git.folder, source.sha
        if key not in self._exported:
            folder = Path(tempfile.mkdtemp(prefix="worktree-", dir=self._folder()))
            export(source.git, source.sha, source.label, folder)
            self._exported[key] = folder
        return self._exported[key]

    def _folder(self) -> Path:
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="prompt-gate-"))
        return self._scratch
