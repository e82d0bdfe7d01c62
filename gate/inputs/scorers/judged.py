"""Options of scorers that ask a model, and what they say together."""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.domain.rubric import SCALE
from gate.inputs import rubrics, schemaparts
from gate.inputs.fields import Fields
from gate.inputs.scorers.kind import Rule
from gate.inputs.scorers.options import Option

COMBINE = ("mean", "median", "majority")
"""How the opinions of a jury become one score."""
USUAL = "median"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale(Option):
    """Both ends of a rubric's scale."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        return None if fields.has("file") else rubrics.read_scale(fields)

    def schema(self) -> JsonValue:
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": schemaparts.number(rubrics.ENDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleThreshold(Option):
    """A weighted average, on a rubric's scale."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        return None if fields.has("file") else rubrics.read_threshold(fields)

    def schema(self) -> JsonValue:
        return schemaparts.number(rubrics.ENDS)


@dataclass(frozen=True, slots=True)
class UsualScale(Rule):
    """Without a scale a rubric's threshold lies on the usual one; `rubrics.read_threshold` tells what does not."""

    def complaint(self, fields: Fields, options: Mapping[str, JsonValue]) -> str:
        return ""

    def schema(self) -> dict[str, JsonValue]:
        on_scale = schemaparts.number(rubrics.passing(*SCALE))
        return {"if": {"not": {"required": ["scale"]}}, "then": {"properties": {"threshold": on_scale}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimensions(Option):
    """What a rubric scores."""

    def read(self, fields: Fields, key: str) -> JsonValue:
        return rubrics.read_dimensions(fields) if fields.has(key) and not fields.has("file") else None

    def schema(self) -> JsonValue:
        text = schemaparts.string(rubrics.DESCRIPTION_CHARS)
        one: dict[str, JsonValue] = {
            "name": schemaparts.string(),
            "weight": schemaparts.number(rubrics.SHARE),
            "description": text,
            "anchors": {"type": ["object", "null"], "maxProperties": rubrics.ANCHORS, "additionalProperties": text},
        }
        items = schemaparts.mapping(one, required=("name", "description"))
        return {"type": "array", "minItems": 1, "maxItems": rubrics.DIMENSIONS, "items": items}


def check_judge(fields: Fields, options: dict[str, JsonValue]) -> None:
    """One model, or a jury with a way to combine its opinions."""
    if fields.has("model") and fields.has("models"):
        fields.problems.add(fields.line_of("models"), f"{fields.name} has both model and models", "keep one of the two")
    if fields.has("combine") and not fields.has("models"):
        said = f"{fields.name}.combine is about several models, and models names none"
        fields.problems.add(fields.line_of("combine"), said, "for example models: [openai:gpt-5, anthropic:claude-x]")
    if options.get("models"):
        options.setdefault("combine", USUAL)


def check_rubric(fields: Fields, options: dict[str, JsonValue]) -> None:
    """The dimensions are in a file of their own, or here; and as `check_judge`."""
    check_judge(fields, options)
    if not fields.has("file"):
        return
    for key in rubrics.KEYS:
        if fields.has(key):
            said = f"{fields.name}.{key} stands in the file that {fields.name}.file names"
            fields.problems.add(fields.line_of(key), said, "take it out here, or take file out")
