"""Cases from one place to another: what has to be done there so that it holds what the first one holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.cases.reading import canonical, put_of
from gate.domain.stored_suite import Archive, CaseFilter, CaseVersion, Change, Conflict, Entry, Put
from gate.errors import GateError
from gate.flows.case_sets import CaseSet


class TooLate(GateError):
    """Somebody has changed the same case meanwhile, and nothing was done."""


@dataclass(frozen=True, slots=True)
class Move:
    """What a place lacks.

    Args:
        new, edited: cases that it does not have, or has otherwise.
        others: names of cases that it has and the first place has not.
        same: how many are alike.
    """

    new: tuple[Put, ...]
    edited: tuple[Put, ...]
    others: tuple[Archive, ...]
    same: int

    def changes(self, *, without_others: bool) -> tuple[Change, ...]:
        """What is to be done; what is only there may stay."""
        return (*self.new, *self.edited, *(self.others if without_others else ()))


def planned(cases: Sequence[Entry], to: CaseSet) -> Move:
    """What has to be done to a place so that it holds these cases.

    Args:
        cases: sound ones, in their order.
        to: what it is compared with; archived cases of it come back under their names.
    """
    there = {one.name: one for one in to.cases()}
    archived = {one.name: one for one in to.cases(CaseFilter(archived=True))}
    new: list[Put] = []
    edited: list[Put] = []
    puts = [put_of(entry) for entry in cases]
    for put in puts:
        known = there.get(put.name)
        if known is None:
            new.append(_on(put, archived.get(put.name)))
        elif known.entry is None or canonical(known.entry) != canonical(put.entry):
            edited.append(_on(put, known))
    names = {put.name for put in puts}
    others = tuple(Archive(name, one.number) for name, one in there.items() if name not in names)
    return Move(tuple(new), tuple(edited), others, len(puts) - len(new) - len(edited))


def _on(put: Put, known: CaseVersion | None) -> Put:
    return Put(put.name, put.entry, put.slices, put.text, 0 if known is None else known.number)


def quicker(conflict: Conflict) -> str:
    """Who was quicker, and when, for a message."""
    current = conflict.current
    if current is None:
        return f"{conflict.change.name} is not there any more"
    done = "archived" if current.entry is None else "changed" if conflict.change.base else "written"
    by = f" by {current.author}" if current.author else ""
    return f"{conflict.change.name} was {done}{by} on {current.made:%Y-%m-%d at %H:%M %Z} meanwhile"
