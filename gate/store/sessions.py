"""Conversations that are closed and opened again within a run: one file each, gone with the run."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gate.domain.jsonvalue import JsonValue
from gate.domain.prompt import Message, Role
from gate.domain.tools import ToolCall
from gate.errors import GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.store.own_folder import make_folder
from gate.store.run_folder import write_whole

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """See `gate.targets.port.Sessions`.

    Args:
        folder: of this run alone; made when it is needed.
    """

    folder: Path

    def save(self, session: str, messages: Sequence[Message]) -> None:
        rows: list[JsonValue] = [
            [turn.role, turn.content, [[c.id, c.name, c.arguments] for c in turn.tool_calls], turn.answers, turn.failed]
            for turn in messages
        ]
        try:
            make_folder(self.folder)
        except GateError as error:
            raise OSError(0, error.message) from None
        write_whole(self._path(session), json.dumps(rows))

    def load(self, session: str) -> tuple[Message, ...] | None:
        try:
            rows = parse_json(self._path(session).read_text(encoding="utf-8"))
            return tuple(_message(row) for row in cast("list[list[JsonValue]]", rows))
        except (OSError, BadJson, ValueError, TypeError):
            return None

    def clear(self) -> None:
        """Remove them all."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, session: str) -> Path:
        if not _ID.fullmatch(session):
            raise ValueError(f"{session!r} is no id of a session")
        return self.folder / f"{session}.json"


def _message(row: list[JsonValue]) -> Message:
    role, content, calls, answers, failed = row
    asked = tuple(ToolCall(*call) for call in cast("list[tuple[str, str, str]]", calls))
    return Message(cast(Role, role), cast(str, content), asked, cast(str, answers), cast(bool, failed))
