"""Rubrics, in a separate file or inside a scorer: dimensions with weights, and one scale."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from gate.config.documents import quoted, read_yaml
from gate.config.validation import FileModel, file_schema, validate, value_error, value_errors
from gate.config.values import Name
from gate.values import JsonValue

SCALE = (1.0, 5.0)
THRESHOLD = 3.5
"""Of 5; on another scale the same share of it."""

MOST_GRADES = 10
"""Steps of a scale on which a judge gives whole numbers; on a finer one it gives any number."""

_NOT_A_WORD = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_FIELD = 40


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a rubric.

    Args:
        weight: share in the score; the weights of a rubric sum to 1.
        anchors: description of an answer for certain scores, lowest first.
    """

    name: str
    description: str
    weight: float
    anchors: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """Dimensions with their scale.

    Args:
        dimensions: one or more.
        low, high: ends of the scale, inclusive.
        threshold: the weighted average at which an answer passes, in units of the scale.
    """

    dimensions: tuple[Dimension, ...]
    low: float = SCALE[0]
    high: float = SCALE[1]
    threshold: float = THRESHOLD

    @classmethod
    def of(cls, options: Mapping[str, JsonValue]) -> "Rubric":
        """The rubric in the options of a scorer.

        Args:
            options: parsed, with `dimensions`, `scale` and `threshold`.
        """
        found: Any = options
        low, high = map(float, found.get("scale") or SCALE)
        given = found.get("threshold")
        threshold = usual_threshold(low, high) if given is None else float(given)
        dimensions = []
        for one in found.get("dimensions") or ():
            anchors = sorted((float(score), str(text)) for score, text in one.get("anchors", {}).items())
            dimensions.append(Dimension(one["name"], one["description"], float(one["weight"]), tuple(anchors)))
        return cls(tuple(dimensions), low, high, threshold)

    @property
    def mark(self) -> float:
        """The threshold in [0, 1]."""
        return self.share(self.threshold)

    @property
    def fields(self) -> tuple[str, ...]:
        """A property name for each dimension: only letters, digits and `_`."""
        return tuple(_fields(one.name for one in self.dimensions))

    @property
    def grades(self) -> tuple[int, ...]:
        """The scores that a judge may give if the scale has integer ends and few steps; else empty."""
        if not (self.low.is_integer() and self.high.is_integer()) or self.high - self.low > MOST_GRADES:
            return ()
        return tuple(range(int(self.low), int(self.high) + 1))

    def share(self, score: float) -> float:
        """Convert a score of the scale to [0, 1]."""
        return (score - self.low) / (self.high - self.low)

    def score(self, share: float) -> float:
        """Convert a value in [0, 1] to the scale."""
        return self.low + share * (self.high - self.low)


def usual_threshold(low: float, high: float) -> float:
    """The default threshold of a rubric."""
    return low + (THRESHOLD - SCALE[0]) / (SCALE[1] - SCALE[0]) * (high - low)


def _fields(names: Iterable[str]) -> Iterable[str]:
    taken: set[str] = set()
    for number, name in enumerate(names, start=1):
        word = _NOT_A_WORD.sub("_", name).strip("_").lower()[:_LONGEST_FIELD] or "dimension"
        free = word if word not in taken else f"{word}_{number}"
        taken.add(free)
        yield free


_TOLERANCE = 1e-6
"""Of a sum of weights; so 0.3333 three times is not 1."""
_Description = Annotated[str, Field(pattern=r"\S", max_length=4_000)]
_End = Annotated[float, Field(ge=-1e6, le=1e6)]


class DimensionOptions(FileModel):
    """One thing that an answer is scored on."""

    name: Name = Field(examples=["brevity"], description="Unique in the rubric.")
    description: _Description = Field(
        examples=["One or two short sentences, no filler."], description="What the judge looks for."
    )
    weight: float | None = Field(
        default=None,
        gt=0,
        le=1,
        examples=[0.2],
        description="Share in the average. All weights sum to 1, or all are left out.",
    )
    anchors: dict[str, _Description] = Field(
        default={},
        max_length=20,
        description="Examples of single scores, by score.",
    )

    @field_validator("name")
    @classmethod
    def _printable(cls, name: str) -> str:
        if not name.isprintable():
            raise value_error("contains a control character")
        return name

    @field_validator("anchors")
    @classmethod
    def _check_scores(cls, anchors: dict[str, str]) -> dict[str, str]:
        found: dict[float, str] = {}
        for key, text in anchors.items():
            score = _score(key)
            if score is None:
                raise value_errors(((key,), "is not a score", "for example 1: Says it twice."))
            if score in found:
                raise value_errors(((key,), "has the same score twice", ""))
            found[score] = " ".join(text.split())
        return {f"{score:g}": found[score] for score in sorted(found)}


