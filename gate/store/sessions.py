"""Conversations that are closed and opened again within a run: one file each, gone with the run."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from gate.domain.message import Message
from gate.errors import GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.store.own_folder import make_folder
from gate.store.run_folder import write_whole

_MESSAGES = TypeAdapter(tuple[Message, ...])
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """See `gate.targets.port.Sessions`.

    Args:
        folder: of this run alone; made when it is needed.
    """

    folder: Path

    def save(self, session: str, messages: Sequence[Message]) -> None:
        try:
            make_folder(self.folder)
        except GateError as error:
            raise OSError(0, error.message) from None
        write_whole(self._path(session), json.dumps([asdict(message) for message in messages]))

    def load(self, session: str) -> tuple[Message, ...] | None:
        try:
            return _MESSAGES.validate_python(parse_json(self._path(session).read_text(encoding="utf-8")))
        except (OSError, BadJson, ValueError):
            return None

    def clear(self) -> None:
        """Remove them all."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, session: str) -> Path:
        if not _ID.fullmatch(session):
            raise ValueError(f"{session!r} is no id of a session")
        return self.folder / f"{session}.json"
