"""Reads a judge's reply: a verdict on criteria or on each dimension of a rubric, or why it is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gate.config.documents import BadJson, parse_json
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.sample import Part, Reply, ending_of
from gate.scoring.verdict import ScoredReason, Verdict
from gate.values import JsonValue

LONGEST_REPLY = 200_000
"""Characters of a reply that are read."""

LONGEST_REASON = 20_000
"""Characters of one reason."""

_AGAINST = "the judge's reply is not the asked schema"
_WORDS = {
    "missing": "is missing",
    "string_type": "is not text",
    "string_too_long": "is too long",
    "string_too_short": "is empty",
    "float_type": "is not a number",
    "finite_number": "is not a number",
}


class Malformed(Exception):
    """A reply that is not a verdict.

    Args:
        reason: one line, without any text of the reply.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Mark(BaseModel):
    # Servers that ignore the schema add fields, which are not used.
    model_config = ConfigDict(extra="ignore", strict=True)
    reason: str = Field(min_length=1, max_length=LONGEST_REASON)
    score: float = Field(allow_inf_nan=False)


def read_object(reply: Reply) -> dict[str, JsonValue]:
    """The one JSON object of a reply.

    Servers that ignore the schema may put a Markdown fence or prose around it; a second brace outside of it makes it
    unclear which object is meant.

    Raises:
        Malformed: a refusal, an empty or cut reply, or not exactly one object.
    """
    ended, text = ending_of(reply), reply.text
    if ended == "refused":
        raise Malformed("the judge refused")
    if ended == "empty":
        raise Malformed("the judge's reply is empty")
    try:
        return _one_object(text)
    except Malformed:
        if ended == "cut off":
            raise Malformed("the judge's reply was cut off: raise max_output_tokens of its params") from None
        raise


def read_mark(found: JsonValue, scale: tuple[float, float], field: str = "") -> ScoredReason:
    """A reason with a score on a scale.

    Args:
        found: value where an object of `reason` and `score` was asked for.
        field: its place in the reply; empty for the reply itself.

    Raises:
        Malformed: it has another form.
    """
    place = f"{field}." if field else ""
    if not isinstance(found, Mapping):
        raise Malformed(f"{_AGAINST}: {field or 'the reply'} is not an object")
    try:
        mark = _Mark.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name, what = str(first["loc"][0]), _WORDS.get(first["type"], "cannot be used")
        raise Malformed(f"{_AGAINST}: {place}{name} {what}") from None
    low, high = scale
    if not low <= mark.score <= high:
        raise Malformed(f"{_AGAINST}: {place}score is not within {low:g} to {high:g}")
    if not mark.reason.strip():
        raise Malformed(f"{_AGAINST}: {place}reason is empty")
    return ScoredReason(mark.reason, mark.score, field)


def read_marks(
    found: Mapping[str, JsonValue], fields: tuple[str, ...], scale: tuple[float, float], *, whole: bool = False
) -> list[ScoredReason]:
    """A reason with a score for each requested field.

    Args:
        whole: the scores are whole numbers; 4.0 is 4. Servers that ignore the schema may send 4.5, which is refused.

    Raises:
        Malformed: a field is missing or has another form.
    """
    for field in fields:
        if field not in found:
            raise Malformed(f"{_AGAINST}: {field} is missing")
    marks = [read_mark(found[field], scale, field) for field in fields]
    for mark in marks:
        if whole and not mark.score.is_integer():
            raise Malformed(f"{_AGAINST}: {mark.field}.score is not a whole number")
    return marks


def read_preference(found: Mapping[str, JsonValue], words: tuple[str, ...]) -> tuple[str, str]:
    """A reason, and which of two answers is better.

    Args:
        words: the permitted values.

    Raises:
        Malformed: it has another form.
    """
    reason, better = found.get("reason"), found.get("better")
    if not isinstance(reason, str) or not reason.strip() or len(reason) > LONGEST_REASON:
        raise Malformed(f"{_AGAINST}: reason must be a text")
    if not isinstance(better, str) or better not in words:
        raise Malformed(f"{_AGAINST}: better must be {', '.join(words)}")
    return reason, better


