"""Does a specification hold what the prompt does? Its intent and output rules, as a prompt, against the original.

(arXiv:2503.05070, section 4.3.3.) Both answer the same valid control cases, which were not made from the rules, and
both are held against the original prompt. The input specification is no part of it: it says nothing about outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.domain.promptspec import Specification
from gate.stats.likeness import closeness, cosine
from gate.stats.newcombe import Pairs
from gate.stats.undefined import Undefined
from gate.testgen.frames import rendered
from gate.testgen.metrics import paired
from gate.testgen.outcomes import Row, Source, in_group


@dataclass(frozen=True, slots=True)
class SpecAgreement:
    """How alike the two prompts are complied with.

    Args:
        models: by name, the tests that were decided under both prompts; the original's are the first.
        cosine: of the two vectors of rates, as in the paper. It does not see size.
        closeness: 1 minus the mean absolute difference of the rates: it does.
        left_out: models without a test that was decided under both.
    """

    models: tuple[tuple[str, Pairs], ...]
    cosine: float | Undefined
    closeness: float | Undefined
    left_out: tuple[str, ...]


def spec_prompt(spec: Specification) -> str:
    """The prompt that a specification makes."""
    return rendered("spec_prompt", {"intent": spec.intent, "rules": [rule.text for rule in spec.rules]})


def agreement(original: Sequence[Row], from_spec: Sequence[Row], source: Source = "judge") -> SpecAgreement:
    """Compare rates of non-compliance, model by model.

    Args:
        original: rows of the original prompt.
        from_spec: rows of the same tests under the prompt that the specification makes.
        source: who says what is a violation.
    """
    ours, theirs = ([row for row in in_group(rows, "control") if row.valid] for rows in (original, from_spec))
    names = tuple(dict.fromkeys(row.model for row in (*ours, *theirs)))
    pairs = {
        name: paired((row for row in ours if row.model == name), (row for row in theirs if row.model == name), source)
        for name in names
    }
    known = tuple((name, found) for name, found in pairs.items() if found.n)
    first = [(one.both + one.first) / one.n for _, one in known]
    second = [(one.both + one.second) / one.n for _, one in known]
    left_out = tuple(name for name in names if not pairs[name].n)
    return SpecAgreement(known, cosine(first, second), closeness(first, second), left_out)