class RubricOptions(FileModel):
    """Options that define a rubric."""

    scale: list[_End] = Field(
        default=[*SCALE],
        min_length=2,
        max_length=2,
        description="Ends of the scale, lower first. Default: 1 to 5.",
    )
    threshold: float | None = Field(
        default=None, ge=-1e6, le=1e6, description="Weighted average at which an answer passes."
    )
    dimensions: list[DimensionOptions] | None = Field(
        default=None, min_length=1, max_length=30, description="Dimensions, each scored separately."
    )

    @field_validator("scale")
    @classmethod
    def _check_scale(cls, scale: list[float]) -> list[float]:
        if scale[0] >= scale[1]:
            shown = f"[{scale[0]:,.15g}, {scale[1]:,.15g}]"
            raise value_error(f"must be two numbers, the lower one first, not {shown}", "for example [1, 5]")
        return scale

    @field_validator("threshold")
    @classmethod
    def _check_threshold(cls, threshold: float | None, info: ValidationInfo) -> float | None:
        low, high = info.data.get("scale", (-math.inf, math.inf))
        if threshold is not None and not low < threshold <= high:
            message = f"must be a number above {low:,.15g} to {high:,.15g}, not {threshold:,.15g}"
            raise value_error(message, f"at {low:,.15g} and below every answer would pass")
        return threshold

    @model_validator(mode="after")
    def _check_anchors(self) -> Self:
        low, high = self.scale
        for at, dimension in enumerate(self.dimensions or ()):
            for key in dimension.anchors:
                if not low <= float(key) <= high:
                    message = f"is outside the scale {low:g} to {high:g}"
                    raise value_errors((("dimensions", at, "anchors", key), message, ""))
        return self

    @field_validator("dimensions")
    @classmethod
    def _check_weights(cls, dimensions: list[DimensionOptions] | None) -> list[DimensionOptions] | None:
        """All or none have weights, and weights sum to 1."""
        names = [one.name for one in dimensions or ()]
        for at, name in enumerate(names):
            if name in names[:at]:
                raise value_errors(((at,), f"is the second dimension named {quoted(name)}", "rename one of them"))
        bare = [one.name for one in dimensions or () if one.weight is None]
        if 0 < len(bare) < len(names):
            listed = ", ".join(map(quoted, bare))
            raise value_error(f"has no weight for {listed}", "give a weight to every dimension or to none")
        total = math.fsum(one.weight or 0.0 for one in dimensions or ())
        if names and not bare and abs(total - 1.0) > _TOLERANCE:
            raise value_error(f"has weights that sum to {total:.6g}, not to 1", "for example 0.5, 0.3 and 0.2")
        return dimensions

    def rubric(self) -> dict[str, JsonValue]:
        """Scale, threshold and dimensions with defaults applied, for `Rubric.of`."""
        low, high = self.scale
        several = self.dimensions or []
        threshold = usual_threshold(low, high) if self.threshold is None else self.threshold
        listed: list[JsonValue] = [
            {
                "name": one.name,
                "description": " ".join(one.description.split()),
                "weight": 1.0 / len(several) if one.weight is None else one.weight,
                "anchors": dict(one.anchors),
            }
            for one in several
        ]
        return {"scale": [low, high], "threshold": threshold, "dimensions": listed}


class RubricFile(RubricOptions):
    """A rubric's own file."""

    dimensions: list[DimensionOptions] = Field(
        min_length=1,
        max_length=30,
        examples=["[{name: brevity, description: …}]"],
        description="Dimensions, each scored separately.",
    )


def parse_rubric(text: str, file: str) -> dict[str, Any]:
    """Read the file of a rubric.

    Returns:
        The options `scale`, `threshold` and `dimensions`.
    """
    document = read_yaml(text, file)
    return validate(RubricFile, document).rubric()


def _score(key: str) -> float | None:
    try:
        score = float(key) if len(key) <= 30 else math.nan
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def rubric_schema() -> dict[str, Any]:
    """The JSON Schema of the file of a rubric."""
    return file_schema(RubricFile, "rubric", "https://prompt-gate.dev/schemas/rubric/1")
