"""Whether the scores of a sample can be those of its exam: a file may have been edited since a run wrote it."""

import statistics
from collections.abc import Sequence

from gate.config.scorerspec import ScorerSpec
from gate.config.targets import RoundRule
from gate.domain.absence import Failed, Unscored
from gate.domain.case import Case
from gate.domain.rubric import Rubric
from gate.domain.sample import Part, Sample, Score
from gate.domain.suite import Suite
from gate.inputs.models import parse_model
from gate.inputs.problems import quoted
from gate.scoring.combine import combine
from gate.scoring.forms import weighted
from gate.scoring.jury import combiner
from gate.scoring.pairwise import SHOWN_FIRST, SHOWN_SECOND
from gate.scoring.rounds import of_rounds, own_rule, round_name

_TOLERANCE = 1e-9


def contradiction(sample: Sample, suite: Suite, case: Case) -> str:
    """What in a sample's scores no run of this suite writes, as a part of a sentence; empty where nothing is.

    Scores that agree with one another are believed: nothing seals them.

    Args:
        sample: read back.
        suite: which it belongs to.
        case: that was asked.
    """
    specs = suite.exam.scorers_of(case)
    alone = [spec for spec in specs if not spec.comparative]
    both = [spec for spec in specs if spec.comparative and suite.baseline is not None]
    if not sample.scores:
        # It failed, or was cut off before any text came; a suite may have no other scorers than such that compare.
        return "" if isinstance(sample.score, Unscored) else "it has a score, and no scorer gave one"
    if isinstance(sample.reply, Failed):
        return "it has scores, and no answer"
    if len(sample.scores) not in (len(alone), len(specs)):
        return f"it has {len(sample.scores)} scores, and {len(specs)} scorers are asked"
    singly = {spec.name for spec in case.round_scorers}
    for spec, score in zip([*alone, *both], sample.scores, strict=False):
        if (score.scorer, score.weight, score.required) != (spec.name, spec.weight, spec.required):
            return f"its score by {quoted(score.scorer)} is not one by the scorer {quoted(spec.name)}"
        rule = suite.exam.conversing.score
        rule = own_rule(rule) if spec.name in singly else rule
        if said := _odd(score, spec, _rounds(spec, case), rule):
            return f"its score by {quoted(score.scorer)} {said}"
    if both and len(sample.scores) == len(alone):
        return "" if isinstance(sample.score, Unscored) else "it has a score, and was not compared"
    return "" if _same(sample.score, combine(sample.scores)) else "its score is not what its scores make"


def _rounds(spec: ScorerSpec, case: Case) -> tuple[str, ...]:
    """The rounds that a score is made of; none where it is of one alone, or of the whole conversation."""
    own = spec.name in {one.name for one in case.round_scorers}
    if spec.comparative or (spec.whole and not own):
        return ()
    rounds = [place for place, one in enumerate(case.rounds) if not own or spec.name in {s.name for s in one.scorers}]
    return tuple(map(round_name, rounds)) if len(rounds) > 1 else ()


def _odd(score: Score, spec: ScorerSpec, rounds: Sequence[str], rule: RoundRule) -> str:
    """What is wrong with the parts of one score.

    Args:
        score: as it was read.
        spec: its scorer.
        rounds: that it is made of, 2 or more, or none.
        rule: what rounds come to.
    """
    parts = score.parts
    if isinstance(score.value, Unscored):
        return "has no value, and parts" if parts else ""
    if spec.comparative and not parts:
        return "" if score.value == 0.5 else "has no parts"
    wanted = [("round", name, 1.0) for name in rounds] + _wanted(spec)
    if [(part.kind, part.name, part.weight) for part in parts] != wanted:
        names = ", ".join(quoted(name) for _, name, _ in wanted)
        return f"is not made of {names}" if names else "has parts"
    if not parts:
        return ""
    # Beside its rounds the other parts of a score are means over them, which need not make the same.
    values = [part.value for part in parts[: len(rounds)]]
    made = of_rounds(values, rule, required=spec.required) if rounds else _whole(parts, spec)
    return "" if _same(score.value, made) else "is not what its parts make"


def _wanted(spec: ScorerSpec) -> list[tuple[str, str, float]]:
    """Kind, name and weight of the parts of a score, in their order."""
    if spec.comparative:
        return [("order", name, 1.0) for name in (SHOWN_FIRST, SHOWN_SECOND)]
    rubric = Rubric.of(spec.options).dimensions if spec.kind == "rubric" else ()
    found = [("dimension", one.name, one.weight) for one in rubric]
    return [*found, *(("judge", str(parse_model(name)), 1.0) for name in spec.models)] if _jury(spec) else found


def _jury(spec: ScorerSpec) -> bool:
    return isinstance(spec.options.get("models"), list)


def _whole(parts: Sequence[Part], spec: ScorerSpec) -> float:
    if _jury(spec):
        return combiner(spec)([part.value for part in parts if part.kind == "judge"])
    return statistics.fmean(part.value for part in parts) if spec.comparative else weighted(tuple(parts))


def _same(one: float | Unscored, other: float | Unscored) -> bool:
    if isinstance(one, Unscored) or isinstance(other, Unscored):
        return isinstance(one, Unscored) and isinstance(other, Unscored)
    return abs(one - other) <= _TOLERANCE
