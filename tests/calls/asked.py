"""Requests, replies and stores for tests of what is kept."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.calls.answer_file import CacheOptions
from gate.calls.cache import AnswerStore
from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.messages import Message
from gate.record.transcript import Dollars, Origin, Reply, Usage

NOW = 1_800_000_000.0
DAY = 86_400.0


@dataclass
class Wall:
    """A clock that stands where it is put."""

    now: float = NOW

    def __call__(self) -> float:
        return self.now


def asked(text: str = "hello", index: int = 0) -> Request:
    return Request((Message("system", "be kind"), Message("user", text)), ModelRef("openai", "m"), Params(), index)


def answer(text: str = "hi", origin: Origin | None = None) -> Reply:
    return Reply(text, "m-2026", Usage(10, 2, 3, 4), Dollars(0.25), 0.5, 2, "stop", origin or Origin())


def address(model: ModelRef) -> str:
    return "https://api.example.com/v1"


def store(
    path: Path,
    sitting: str = "one",
    options: CacheOptions | None = None,
    clock: Callable[[], float] | None = None,
) -> AnswerStore:
    return AnswerStore(path, address, sitting, options, clock or Wall())
