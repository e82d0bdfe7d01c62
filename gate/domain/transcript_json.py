"""A transcript as JSON and back; what does not read as one is refused, whoever wrote it."""

from dataclasses import asdict
from typing import cast

from pydantic import TypeAdapter, ValidationError

from gate.domain.jsonvalue import JsonValue
from gate.domain.transcript import Transcript

_TRANSCRIPT = TypeAdapter(Transcript)


def transcript_json(transcript: Transcript) -> JsonValue:
    """The transcript as a JSON object."""
    return cast(JsonValue, asdict(transcript))


def transcript_of(value: object) -> Transcript:
    """The transcript that was written.

    Raises:
        ValueError: it is none; the text says where, in one line.
    """
    try:
        return _TRANSCRIPT.validate_python(value)
    except (ValidationError, RecursionError) as error:
        raise ValueError(_told(error)) from None


def _told(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100]
    return f"{where}: {first['msg']}"
