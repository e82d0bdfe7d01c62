"""Batches under way, on disk, so that a later process collects them and does not submit them again."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from gate.calls.batches.service import BatchPlace, SubmissionMark
from gate.calls.interface import Request
from gate.calls.untrusted import Cleaner
from gate.errors import CannotEvaluate
from gate.files import make_private_folder, write_lines
from gate.values import JsonValue, complaint, digest, parsed, written

KEY_LENGTH = 48
KEPT_S = 29 * 24 * 3600.0
"""Results can be fetched for 29 days at Anthropic, 30 at OpenAI; older entries are of no use."""

_MOST_BYTES = 64 * 2**20
Key: TypeAlias = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{KEY_LENGTH}}}$")]
Id: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,128}$")]
Reason: TypeAlias = Annotated[str, AfterValidator(Cleaner().line)]


def request_id(request: Request) -> str:
    """Names a request by everything that is sent, and by its sample index; fit for a `custom_id`."""
    params = {name: value for name, value in request.params.changed().items() if name != "timeout_s"}
    messages: list[JsonValue] = [list(message.told) for message in request.messages]
    schema = None if request.schema is None else dict(request.schema)
    sent: list[JsonValue] = [str(request.model), params, messages, request.index, schema, request.about]
    return digest(sent)[:KEY_LENGTH]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One batch, as its file holds it.

    Args:
        place: the service and model.
        submission: names all batches that were submitted together.
        mark: digest of the requests in it.
        submitted_at: seconds since the epoch.
        keys: the requests in it.
        ids: of the batch; none while unknown, several while it is unknown which one it is.
        sure: the batch is the one that was submitted.
        taken: requests whose answers are saved.
        failed: requests without an answer, and why; they are not submitted again.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    place: BatchPlace
    submission: Id
    mark: Id
    submitted_at: Annotated[float, Field(ge=0.0, lt=1e12)]
    keys: frozenset[Key]
    ids: tuple[Id, ...] = ()
    sure: bool = False
    taken: frozenset[Key] = frozenset()
    failed: Mapping[Key, Reason] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.submission}-{self.mark[:16]}.json"

    @property
    def sitting(self) -> str:
        """The run that the answers count to: both arms of one submission are sent at the same time."""
        return f"batch:{self.submission}"

    @property
    def open(self) -> frozenset[str]:
        """Requests whose results have not been read."""
        return self.keys - self.taken - self.failed.keys()

    def found_by(self, known: frozenset[str]) -> SubmissionMark:
        """The mark to look for it at the service."""
        return SubmissionMark(self.mark, self.submission, self.submitted_at, len(self.keys), known)


_ENTRY: TypeAdapter[LedgerEntry] = TypeAdapter(LedgerEntry)


class BatchLedger:
    """Entries in a folder, which is made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.warnings: list[str] = []

    def entries(self, now: float) -> list[LedgerEntry]:
        """Every entry that can be read and is not too old, in the order of their names; `now` is in seconds since the
        epoch. What cannot be read is renamed and noted in `warnings`."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            entry = self._read(path)
            if entry is not None and now - entry.submitted_at > KEPT_S:
                path.unlink(missing_ok=True)
            elif entry is not None:
                found.append(entry)
        return found

    def save(self, entry: LedgerEntry) -> None:
        """Write an entry, whole or not at all; returns when it is on disk. Raises `CannotEvaluate`."""
        if entry.taken == entry.keys:
            self.drop(entry)
            return
        with self._writing():
            make_private_folder(self._folder)
            write_lines(self._folder / entry.name, (written(_ENTRY, entry),), sync=True)

    def drop(self, entry: LedgerEntry) -> None:
        """Forget an entry."""
        with self._writing():
            (self._folder / entry.name).unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from submitting or collecting here meanwhile. Raises `CannotEvaluate`."""
        with self._writing():
            make_private_folder(self._folder)
            handle = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CannotEvaluate(
                    f"another process uses the batches in {self._folder}",
                    "run the command again when that process has ended",
                ) from None
            yield
        finally:
            os.close(handle)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CannotEvaluate(
                f"cannot write to {self._folder}: {error.strerror or error}",
                "a batch is only submitted when it can be recorded there; free space, or run without --batch",
            ) from None

    def _read(self, path: Path) -> LedgerEntry | None:
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError("the file is too large")
            entry = _ENTRY.validate_python(parsed(path.read_bytes()))
            if entry.name != path.name:
                raise ValueError(f"it is the entry {entry.name}")
        except (OSError, ValueError) as error:
            why = complaint(error) if isinstance(error, ValidationError) else error
            aside = path.with_suffix(".bad")
            self.warnings.append(f"{path} cannot be used ({why}) and was renamed to {aside.name}")
            with self._writing():
                path.replace(aside)
            return None
        return entry
