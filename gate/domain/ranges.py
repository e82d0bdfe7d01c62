"""What every part of a record has in common: the base model, and the ranges of its numbers.

A number outside of its range was not written by this program, or was changed since. The upper ends are far beyond any
run; they keep sums and products of what is read within the range of floats.
"""

import re
from inspect import cleandoc
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

_ARGUMENT = re.compile(r"^    ([a-z0-9_, ]+): (.*)$")


def describe(schema: dict[str, Any], kind: type) -> None:
    """Move the lines under `Args:` of a class to the properties of its JSON Schema.

    Args:
        schema: of the class; changed in place.
        kind: the class.
    """
    about, _, arguments = cleandoc(kind.__doc__ or "").partition("\n\nArgs:\n")
    schema["description"] = " ".join(about.split())
    keys: list[dict[str, Any]] = []
    for line in arguments.splitlines():
        if started := _ARGUMENT.match(line):
            keys = [schema["properties"].get(name, {}) for name in started[1].split(", ")]
            for key in keys:
                key["description"] = started[2]
        else:
            for key in keys:
                key["description"] += f" {line.strip()}"


WRITTEN = ConfigDict(extra="forbid", json_schema_extra=describe)
"""Of dataclasses that are written to files and read back as they are: `__pydantic_config__`."""

COMPLETE = ConfigDict(**WRITTEN, json_schema_serialization_defaults_required=True)
"""The same, of those of which every key is written, whatever its value."""


class RecordPart(BaseModel):
    """Any part of a record: frozen, and without a key that this version does not know."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        json_schema_extra=describe,
        json_schema_serialization_defaults_required=True,
    )


_ROUNDING = 1e-9
"""Means and weighted means may leave their range by rounding."""

Count: TypeAlias = Annotated[int, Field(ge=0, le=10**12)]
"""Cases, calls, characters, positions."""

Tries: TypeAlias = Annotated[int, Field(ge=0, le=65_535)]
"""Requests for one sample or one score."""

Tokens: TypeAlias = Annotated[int, Field(ge=0, le=10**18)]
"""Summed over replies."""

SampleCount: TypeAlias = Annotated[int, Field(ge=1, le=100)]
"""k; the same range as `samples` in `gate.yaml`."""

Share: TypeAlias = Annotated[float, Field(ge=-_ROUNDING, le=1.0 + _ROUNDING)]
"""Scores, rates, probabilities."""

Delta: TypeAlias = Annotated[float, Field(ge=-1.0 - _ROUNDING, le=1.0 + _ROUNDING)]
"""A difference of scores or rates, and the bounds of one."""

Level: TypeAlias = Annotated[float, Field(ge=1e-17, lt=0.5)]
"""A one-sided level; the lower end lies below that of the highest confidence that a float can hold."""

Amount: TypeAlias = Annotated[float, Field(ge=0.0, le=1e12)]
"""Seconds or dollars."""

Difference: TypeAlias = Annotated[float, Field(ge=-1e12, le=1e12)]
"""Of seconds, dollars or shares."""

Relative: TypeAlias = Annotated[float, Field(ge=-1.0 - _ROUNDING, allow_inf_nan=False)]
"""A relative change: 0.12 is +12 %. Nothing bounds it from above."""

Scores: TypeAlias = Annotated[list[Share | None], Field(max_length=100)]
"""Of the samples of one arm on one case; None where there is no score."""
