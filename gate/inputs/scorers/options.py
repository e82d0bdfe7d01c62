"""The score at which an answer passes."""

from gate.inputs.fields import Fields, Range

PASSING = Range(0, 1, above=True)
"""Of a score; with a threshold of 0 nothing could fail."""


def read_threshold(fields: Fields, key: str = "threshold") -> float | None:
    """The score at which an answer passes; None where it is not given."""
    hint = "a share of 1, such as 0.7; at 0 and below every answer would pass"
    return fields.number(key, 0.7, PASSING, hint) if fields.has(key) else None
