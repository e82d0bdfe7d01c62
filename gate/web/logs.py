"""One log line per request and per server error, without forms, queries or cookies."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Literal, TextIO, TypeAlias

Format: TypeAlias = Literal["text", "json"]
Log: TypeAlias = Callable[["AnsweredRequest | Fault"], None]


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A request that was answered.

    Args:
        request: request id, which the answer has as well.
        route: template of the address, such as `/runs/{id}`; empty if there is none.
    """

    time: datetime
    request: str
    method: str
    route: str
    status: int
    ms: float
    person: str = ""
    error: str = ""
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error outside of requests."""

    time: datetime
    level: str
    error: str
    traceback: str = ""


def no_log(event: "AnsweredRequest | Fault") -> None:
    """Ignores the event."""


def log_to(stream: TextIO, form: Format) -> Log:
    """Writes each event as a line; a closed stream is ignored."""
    line = _json if form == "json" else _text

    def write(event: AnsweredRequest | Fault) -> None:
        try:
            stream.write(f"{line(event)}\n")
            stream.flush()
        except (OSError, ValueError):
            return

    return write


class LibraryLogHandler(logging.Handler):
    """Sends log records of libraries to the same log."""

    def __init__(self, log: Log, now: Callable[[], datetime]) -> None:
        super().__init__(logging.WARNING)
        self._log, self._now = log, now

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record of a library."""
        formatter = logging.Formatter()
        trace = formatter.formatException(record.exc_info) if record.exc_info else ""
        self._log(Fault(self._now(), record.levelname.lower(), record.getMessage(), trace))


@contextmanager
def library_logs(log: Log, now: Callable[[], datetime]) -> Iterator[None]:
    """Sends warnings of libraries to the log, so that all its lines are JSON."""
    handler, root = LibraryLogHandler(log, now), logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def _json(event: AnsweredRequest | Fault) -> str:
    """ASCII JSON, so that no name controls a terminal or ends the line."""
    return json.dumps({name: value for name, value in _told(event).items() if value != "" or name == "route"})


def _text(event: AnsweredRequest | Fault) -> str:
    time = event.time.astimezone(UTC).isoformat(sep=" ", timespec="seconds")[:19]
    if isinstance(event, AnsweredRequest):
        parts = [time, str(event.status), event.method, event.route or "-", f"{event.ms:.0f} ms", event.request]
        parts += [event.person] if event.person else []
    else:
        parts = [time, event.level]
    line = " ".join([*parts, event.error])
    return "\n".join(_plain(one) for one in [line.rstrip(), *event.traceback.splitlines()])


def _told(event: AnsweredRequest | Fault) -> Mapping[str, str | int | float]:
    found = {one.name: getattr(event, one.name) for one in fields(event)}
    found["time"] = event.time.astimezone(UTC).isoformat(timespec="milliseconds")
    if isinstance(event, AnsweredRequest):
        found["ms"] = round(event.ms, 1)
    return found


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else "�" for sign in text)
