"""An answer cache in memory, or in a file for tests with several processes."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.calls.batches.ledger import request_id
from gate.calls.interface import AnswerNotSaved, Request
from gate.record.transcript import Reply


@dataclass
class Answers:
    """Stores answers by request.

    Args:
        full: refuse to store more answers than this.
        file: receives a line for each answer, and is read at the start.
    """

    full: int | None = None
    file: Path | None = None
    kept: dict[str, Reply | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            self.kept.update(dict.fromkeys(json.loads(line)["key"] for line in self.file.open()))

    def find(self, request: Request) -> Reply | None:
        known = self.kept.get(request_id(request))
        return known and replace(known, origin=replace(known.origin, reused=True))

    async def keep(self, request: Request, reply: Reply) -> Reply:
        if self.full is not None and len(self.kept) >= self.full:
            raise AnswerNotSaved("the disk is full")
        self.kept[request_id(request)] = reply
        if self.file is not None:
            with self.file.open("a") as file:
                file.write(json.dumps({"key": request_id(request), "text": reply.text}) + "\n")
        return reply
