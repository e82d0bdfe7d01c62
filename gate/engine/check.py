"""One case after the other against its marks: no statistics, only what was measured."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from statistics import fmean

from gate.config.policy import OVERALL
from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Unscored
from gate.domain.case import Case
from gate.domain.checked import CaseResult, CaseState, PartMean, ScorerResult
from gate.domain.sample import Part, Sample, Score
from gate.domain.suite import Exam, Suite
from gate.scoring.passing import mark_in, reaches, round_marks

NEVER_TAKEN = "never taken"
LONGEST_REASON = 2_000
"""Characters of a reason in the part of the record that every case has."""


def case_result(suite: Suite, case: Case, samples: Sequence[Sample], untaken: str = NEVER_TAKEN) -> CaseResult:
    """Whether a case passes.

    The mean over its samples must reach the mark: that of the combined score where the case or its exam has a
    threshold, else that of each scorer, or of each round of a conversation whose rounds have marks. So a validator,
    whose mark is 1, must be content with every sample, while the noise of a judge is averaged out. Missing samples
    are taken for 0 and for 1: only where both say the same does the case pass or fail.

    Args:
        suite: whose exam gives the marks.
        case: one of its cases.
        samples: those of this case that there are, failed ones included, in the order of their index.
        untaken: why there are no more.
    """
    exam = suite.exam
    threshold = exam.threshold_of(case)
    scorers = tuple(
        _scorer(spec, None if threshold is not None else case, samples, suite.samples) for spec in exam.scorers_of(case)
    )
    combined = [sample.score for sample in samples]
    known = [score for score in combined if not isinstance(score, Unscored)]
    missing = [score.reason for score in combined if isinstance(score, Unscored)]
    missing += [untaken] * (suite.samples - len(samples))
    verdicts = [_reaches(known, suite.samples, threshold)] if threshold is not None else [s.passed for s in scorers]
    return CaseResult(
        state=_state(verdicts),
        score=fmean(known) if known else None,
        mark=threshold,
        scorers=scorers,
        missing=tuple(reason[:LONGEST_REASON] for reason in missing),
        counts=not excused(case, exam),
    )


def excused(case: Case, exam: Exam) -> bool:
    """Has the case no part in what is asked of all cases?

    Cases of an advisory slice never have. Where every single case must pass, neither have those of a slice for which
    the policy asks for a rate of its own.
    """
    policy = exam.policy
    own = [f"{dimension}={case.slices[dimension]}" for dimension in exam.dimensions if dimension in case.slices]
    if any(name in policy.advisory for name in own):
        return True
    return policy.wanted_rate(OVERALL) is None and any(own_rate(exam, name) is not None for name in own)


def own_rate(exam: Exam, name: str) -> float | None:
    """The rate that the policy asks of this very slice, or None."""
    own = exam.policy.slices.get(name)
    return None if own is None else own.min_pass_rate


def _state(verdicts: Sequence[bool | None]) -> CaseState:
    if False in verdicts:
        return CaseState.FAILED
    return CaseState.PASSED if verdicts and all(verdicts) else CaseState.UNSCORED


def _reaches(known: Sequence[float], wanted: int, mark: float) -> bool | None:
    """Does the mean of so many wanted scores reach the mark, whatever the missing ones are? None: they decide."""
    worst = fsum(known) / wanted
    best = worst + (wanted - len(known)) / wanted
    if reaches(worst, mark):
        return True
    return None if reaches(best, mark) else False


def _scorer(spec: ScorerSpec, case: Case | None, samples: Sequence[Sample], wanted: int) -> ScorerResult:
    """What one scorer says; without a case, which has the marks, only that."""
    scores = [score for sample in samples for score in sample.scores if score.scorer == spec.name]
    valued = [(score.value, score) for score in scores if not isinstance(score.value, Unscored)]
    known = [value for value, _ in valued]
    unscored = [score.value for score in scores if isinstance(score.value, Unscored)]
    worst = min(valued, key=lambda one: one[0])[1] if valued else None
    result = ScorerResult(
        name=spec.name,
        value=fmean(known) if known else None,
        mark=None,
        passed=None,
        reason=(worst.reason if worst is not None else (unscored[0].reason if unscored else ""))[:LONGEST_REASON],
        parts=tuple(_parts([score for _, score in valued])),
        scale=scale_of(spec),
    )
    if case is None:
        return result
    if marks := round_marks(spec, case):
        return _by_rounds(result, marks, [score for _, score in valued], wanted)
    mark = mark_in(spec, case)
    return result.model_copy(update={"mark": mark, "passed": _reaches(known, wanted, mark)})


def _by_rounds(result: ScorerResult, marks: Mapping[str, float], scores: Sequence[Score], wanted: int) -> ScorerResult:
    """The same with the verdict of the rounds, each of which has a mark: the first that misses it is named."""
    verdicts: list[bool | None] = []
    low: list[str] = []
    for name, mark in marks.items():
        known = [part.value for score in scores for part in score.parts if (part.kind, part.name) == ("round", name)]
        verdicts.append(_reaches(known, wanted, mark))
        if verdicts[-1] is False:
            mean = fmean(known) if known else 0.0
            low.append(f"{name} has {_on(mean, result.scale)}, and at least {_on(mark, result.scale)} is wanted")
    passed = False if low else (True if all(verdicts) else None)
    reason = "; ".join([*low, *([result.reason] if result.reason else [])])[:LONGEST_REASON]
    return result.model_copy(update={"passed": passed, "reason": reason})


def _on(value: float, scale: tuple[float, float] | None) -> str:
    low, high = scale or (0.0, 1.0)
    return f"{low + value * (high - low):.4g}"


def _parts(scores: Sequence[Score]) -> Iterator[PartMean]:
    """The means of parts of the same name."""
    found: dict[tuple[str, str], list[Part]] = {}
    for score in scores:
        for part in score.parts:
            found.setdefault((part.kind, part.name), []).append(part)
    for parts in found.values():
        first = parts[0]
        yield PartMean(kind=first.kind, name=first.name, value=fmean(part.value for part in parts), weight=first.weight)


def scale_of(spec: ScorerSpec) -> tuple[float, float] | None:
    """The ends of the scale that a rubric is written on; None for scorers that have none."""
    given = spec.options.get("scale")
    if not isinstance(given, list) or len(given) != 2:
        return None
    ends = [float(end) for end in given if isinstance(end, (int, float)) and not isinstance(end, bool)]
    return (ends[0], ends[1]) if len(ends) == 2 and ends[0] < ends[1] else None