def _one_object(text: str) -> dict[str, JsonValue]:
    if len(text) > LONGEST_REPLY:
        raise Malformed(f"the judge's reply is longer than {LONGEST_REPLY:,} characters")
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        raise Malformed(f"{_AGAINST}: there is no JSON object in it")
    try:
        # Two objects, or a brace in the text around one, are not JSON.
        found = parse_json(text[start : end + 1])
    except BadJson:
        raise Malformed(f"{_AGAINST}: it holds no JSON object, or more than one") from None
    if not isinstance(found, dict) or "[" in text[:start] or "]" in text[end + 1 :]:
        raise Malformed(f"{_AGAINST}: it is not one JSON object")
    return found


SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
"""The reason comes first, so that the score rests on it. No ranges: not every interface takes them."""


class VerdictForm(Protocol):
    """Defines how a verdict is asked for and read."""

    @property
    def schema(self) -> Mapping[str, JsonValue]:
        """JSON Schema of a reply."""
        ...

    def read(self, reply: Reply) -> Verdict:
        """Raises `gate.scoring.judge_reply.Malformed` for a reply that is no verdict."""
        ...


def verdict_form(spec: ScorerSpec) -> VerdictForm:
    """The form of a scorer that asks a model."""
    return RubricForm(Rubric.of(spec.options)) if spec.kind == "rubric" else CriteriaForm()


@dataclass(frozen=True, slots=True)
class CriteriaForm:
    """One score in [0, 1]."""

    @property
    def schema(self) -> Mapping[str, JsonValue]:
        return SCHEMA

    def read(self, reply: Reply) -> Verdict:
        mark = read_mark(read_object(reply), (0.0, 1.0))
        return Verdict(mark.score, mark.reason, (mark,))


@dataclass(frozen=True, slots=True)
class RubricForm:
    """A score on the rubric's scale for each dimension; their weighted mean, in [0, 1], is the value."""

    rubric: Rubric

    @property
    def schema(self) -> Mapping[str, JsonValue]:
        fields, grades = self.rubric.fields, self.rubric.grades
        # Every interface accepts an enum, so that no reply can be 7 of 5.
        score: JsonValue = {"type": "integer", "enum": [*grades]} if grades else {"type": "number"}
        each: JsonValue = {**SCHEMA, "properties": {"reason": {"type": "string"}, "score": score}}
        return {
            "type": "object",
            "properties": dict.fromkeys(fields, each),
            "required": list(fields),
            "additionalProperties": False,
        }

    def read(self, reply: Reply) -> Verdict:
        rubric = self.rubric
        scale, whole = (rubric.low, rubric.high), bool(rubric.grades)
        marks = tuple(read_marks(read_object(reply), rubric.fields, scale, whole=whole))
        pairs = tuple(zip(rubric.dimensions, marks, strict=True))
        parts = tuple(Part("dimension", one.name, rubric.share(mark.score), one.weight) for one, mark in pairs)
        # The lowest first: if the reason is cut, the cause of the low score remains.
        *told, last = (self._told(one.name, mark) for one, mark in sorted(pairs, key=lambda pair: pair[1].score))
        # Judges write sentences; in a list only the last keeps its full stop.
        return Verdict(weighted_mean(parts), "; ".join([*(one.removesuffix(".") for one in told), last]), marks, parts)

    def _told(self, name: str, mark: ScoredReason) -> str:
        return f"{name} {mark.score:g} of {self.rubric.high:g}: {mark.reason.strip()}"


def weighted_mean(parts: tuple[Part, ...]) -> float:
    """The weighted mean of parts, in [0, 1]."""
    mean = fsum(part.weight * part.value for part in parts) / fsum(part.weight for part in parts)
    return min(1.0, max(0.0, mean))
