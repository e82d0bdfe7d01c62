"""Which cases a form of file can hold, where not all have to go into it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.casefiles.changing import written
from gate.domain.stored_suite import Entry
from gate.errors import GateError


@dataclass(frozen=True, slots=True)
class Fitting:
    """A case file, and what it had to leave out.

    Args:
        text: the file; empty where it can hold none of them.
        count: cases in it.
        left_out: why, for each case that is not.
    """

    text: str
    count: int
    left_out: tuple[str, ...] = ()


def fitting(entries: Sequence[Entry], file: str) -> Fitting:
    """A case file of all cases that such a file can hold.

    Args:
        entries: one at least.
        file: its path, which tells the form by its ending.
    """
    try:
        return Fitting(written(entries, file), len(entries))
    except GateError as error:
        whole = error.message
    good, left_out = list[Entry](), list[str]()
    for entry in entries:
        try:
            written([entry], file)
        except GateError as error:
            name = str(entry.get("id", entry.get("name", "")))
            left_out.append(error.message if name in error.message else f"{name}: {error.message}")
        else:
            good.append(entry)
    try:
        return Fitting(written(good, file) if good and left_out else "", len(good), (*left_out,) or (whole,))
    except GateError as error:
        return Fitting("", 0, (error.message,))
