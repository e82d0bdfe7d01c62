"""Scores one answer with one scorer, written as in configuration."""

from gate.cases.case import Case
from gate.config.scorer import parse_scorers
from gate.record.transcript import Cost, Score, Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.values import JsonValue


def judged(
    written: JsonValue,
    answer: str,
    expected: JsonValue = None,
    latency_s: float | None = None,
    cost: Cost | None = None,
) -> Score:
    """The whole finding."""
    spec = parse_scorers([written], "here")[0]
    return validate(spec, Subject(Case("c", input="q", expected=expected), answer, latency_s, cost))


def score(written: JsonValue, answer: str, expected: JsonValue = None) -> float:
    """The score; fails where there is none."""
    value = judged(written, answer, expected).value
    assert not isinstance(value, Unscored), value.reason
    return value
