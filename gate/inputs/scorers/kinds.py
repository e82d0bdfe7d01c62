"""Every kind of scorer with its options: what configuration, cases and the JSON Schema of `gate.yaml` go by."""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.inputs.fields import Range
from gate.inputs.scorers.options import (
    Flag,
    JsonSchema,
    Model,
    ModelParams,
    Number,
    Option,
    Pattern,
    Template,
    Whole,
    Word,
)

RUN_WORDS = Range(1, 10)
"""Words of a run that counts as copied."""
COPIED = Range(0, 1, below=True)
"""Share of copied runs that is let pass."""
WEIGHT = Range(0, 1000, above=True)
THRESHOLD = Range(0, 1)
PASSING = Range(0, 1, above=True)
"""Of a combined score."""
EXPECTED = "{{ expected }}"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of scorer.

    Args:
        options: by their names.
        shorthand: the option that `kind: text` stands for; empty where there is no such form.
    """

    options: Mapping[str, Option]
    shorthand: str = ""

    @property
    def needed(self) -> tuple[str, ...]:
        """Options that have to be given."""
        return tuple(key for key, option in self.options.items() if option.example)


COMMON: Mapping[str, Option] = {
    "name": Word(),
    "weight": Number(allowed=WEIGHT, default=1.0),
    "required": Flag(default=False),
    "negate": Flag(default=False),
}
"""What every scorer has."""

KINDS: Mapping[str, Kind] = {
    "exact": Kind(
        {"value": Template(default=EXPECTED), "ignore_case": Flag(default=False), "strip": Flag(default=True)}, "value"
    ),
    "contains": Kind({"value": Template(default=EXPECTED), "ignore_case": Flag(default=True)}, "value"),
    "regex": Kind({"pattern": Pattern(example="pattern: '^[0-9]+$'"), "ignore_case": Flag(default=False)}, "pattern"),
    "json_schema": Kind({"schema": JsonSchema(example="schema: {type: object, required: [answer]}")}),
    "paraphrases": Kind({"n": Whole(allowed=RUN_WORDS, default=3), "max_copied": Number(allowed=COPIED, default=0.2)}),
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
