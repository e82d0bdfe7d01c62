"""Which batches are under way, on disk, so that a later process collects them and does not submit them again.

One small file for each batch, beside the answer store. A batch is written down before it is submitted: a process that
is killed between the two leaves an entry without an id, and the next one looks for it at the service.
"""

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gate.domain.jsonvalue import JsonValue, digest
from gate.errors import CannotEvaluate
from gate.providers.base import Request
from gate.providers.batches.port import Mark, Place
from gate.providers.untrusted import Cleaner, Malformed, json_object, table

SCHEMA = "prompt-gate/batch/1"
_FAMILY = "prompt-gate/batch/"
KEY_LENGTH = 48
KEPT_S = 29 * 24 * 3600.0
"""Results can be fetched for so long (29 days at Anthropic, 30 at OpenAI); what is older is of no use."""

_MOST_BYTES = 64 * 2**20
_KEY = re.compile(rf"[0-9a-f]{{{KEY_LENGTH}}}")
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


def key_of(request: Request) -> str:
    """Names a request by everything that is sent, and by its sample index; fit for a `custom_id`."""
    params = {name: value for name, value in request.params.changed().items() if name != "timeout_s"}
    messages: list[JsonValue] = [list(message.told) for message in request.messages]
    schema = None if request.schema is None else dict(request.schema)
    sent: list[JsonValue] = [str(request.model), params, messages, request.index, schema, request.about]
    return digest(sent)[:KEY_LENGTH]


@dataclass(frozen=True, slots=True)
class Entry:
    """One batch.

    Args:
        place: who was asked.
        submission: names all batches that were submitted together.
        mark: digest of the requests in it.
        submitted_at: seconds since the epoch.
        keys: the requests in it.
        ids: the batch; none while that is not known, several while it is not known which one it is.
        sure: the batch is the one that was submitted.
        taken: requests whose answers are kept.
        failed: requests that it gave no answer to, and why; they are not submitted again.
    """

    place: Place
    submission: str
    mark: str
    submitted_at: float
    keys: frozenset[str]
    ids: tuple[str, ...] = ()
    sure: bool = False
    taken: frozenset[str] = frozenset()
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.submission}-{self.mark[:16]}.json"

    @property
    def sitting(self) -> str:
        """Both arms of one submission were asked in the same way at the same time."""
        return f"batch:{self.submission}"

    @property
    def open(self) -> frozenset[str]:
        """Requests whose results have not been looked at."""
        return self.keys - self.taken - self.failed.keys()

    def found_by(self, known: frozenset[str]) -> Mark:
        """How to look for it at the service."""
        return Mark(self.mark, self.submission, self.submitted_at, len(self.keys), known)


class BatchLedger:
    """Entries in a folder.

    Args:
        folder: made when it is first needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.warnings: list[str] = []

    def entries(self, now: float) -> list[Entry]:
        """Every entry that can be read and is not too old, in the order of their names.

        What cannot be read is renamed and told in `warnings`; what a newer version wrote is left alone.

        Args:
            now: seconds since the epoch.
        """
        found = []
        for path in sorted(self._folder.glob("*.json")):
            entry = self._read(path)
            if entry is not None and now - entry.submitted_at > KEPT_S:
                path.unlink(missing_ok=True)
            elif entry is not None:
                found.append(entry)
        return found

    def save(self, entry: Entry) -> None:
        """Write an entry, whole or not at all; returns when it is on disk.

        Raises:
            CannotEvaluate: the folder cannot be written.
        """
        if entry.taken == entry.keys:
            self.drop(entry)
            return
        text = json.dumps({"schema": SCHEMA, **_written(entry)}, separators=(",", ":"))
        with self._writing():
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f".{entry.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(temporary, self._folder / entry.name)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise

    def drop(self, entry: Entry) -> None:
        """Forget an entry."""
        with self._writing():
            (self._folder / entry.name).unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from submitting or collecting here meanwhile.

        Raises:
            CannotEvaluate: another one is at it, or the folder cannot be written.
        """
        with self._writing():
            self._folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CannotEvaluate(
                    f"another process works on the batches in {self._folder}", "run the command again when it has ended"
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
                f"{self._folder} cannot be written: {error.strerror or error}",
                "a batch is only submitted when it can be written down; make room, or run without --batch",
            ) from None

    def _read(self, path: Path) -> Entry | None:
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise Malformed("the file is too large")
            data = json_object(path.read_bytes())
            schema = data.get("schema")
            if schema != SCHEMA and isinstance(schema, str) and schema.startswith(_FAMILY):
                self.warnings.append(f"{path} was written by another version and is left alone")
                return None
            entry = _entry(data)
            if schema != SCHEMA or entry.name != path.name:
                raise Malformed("the file is not an entry")
        except (OSError, Malformed) as error:
            aside = path.with_suffix(".bad")
            self.warnings.append(f"{path} cannot be used ({error}) and was set aside as {aside.name}")
            with self._writing():
                path.replace(aside)
            return None
        return entry


def _written(entry: Entry) -> dict[str, JsonValue]:
    place = entry.place
    return {
        "place": [place.provider, place.address, place.model],
        "submission": entry.submission,
        "mark": entry.mark,
        "submitted_at": entry.submitted_at,
        "ids": list(entry.ids),
        "sure": entry.sure,
        "keys": [*sorted(entry.keys)],
        "taken": [*sorted(entry.taken)],
        "failed": dict(sorted(entry.failed.items())),
    }


def _entry(data: dict[str, JsonValue]) -> Entry:
    place, at, failed = data.get("place"), data.get("submitted_at"), table(data, "failed")
    if not isinstance(place, list) or len(place) != 3:
        raise Malformed("the file is not an entry")
    if not isinstance(at, int | float) or isinstance(at, bool) or not 0.0 <= at < 1e12:
        raise Malformed("the file has no time of submission")
    provider, address, model = (_text(part) for part in place)
    return Entry(
        Place(provider, address, model),
        _matching(_ID, data.get("submission")),
        _matching(_ID, data.get("mark")),
        float(at),
        frozenset(_each(_KEY, data.get("keys"))),
        tuple(_each(_ID, data.get("ids"))),
        data.get("sure") is True,
        frozenset(_each(_KEY, data.get("taken"))),
        {_matching(_KEY, key): Cleaner().line(_text(reason)) for key, reason in failed.items()},
    )


def _each(pattern: re.Pattern[str], values: JsonValue) -> list[str]:
    if not isinstance(values, list):
        raise Malformed("the file is not an entry")
    return [_matching(pattern, value) for value in values]


def _matching(pattern: re.Pattern[str], value: JsonValue) -> str:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise Malformed("the file names what is no id")
    return value


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise Malformed("the file is not an entry")
    return value
