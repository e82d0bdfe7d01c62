"""Every kind of scorer with its options: what configuration, cases and the JSON Schema of `gate.yaml` go by."""

from collections.abc import Mapping

from gate.inputs.fields import Range
from gate.inputs.scorers.kind import Kind
from gate.inputs.scorers.options import Flag, Model, ModelParams, Number, Option, Template, Word
from gate.inputs.scorers.validators import THRESHOLD, VALIDATORS

WEIGHT = Range(0, 1000, above=True)
PASSING = Range(0, 1, above=True)
"""Of a combined score."""

COMMON: Mapping[str, Option] = {
    "name": Word(),
    "weight": Number(allowed=WEIGHT, default=1.0),
    "required": Flag(default=False),
    "negate": Flag(default=False),
}
"""What every scorer has."""

KINDS: Mapping[str, Kind] = {
    **VALIDATORS,
    "judge": Kind(
        {
            "criteria": Template(example='criteria: "Answers only what was asked"'),
            "model": Model(),
            "threshold": Number(allowed=THRESHOLD, default=0.7),
            "params": ModelParams(),
        },
        "criteria",
    ),
}
