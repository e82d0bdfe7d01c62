"""Builds the texts of Python prompts: a folder and a process for each function and side, nothing left afterwards."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from gate.bootstrap.worktrees import laid_out, place_of, refuse_untrusted
from gate.config.functions import Entry
from gate.domain.absence import Failed
from gate.domain.code_place import CodePlace
from gate.domain.jsonvalue import JsonValue
from gate.inputs.promptbuilder import PromptBuilder
from gate.inputs.sessions import key_of
from gate.inputs.source import FileSource
from gate.settings.surroundings import Surroundings

Texts = tuple[str | Failed, ...]


@contextmanager
def building(here: Surroundings | None = None) -> Iterator[PromptBuilder]:
    """What builds prompts, for as long as both sides are read.

    Args:
        here: what started this process; read from the environment when None.
    """
    yield _Workshop(here or Surroundings.from_environ())


@dataclass(slots=True)
class _Workshop:
    """See `gate.flows.ports.PromptBuilder`; what two suites ask for is built once.

    One function is called after the other, so that no files of a side are there while code of the other one runs.

    Args:
        here: says whether code may run.
    """

    here: Surroundings
    _known: dict[tuple[CodePlace, Entry, tuple[str, ...]], Texts] = field(default_factory=dict)

    def place(self, source: FileSource, what: str) -> CodePlace:
        refuse_untrusted(self.here, what, "a validator that is no code")
        return place_of(source)

    def build(self, source: FileSource, entry: Entry, sessions: Sequence[dict[str, JsonValue]]) -> Texts:
        refuse_untrusted(self.here, str(entry), "a prompt that is a file")
        from gate.python.process import Limits, Worktree, call  # few prompts are code

        place = place_of(source)
        key = place, entry, tuple(map(key_of, sessions))
        if key not in self._known:
            with laid_out(place) as laid:
                worktree = Worktree(laid.root, place.checkout, laid.scratch, self.here.path)
                self._known[key] = call(entry, sessions, worktree, Limits())
        return self._known[key]
