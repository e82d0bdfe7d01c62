"""Numbers that a record may hold: what lies outside was not written by this program, or was changed since.

The upper ends are far beyond any run; they keep sums and products of what is read within the range of floats.
"""

from typing import Annotated, TypeAlias

from pydantic import Field

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
