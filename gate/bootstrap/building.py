"""Builds the texts of Python prompts: a folder for each side, a process for each function, nothing left afterwards."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gate.bootstrap.worktrees import Worktrees, place_of, refuse_untrusted
from gate.domain.absence import Failed
from gate.domain.code_place import CodePlace
from gate.domain.jsonvalue import JsonValue
from gate.flows.ports import PromptBuilder
from gate.inputs.builders import Entry, key_of
from gate.inputs.source import FileSource
from gate.settings.surroundings import Surroundings

Texts = tuple[str | Failed, ...]


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
        workshop.worktrees.close()


@dataclass(slots=True)
class _Workshop:
    """See `gate.flows.ports.PromptBuilder`; what two suites ask for is built once.

    Args:
        here: says whether code may run.
        worktrees: files of commits.
    """

    here: Surroundings
    worktrees: Worktrees = field(default_factory=Worktrees)
    _known: dict[tuple[Path, Entry, tuple[str, ...]], Texts] = field(default_factory=dict)

    def place(self, source: FileSource, what: str) -> CodePlace:
        refuse_untrusted(self.here, what, "a validator that is no code")
        return place_of(source)

    def build(self, source: FileSource, entry: Entry, sessions: Sequence[dict[str, JsonValue]]) -> Texts:
        refuse_untrusted(self.here, str(entry), "a prompt that is a file")
        from gate.python.process import Limits, Worktree, call  # few prompts are code

        place = place_of(source)
        root = self.worktrees.root(place)
        key = root, entry, tuple(map(key_of, sessions))
        if key not in self._known:
            worktree = Worktree(root, place.checkout, self.worktrees.folder(), self.here.path)
            self._known[key] = call(entry, sessions, worktree, Limits())
        return self._known[key]
