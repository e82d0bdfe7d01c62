"""The deterministic scorers, by the kinds that configuration names them by."""

from collections.abc import Mapping

from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.sample import Score
from gate.inputs.problems import printable
from gate.scoring.subject import Subject
from gate.scoring.validators import (
    asks,
    budget,
    forbidden,
    json_path,
    language,
    length,
    number,
    refusal,
    shape,
    similarity,
    text,
)
from gate.scoring.validators.database import database
from gate.scoring.validators.filling import fill_options
from gate.scoring.validators.paraphrases import paraphrases
from gate.scoring.validators.port import Finding, Validator
from gate.scoring.validators.tools import tools

VALIDATORS: Mapping[str, Validator] = {
    "exact": text.exact,
    "contains": text.contains,
    "regex": text.regex,
    "starts_with": text.starts_with,
    "ends_with": text.ends_with,
    "json": shape.json,
    "json_schema": shape.json_schema,
    "json_path": json_path.json_path,
    "number": number.number,
    "words": length.words,
    "sentences": length.sentences,
    "characters": length.characters,
    "forbidden_words": forbidden.forbidden_words,
    "asks": asks.asks,
    "language": language.language,
    "similarity": similarity.similarity,
    "latency": budget.latency,
    "cost": budget.cost,
    "refusal": refusal.refusal,
    "paraphrases": paraphrases,
    "tools": tools,
    "database": database,
}

REASON_CHARS = 500
"""Of a validator's reason."""


def validate(spec: ScorerSpec, subject: Subject) -> Score:
    """Score one answer.

    Args:
        spec: a scorer of a kind in `VALIDATORS`; `{{ expected }}` and other fields of the case are filled in.
        subject: the answer.

    Returns:
        A score in [0, 1] with a reason that names what was looked for.
    """
    options = fill_options(spec.options, subject.case)
    if spec.kind == "database":
        # What was seen is kept under the name of who asked.
        options = {**options, "scorer": spec.name}
    return scored(spec, VALIDATORS[spec.kind](options, subject))


def scored(spec: ScorerSpec, found: Finding) -> Score:
    """What was found, as the score that it counts as."""
    value, reason = found
    if spec.negate and not isinstance(value, Unscored):
        value, reason = 1.0 - value, f"negated: {reason}"
    return Score(spec.name, value, _line(reason), spec.weight, spec.required)


def _line(reason: str) -> str:
    """On one line and of bounded length: it may quote the answer."""
    line = printable(reason[:REASON_CHARS])
    return line if len(line) <= REASON_CHARS and len(reason) <= REASON_CHARS else line[: REASON_CHARS - 1] + "…"
