"""The two forms that a verdict takes: one score for criteria, or one for each dimension of a rubric."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import Protocol

from gate.config.scorerspec import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.rubric import Rubric
from gate.domain.sample import Part, Reply
from gate.scoring.parsing import read_mark, read_marks, read_object
from gate.scoring.verdict import Mark, Verdict

SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
"""The reason comes first, so that the score rests on it. No ranges: not every interface takes them."""


class Form(Protocol):
    """How a verdict is asked for, and read."""

    @property
    def schema(self) -> Mapping[str, JsonValue]:
        """JSON Schema of a reply."""
        ...

    def read(self, reply: Reply) -> Verdict:
        """Raises `gate.scoring.parsing.Malformed` for a reply that is no verdict."""
        ...


def form_of(spec: ScorerSpec) -> Form:
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
        # Every interface takes a list of values, and no reply can then be 7 of 5.
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
        # The lowest first: where a reason is cut, it is what the score fell by that is left.
        *told, last = (self._told(one.name, mark) for one, mark in sorted(pairs, key=lambda pair: pair[1].score))
        # Judges write sentences; in a row only the last keeps its full stop.
        return Verdict(weighted(parts), "; ".join([*(one.removesuffix(".") for one in told), last]), marks, parts)

    def _told(self, name: str, mark: Mark) -> str:
        return f"{name} {mark.score:g} of {self.rubric.high:g}: {mark.reason.strip()}"


def weighted(parts: tuple[Part, ...]) -> float:
    """The weighted mean of some parts, in [0, 1]."""
    mean = fsum(part.weight * part.value for part in parts) / fsum(part.weight for part in parts)
    return min(1.0, max(0.0, mean))
