"""`spending.json`: what runs without a pull request spent, from run to run.

The file is missing in a fresh cache, which is an empty ledger. One that cannot be read is an error: to take it for an
empty one would raise the cap.
"""

import json
import math
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.domain.jsonvalue import JsonValue
from gate.domain.spending import Ledger, Outlay
from gate.errors import CannotEvaluate
from gate.inputs.jsontext import BadJson, parse_json
from gate.store.run_folder import write_whole

NAME = "spending.json"
VERSION = 1
MOST_BYTES = 2**20
MOST_RUNS = 2_000
"""Beyond these the oldest runs of a month become one entry."""
MONTHS_KEPT = 2
"""A run that began in the last hour of a month ends in the next."""
MOST_USD = 1e12

_RUN = re.compile(r"[A-Za-z0-9._-]{1,40}")
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class SpendingFile:
    """Reads and writes the ledger.

    Args:
        path: of the file, in a folder that is there.
    """

    path: Path

    def read(self) -> Ledger:
        """All runs that it knows, the oldest first; none where there is no file.

        Raises:
            CannotEvaluate: it is a link, or is no ledger.
        """
        try:
            text = self._text()
            return {} if text is None else _ledger(parse_json(text))
        except BadJson as error:
            raise self._broken(error.message) from None
        except UnicodeDecodeError:
            raise self._broken("it is not UTF-8") from None
        except OSError as error:
            raise self._broken(error.strerror or type(error).__name__) from None
        except ValueError as error:
            raise self._broken(str(error)) from None

    def add(self, run: str, outlay: Outlay) -> None:
        """Note what a run spent; the same run counts once, with what it said last.

        Args:
            run: its number and attempt.
            outlay: in a month as `gate.flows.spending.month_of` writes it.

        Raises:
            CannotEvaluate: the file cannot be read or written.
            ValueError: a run or an outlay that could not be read again.
        """
        _checked(run, {"month": outlay.month, "usd": outlay.usd})
        runs = {**{name: one for name, one in self.read().items() if name != run}, run: outlay}
        rows = {name: {"month": one.month, "usd": one.usd} for name, one in _bounded(runs).items()}
        try:
            write_whole(self.path, json.dumps({"version": VERSION, "runs": rows}, indent=1) + "\n")
        except OSError as error:
            raise CannotEvaluate(f"cannot write {self.path}: {error.strerror}", "give the job room to write") from None

    def _text(self) -> str | None:
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise ValueError("it is no file")
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES // 2**20} MiB")
        return data.decode("utf-8")

    def _broken(self, why: str) -> CannotEvaluate:
        hint = "delete it; what runs without a pull request spent this month is then forgotten"
        return CannotEvaluate(f"the ledger {self.path} cannot be read: {why}", hint)


def _ledger(value: JsonValue) -> dict[str, Outlay]:
    if not isinstance(value, dict) or set(value) != {"version", "runs"}:
        raise ValueError("it is no ledger")
    if value["version"] != VERSION or isinstance(value["version"], bool):
        raise ValueError(f"it is not of version {VERSION}")
    runs = value["runs"]
    if not isinstance(runs, dict):
        raise ValueError("its runs are no mapping")
    return {name: _checked(name, row) for name, row in runs.items()}


def _checked(name: str, row: object) -> Outlay:
    if not _RUN.fullmatch(name) or not isinstance(row, Mapping) or set(row) != {"month", "usd"}:
        raise ValueError("a run in it is malformed")
    month, usd = row["month"], row["usd"]
    if not isinstance(month, str) or not _MONTH.fullmatch(month):
        raise ValueError("a month in it is malformed")
    if isinstance(usd, bool) or not isinstance(usd, int | float) or not math.isfinite(usd) or not 0 <= usd <= MOST_USD:
        raise ValueError("a sum in it is malformed")
    return Outlay(month, float(usd))


def _bounded(runs: dict[str, Outlay]) -> dict[str, Outlay]:
    """The newest months, and of many runs the oldest as one: nothing of these months is forgotten."""
    months = sorted({one.month for one in runs.values()})[-MONTHS_KEPT:]
    kept = {name: one for name, one in runs.items() if one.month in months}
    excess = len(kept) - MOST_RUNS
    if excess <= 0:
        return kept
    old = list(kept.items())[: excess + MONTHS_KEPT]
    sums = {
        f"earlier-{month}": Outlay(month, min(MOST_USD, math.fsum(one.usd for _, one in old if one.month == month)))
        for month in months
        if any(one.month == month for _, one in old)
    }
    return {**sums, **dict(list(kept.items())[len(old) :])}
