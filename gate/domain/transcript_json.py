"""A transcript as JSON and back; what does not read as one is refused, whoever wrote it."""

from collections.abc import Iterator
from dataclasses import asdict, astuple
from typing import cast

from pydantic import TypeAdapter, ValidationError

from gate.domain.jsonvalue import JsonValue
from gate.domain.transcript import Transcript
from gate.domain.usage import Dollars

_TRANSCRIPT = TypeAdapter(Transcript)
_MOST = 10**12


def transcript_json(transcript: Transcript) -> JsonValue:
    """The transcript as a JSON object."""
    return cast(JsonValue, asdict(transcript))


def transcript_of(value: object) -> Transcript:
    """The transcript that was written.

    Raises:
        ValueError: it is none; the text says where, in one line.
    """
    try:
        found = _TRANSCRIPT.validate_python(value)
    except (ValidationError, RecursionError) as error:
        raise ValueError(_told(error)) from None
    if not all(0 <= number <= _MOST for number in _numbers(found)):
        raise ValueError("a number in it is below 0, or far beyond any conversation")
    return found


def _numbers(transcript: Transcript) -> Iterator[float]:
    """All counts, seconds and dollars; none of them is compared with what it should be anywhere else."""
    yield from (*transcript.revived, transcript.aside.calls)
    costs = [transcript.aside.cost]
    for turn in transcript.turns:
        yield from (turn.round, turn.steps, *astuple(turn.usage))
        costs.append(turn.cost)
        for seconds in (turn.latency_s, *(use.latency_s for use in turn.tools)):
            yield seconds or 0
    yield from (cost.amount for cost in costs if isinstance(cost, Dollars))


def _told(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100]
    return f"{where}: {first['msg']}"
