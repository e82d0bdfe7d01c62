"""Conversations of the built-in tool loop on disk, so that they can be continued while the run lasts."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from gate.errors import GateError
from gate.files import make_gate_folder, write_whole
from gate.messages import Message
from gate.values import parsed, written

_MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """See `gate.agents.interface.Sessions`."""

    folder: Path

    def save(self, session: str, messages: Sequence[Message]) -> None:
        try:
            make_gate_folder(self.folder)
        except GateError as error:
            raise OSError(0, error.message) from None
        write_whole(self._path(session), written(_MESSAGES, tuple(messages)).decode())

    def load(self, session: str) -> tuple[Message, ...] | None:
        try:
            return _MESSAGES.validate_python(parsed(self._path(session).read_bytes()))
        except (OSError, ValueError):
            return None

    def clear(self) -> None:
        """Remove all sessions."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, session: str) -> Path:
        if not _ID.fullmatch(session):
            raise ValueError(f"{session!r} is no id of a session")
        return self.folder / f"{session}.json"
