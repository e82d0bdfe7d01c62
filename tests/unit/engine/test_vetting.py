"""Scores of a jury and of a pair, read back: what their parts must be, and make."""

from dataclasses import replace

import pytest

from gate.domain.absence import Failed, Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.sample import ArmName, Part, Sample, Score
from gate.domain.suite import Suite
from gate.engine.vetting import contradiction
from gate.scoring.combine import combine
from tests.support import runs

DIMENSIONS = [{"name": "a", "description": "b", "weight": 0.5}, {"name": "c", "description": "d", "weight": 0.5}]
MODELS = ["fake:x", "fake:y", "fake:z"]
JUDGES = [Part("judge", name, value) for name, value in zip(MODELS, (0.2, 0.4, 1.0), strict=True)]
MARKS = [Part("dimension", "a", 0.1, 0.5), Part("dimension", "c", 0.9, 0.5)]
ORDER = [Part("order", "shown first", 1.0), Part("order", "shown second", 0.5)]


def jury(combine: str = "median", kind: str = "judge") -> ScorerSpec:
    more = {"dimensions": DIMENSIONS} if kind == "rubric" else {}
    return ScorerSpec(kind, kind, {"models": MODELS, "combine": combine, **more})


PAIR = ScorerSpec("pairwise", "pairwise", {"model": "fake:x"})


def said(spec: ScorerSpec, value: float | Unscored, *parts: Part, new: bool = False) -> str:
    """Of a sample that one scorer has scored."""
    one = runs.suite([{}])
    suite: Suite = replace(one, exam=replace(one.exam, scorers=(spec,)), baseline=None if new else one.baseline)
    score = Score(spec.name, value, parts=parts)
    sample = Sample(suite.name, "c0", ArmName.CANDIDATE, 0, runs.reply(), (score,), combine((score,)))
    return contradiction(sample, suite, Case("c0"))


@pytest.mark.parametrize(("how", "value"), [("median", 0.4), ("majority", 0.4), ("mean", 1.6 / 3)])
def test_a_jurys_score_is_what_its_judges_make(how: str, value: float) -> None:
    assert said(jury(how), value, *JUDGES) == ""
    assert said(jury(how), value + 0.01, *JUDGES) == "its score by 'judge' is not what its parts make"
    assert said(jury(how), value, *JUDGES[:2]) == "its score by 'judge' is not made of 'fake:x', 'fake:y', 'fake:z'"


def test_a_jurys_rubric_has_dimensions_and_judges() -> None:
    assert said(jury(kind="rubric"), 0.4, *MARKS, *JUDGES) == ""
    assert "is not made of" in said(jury(kind="rubric"), 0.4, *JUDGES)
    assert "is not made of" in said(jury(kind="rubric"), 0.4, *JUDGES, *MARKS)


def test_a_preference_is_the_mean_of_both_orders_or_a_tie_of_equal_answers() -> None:
    assert said(PAIR, 0.75, *ORDER) == ""
    assert said(PAIR, 0.5) == ""
    assert said(PAIR, 0.75) == "its score by 'pairwise' has no parts"
    assert said(PAIR, 1.0, *ORDER) == "its score by 'pairwise' is not what its parts make"


def test_what_has_no_value_has_no_parts() -> None:
    assert said(jury(), Unscored("no opinion")) == ""
    assert said(jury(), Unscored("no opinion"), *JUDGES) == "its score by 'judge' has no value, and parts"


def test_a_validator_has_no_parts() -> None:
    plain = ScorerSpec("contains", "contains")
    assert said(plain, 1.0) == ""
    assert said(plain, 1.0, *JUDGES) == "its score by 'contains' has parts"


@pytest.mark.parametrize("reply", [Failed("503", 6), runs.reply()])
def test_what_failed_or_was_cut_off_has_no_score(reply: object) -> None:
    suite = runs.suite([{}])
    sample = Sample(suite.name, "c0", ArmName.CANDIDATE, 0, reply, (), Unscored("503"))  # type: ignore[arg-type]
    assert contradiction(sample, suite, Case("c0")) == ""
    assert contradiction(replace(sample, score=1.0), suite, Case("c0")) == "it has a score, and no scorer gave one"
