"""The runs that earlier commands saved in `.gate`, for plans."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gate.engine.forecast import EarlierRun
from gate.errors import GateError
from gate.git.places import is_tracked, own_folder
from gate.record.run import RunRecord
from gate.store.run_folder import load_run

CALIBRATION = "calibration.json"
"""Lies beside the `run.json` of a calibration."""

LARGEST = 16 * 2**20
"""Bytes of one record that a plan opens."""

ALTOGETHER = 64 * 2**20
"""Bytes of all records that a plan opens."""

_LOOKED_AT = 20

_TOLD = 3


@dataclass(slots=True)
class KeptRuns:
    """The runs in `.gate`.

    Args:
        is_tracked: does git track this file? Tracked files are ignored, since the change itself may contain them.
    """

    folder: Path
    is_tracked: Callable[[Path], bool]
    _left: int = field(default=ALTOGETHER, init=False)
    _passed_over: list[str] = field(default_factory=list, init=False)

    def runs(self) -> list[EarlierRun]:
        """Calibrations, then other runs, newest first; files are opened only when they are read."""
        found = sorted(_records(self.folder), key=lambda one: (one.calibration, one.changed), reverse=True)
        return [EarlierRun(str(one.path.parent), partial(self._read, one.path)) for one in found[:_LOOKED_AT]]

    def notes(self) -> Sequence[str]:
        """Notes on what was skipped so far."""
        notes = [f"Skipped: {reason}." for reason in self._passed_over[:_TOLD]]
        more = len(self._passed_over) - len(notes)
        return [*notes, f"Skipped: {more} more below {self.folder}."] if more else notes

    def _read(self, path: Path) -> RunRecord | None:
        try:
            size = path.stat().st_size
            if size > LARGEST:
                raise GateError(f"{path} is larger than {LARGEST // 2**20} MiB")
            if size > self._left:
                raise GateError(f"{path}, since {ALTOGETHER // 2**20} MiB of runs are the limit")
            if self.is_tracked(path):
                raise GateError(f"{path} is tracked by git and may come from anybody")
            self._left -= size
            return load_run(path)
        except GateError as error:
            self._passed_over.append(error.message)
        except OSError as error:
            self._passed_over.append(f"{path}: {error.strerror}")
        return None


@dataclass(frozen=True, slots=True)
class _Record:
    path: Path
    calibration: bool
    changed: float


def _records(folder: Path) -> Iterator[_Record]:
    """The records in a folder; links are not followed."""
    if folder.is_symlink():
        return
    for parent, _, names in os.walk(folder):
        path = Path(parent) / "run.json"
        if "run.json" in names and not path.is_symlink() and path.is_file():
            yield _Record(path, (path.parent / CALIBRATION).is_file(), path.stat().st_mtime)


def kept_runs() -> KeptRuns:
    """The runs in `.gate` of the repository, without those that git tracks."""
    return KeptRuns(own_folder(), is_tracked)
