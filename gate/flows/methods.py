"""What a method asks of the suites it is to test: refused before anything is spent."""

from collections.abc import Iterator, Sequence

from gate.config.policy import RunPolicy
from gate.config.scorerspec import ScorerSpec
from gate.domain.suite import Exam, Suite
from gate.errors import GateError

BREAKAGE_SAMPLES = range(2, 6)
"""Samples per case that the breakage channel can deal anew."""


def check_method(policy: RunPolicy, suites: Sequence[Suite]) -> None:
    """Refuse a method that cannot test these suites.

    Args:
        policy: the run's.
        suites: of the run; new prompts, which are not compared, are left alone.

    Raises:
        GateError: every reason at once.
    """
    reasons: list[str] = []
    suites = [suite for suite in suites if suite.baseline is not None]
    if policy.method == "mcnemar":
        reasons += [f"mcnemar, suite {suite.name}: {why}" for suite in suites for why in _mcnemar(suite)]
    if policy.breakage:
        reasons += [f"breakage, suite {suite.name}: {why}" for suite in suites for why in _breakage(suite)]
        if len({suite.samples for suite in suites}) > 1:
            reasons.append("breakage: all suites must take equally many samples")
    if reasons:
        raise GateError("; ".join(reasons), "change the policy, or leave it at method: maxt")


def _mcnemar(suite: Suite) -> Iterator[str]:
    if suite.samples != 1:
        yield f"it compares single answers, and samples is {suite.samples}"
    if any(len(scorers) != 1 or scorers[0].judged for scorers in _scorers(suite.exam)):
        yield "it needs right or wrong: one scorer for each case, and no judge"
    if _clustered(suite.exam):
        yield "it takes every case as independent, and some share a cluster"
    if _has_margin(suite.exam):
        yield "it knows no margin"


def _breakage(suite: Suite) -> Iterator[str]:
    if suite.samples not in BREAKAGE_SAMPLES:
        yield f"it needs 2 to 5 samples, and there are {suite.samples}"
    if any(arm.params.temperature == 0 for arm in suite.arms.values()):
        yield "temperature 0 repeats one answer, so that every rewording looks like breakage"
    if _clustered(suite.exam):
        yield "it takes every case as independent, and some share a cluster"
    if _has_margin(suite.exam):
        yield "it asks whether anything changed at all, which leaves no room for a margin"


def _scorers(exam: Exam) -> Iterator[Sequence[ScorerSpec]]:
    yield from map(exam.scorers_of, exam.cases)


def _clustered(exam: Exam) -> bool:
    named = [case.cluster for case in exam.cases if case.cluster is not None]
    return len(set(named)) < len(named)


def _has_margin(exam: Exam) -> bool:
    return exam.policy.margin > 0 or any((own.margin or 0) > 0 for own in exam.policy.slices.values())
