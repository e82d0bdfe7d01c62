"""The form of a judge's reply, and reading it: a verdict, or why it is not one."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gate.config.documents import BadJson, parse_json
from gate.config.rubrics import Rubric
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Part, Reply, ending_of
from gate.scoring.interface import weighted_mean
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


class MalformedVerdict(Exception):
    """A reply that is not a verdict; the reason is one line, without any text of the reply."""

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
    unclear which object is meant. Raises `MalformedVerdict`.
    """
    ended = ending_of(reply)
    if ended == "refused":
        raise MalformedVerdict("the judge refused")
    if ended == "empty":
        raise MalformedVerdict("the judge's reply is empty")
    try:
        return _one_object(reply.text)
    except MalformedVerdict:
        if ended == "cut off":
            raise MalformedVerdict("the judge's reply was cut off: raise max_output_tokens of its params") from None
        raise


def _one_object(text: str) -> dict[str, JsonValue]:
    if len(text) > LONGEST_REPLY:
        raise MalformedVerdict(f"the judge's reply is longer than {LONGEST_REPLY:,} characters")
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        raise MalformedVerdict(f"{_AGAINST}: there is no JSON object in it")
    try:
        # Two objects, or a brace in the text around one, are not JSON.
        found = parse_json(text[start : end + 1])
    except BadJson:
        raise MalformedVerdict(f"{_AGAINST}: it holds no JSON object, or more than one") from None
    if not isinstance(found, dict) or "[" in text[:start] or "]" in text[end + 1 :]:
        raise MalformedVerdict(f"{_AGAINST}: it is not one JSON object")
    return found


def _schema(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


SCHEMA = _schema({"reason": {"type": "string"}, "score": {"type": "number"}})
"""The reason comes first, so that the score rests on it. No ranges: not every interface takes them."""


@dataclass(frozen=True, slots=True)
class VerdictForm:
    """One score in [0, 1]; or, with a rubric, a score on its scale for each dimension, whose weighted mean, in [0, 1],
    is the value."""

    rubric: Rubric | None = None

    @classmethod
    def of(cls, spec: ScorerSpec) -> "VerdictForm":
        """The form of a scorer that calls a model."""
        return cls(Rubric.of(spec.options) if spec.kind == "rubric" else None)

    @property
    def schema(self) -> Mapping[str, JsonValue]:
        """JSON Schema of a reply."""
        if self.rubric is None:
            return SCHEMA
        # Every interface accepts an enum, so that no reply can be 7 of 5.
        grades = self.rubric.grades
        score: JsonValue = {"type": "integer", "enum": [*grades]} if grades else {"type": "number"}
        return _schema(dict.fromkeys(self.rubric.fields, _schema({"reason": {"type": "string"}, "score": score})))

    def read(self, reply: Reply) -> Verdict:
        """Raises `MalformedVerdict` for a reply that is no verdict."""
        found = read_object(reply)
        if self.rubric is None:
            mark = _read_mark(found, (0.0, 1.0), "")
            return Verdict(mark.score, mark.reason, (mark,))
        rubric = self.rubric
        marks = tuple(_dimension(found, field, rubric) for field in rubric.fields)
        pairs = tuple(zip(rubric.dimensions, marks, strict=True))
        parts = tuple(Part("dimension", one.name, rubric.share(mark.score), one.weight) for one, mark in pairs)
        # The lowest first: if the reason is cut, the cause of the low score remains.
        *told, last = (
            f"{one.name} {mark.score:g} of {rubric.high:g}: {mark.reason.strip()}"
            for one, mark in sorted(pairs, key=lambda pair: pair[1].score)
        )
        # Judges write sentences; in a list only the last one ends with a full stop.
        return Verdict(weighted_mean(parts), "; ".join([*(one.removesuffix(".") for one in told), last]), marks, parts)


def _dimension(found: Mapping[str, JsonValue], field: str, rubric: Rubric) -> ScoredReason:
    if field not in found:
        raise MalformedVerdict(f"{_AGAINST}: {field} is missing")
    mark = _read_mark(found[field], (rubric.low, rubric.high), field)
    # 4.0 is 4. Servers that ignore the schema may send 4.5.
    if rubric.grades and not mark.score.is_integer():
        raise MalformedVerdict(f"{_AGAINST}: {field}.score is not a whole number")
    return mark


def _read_mark(found: JsonValue, scale: tuple[float, float], field: str) -> ScoredReason:
    """A reason with a score on a scale; `field` is its place in the reply, empty for the reply itself."""
    place = f"{field}." if field else ""
    if not isinstance(found, Mapping):
        raise MalformedVerdict(f"{_AGAINST}: {field or 'the reply'} is not an object")
    try:
        mark = _Mark.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name, what = str(first["loc"][0]), _WORDS.get(first["type"], "cannot be used")
        raise MalformedVerdict(f"{_AGAINST}: {place}{name} {what}") from None
    low, high = scale
    if not low <= mark.score <= high:
        raise MalformedVerdict(f"{_AGAINST}: {place}score is not within {low:g} to {high:g}")
    if not mark.reason.strip():
        raise MalformedVerdict(f"{_AGAINST}: {place}reason is empty")
    return ScoredReason(mark.reason, mark.score, field)


WORTH = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""Value of the answer shown first, by the judge's word."""

PAIR_SCHEMA = _schema({"reason": {"type": "string"}, "better": {"type": "string", "enum": [*WORTH]}})


def read_preference(reply: Reply) -> Verdict:
    """The value of the answer that was shown first; raises `MalformedVerdict`."""
    found = read_object(reply)
    reason, better = found.get("reason"), found.get("better")
    if not isinstance(reason, str) or not reason.strip() or len(reason) > LONGEST_REASON:
        raise MalformedVerdict(f"{_AGAINST}: reason must be a text")
    if not isinstance(better, str) or better not in WORTH:
        raise MalformedVerdict(f"{_AGAINST}: better must be {', '.join(WORTH)}")
    return Verdict(WORTH[better], reason, (ScoredReason(reason, WORTH[better], word=better),))
