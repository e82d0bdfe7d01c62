"""For how long the store keeps what, from the environment: no change of a repository reaches it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gate.errors import GateError

OUTPUTS_DAYS = "GATE_KEEP_OUTPUTS_DAYS"
RUNS_DAYS = "GATE_KEEP_RUNS_DAYS"
REDACT = "GATE_REDACT"
_MOST_DAYS = 36_500
_WORD = re.compile(r"/(?:\\.|[^/\\\n])+/|[^\s,]+")


@dataclass(frozen=True, slots=True)
class Retention:
    """For how long a store keeps what; None is for ever.

    Args:
        outputs_days: answers and reasons of runs; their figures stay.
        runs_days: whole runs.
    """

    outputs_days: int | None = None
    runs_days: int | None = None


def retention(environ: Mapping[str, str] | None = None) -> Retention:
    """For how long the store keeps what (`GATE_KEEP_OUTPUTS_DAYS`, `GATE_KEEP_RUNS_DAYS`).

    Args:
        environ: the variables; the process's own when None.

    Raises:
        GateError: one is no number of days.
    """
    known = os.environ if environ is None else environ
    return Retention(_days(known, OUTPUTS_DAYS), _days(known, RUNS_DAYS))


def redactions(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """What is taken out of texts before the store keeps them (`GATE_REDACT`): names of kinds, patterns between slashes.

    Args:
        environ: the variables; the process's own when None.
    """
    return tuple(_WORD.findall((os.environ if environ is None else environ).get(REDACT, "")))


def _days(environ: Mapping[str, str], name: str) -> int | None:
    told = environ.get(name, "").strip()
    if not told:
        return None
    days = int(told) if told.isascii() and told.isdecimal() and len(told) < 9 else 0
    if not 1 <= days <= _MOST_DAYS:
        # What cannot be read must not mean 'for ever', nor 'at once'.
        raise GateError(
            f"{name} is no number of days", f"write a whole number from 1 to {_MOST_DAYS:,}, or leave it out"
        )
    return days
