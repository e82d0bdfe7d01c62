"""Recorded answers as a model: `replay:PATH.jsonl`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.calls.interface import Completion, RejectedRequest, Request
from gate.calls.providers.fake import split_messages
from gate.calls.untrusted import Cleaner, MalformedReply, json_object, object_at, token_count
from gate.config.models import Params
from gate.errors import InputErrors, Problem
from gate.record.transcript import Usage
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class ReplayProvider:
    """Answers the last user message with its recorded answers; sample k gets the k-th one, then they repeat."""

    recorded: Mapping[str, tuple[Completion, ...]] = field(repr=False)
    max_in_flight: int | None = None
    priced: bool = False
    lane: str = ""

    def check(self, params: Params) -> None:
        """Does nothing: parameters were chosen when the answers were recorded."""

    async def complete(self, request: Request) -> Completion:
        """Answer from the record."""
        _, user = split_messages(request.messages)
        answers = self.recorded.get(user)
        if not answers:
            raise RejectedRequest(f"no recorded output for the input {Cleaner().line(user, 80)!r}")
        return answers[request.index % len(answers)]

    async def close(self) -> None:
        """Does nothing."""


def parse_answers(text: str, where: str) -> ReplayProvider:
    """Read recorded answers. Raises `InputErrors`.

    Args:
        text: JSON Lines; each row has `input` (the user message as it was sent) and `output`, and may have `model`,
            `latency_s` (seconds) and `usage` (`input_tokens`, `cache_read_tokens`, `cache_write_tokens`,
            `output_tokens`). Other fields are ignored.
        where: the file, for errors.
    """
    recorded: dict[str, list[Completion]] = {}
    problems: list[Problem] = []
    # Not splitlines: a line separator inside a JSON string is part of the string.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json_object(line.encode())
            recorded.setdefault(_text(row, "input"), []).append(_completion(row))
        except MalformedReply as error:
            problems.append(Problem(where, number, str(error).replace("the reply", "the row"), _HINT))
    if not recorded and not problems:
        problems.append(Problem(where, 0, "there is no recorded output", _HINT))
    if problems:
        raise InputErrors(problems)
    return ReplayProvider({key: tuple(answers) for key, answers in recorded.items()})


_HINT = 'write one JSON object per line: {"input": "…", "output": "…"}'


def _completion(row: dict[str, JsonValue]) -> Completion:
    model, usage = row.get("model"), object_at(row, "usage")
    return Completion(
        text=Cleaner().text(_text(row, "output")),
        model_id=Cleaner().line(model, 200) or "replay",
        usage=Usage(
            token_count(usage.get("input_tokens")) or 0,
            token_count(usage.get("cache_read_tokens")) or 0,
            token_count(usage.get("cache_write_tokens")) or 0,
            token_count(usage.get("output_tokens")) or 0,
        ),
        latency_s=_seconds(row.get("latency_s")),
        stop_reason="replay",
    )


def _text(row: dict[str, JsonValue], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise MalformedReply(f"`{key}` is missing or is not text")
    return value


def _seconds(value: JsonValue) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < 1e9:
        raise MalformedReply("`latency_s` is not a number of seconds")
    return float(value)
