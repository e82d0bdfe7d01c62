"""Every kind of scorer with its options: what configuration, cases and the JSON Schema of `gate.yaml` go by."""

from collections.abc import Mapping

from gate.inputs.scorers.judged import COMBINE, Dimensions, Scale, ScaleThreshold, UsualScale, check_judge, check_rubric
from gate.inputs.scorers.kind import AtLeastOne, Kind
from gate.inputs.scorers.options import Choice, File, Flag, Model, ModelParams, Models, Option, Template, Threshold
from gate.inputs.scorers.validators import VALIDATORS

_ASKING: Mapping[str, Option] = {
    "model": Model(),
    "models": Models(),
    "combine": Choice(words=COMBINE),
    "params": ModelParams(),
    "template": File(),
    "sees_input": Flag(default=True),
    "sees_expected": Flag(default=True),
    "calibration": File(),
}
"""What every scorer has that asks a model."""
_OF_ONE_MODEL = ("model", "params", "template", "sees_input", "sees_expected")
_NOT_OF_MODELS = ("negate",)
"""Criteria can say the opposite."""

KINDS: Mapping[str, Kind] = {
    **VALIDATORS,
    "judge": Kind(
        {"criteria": Template(), "threshold": Threshold(), **_ASKING},
        "criteria",
        without=_NOT_OF_MODELS,
        check=check_judge,
    ),
    "rubric": Kind(
        {
            "file": File(),
            "scale": Scale(),
            "threshold": ScaleThreshold(),
            "dimensions": Dimensions(),
            **_ASKING,
        },
        "file",
        rules=(AtLeastOne(("file", "dimensions")), UsualScale()),
        without=_NOT_OF_MODELS,
        check=check_rubric,
    ),
    "pairwise": Kind(
        {"criteria": Template(), **{key: _ASKING[key] for key in _OF_ONE_MODEL}},
        "criteria",
        without=(*_NOT_OF_MODELS, "required"),
    ),
}
