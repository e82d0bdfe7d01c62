"""The deterministic scorers, by the kinds that configuration names them by."""

from collections.abc import Mapping

from gate.domain.absence import Unscored
from gate.domain.case import ScorerSpec
from gate.domain.sample import Score
from gate.inputs.render import fill
from gate.scoring.subject import Subject
from gate.scoring.validators import shape, text
from gate.scoring.validators.paraphrases import paraphrases
from gate.scoring.validators.port import Validator

VALIDATORS: Mapping[str, Validator] = {
    "exact": text.exact,
    "contains": text.contains,
    "regex": text.regex,
    "json_schema": shape.json_schema,
    "paraphrases": paraphrases,
}


def validate(spec: ScorerSpec, subject: Subject) -> Score:
    """Score one answer.

    Args:
        spec: a scorer of a kind in `VALIDATORS`; `{{ expected }}` and other fields of the case are filled in.
        subject: the answer.

    Returns:
        A score in [0, 1] with a reason that names what was looked for.
    """
    case, options = subject.case, spec.options
    filled = {key: fill(value, case) if isinstance(value, str) else value for key, value in options.items()}
    value, reason = VALIDATORS[spec.kind](filled, subject)
    if spec.negate and not isinstance(value, Unscored):
        value, reason = 1.0 - value, f"negated: {reason}"
    return Score(spec.name, value, reason, spec.weight, spec.required)
