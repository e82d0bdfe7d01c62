"""A jury asks everybody, and says nothing where somebody has no opinion."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Dollars, Reply, Score, Unscored
from gate.scoring.interface import Subject
from gate.scoring.judge import COMBINERS, Judge, Jury
from tests.support.fakes import ScriptedCalls, reply

DIMENSIONS = [{"name": name, "description": "d", "weight": 0.5} for name in ("a", "b")]


def said(*scores: float) -> Reply:
    if len(scores) == 1:
        return reply(json.dumps({"reason": "Because.", "score": scores[0]}))
    return reply(json.dumps({name: {"reason": "r", "score": one} for name, one in zip("ab", scores, strict=True)}))


def ask(replies: Sequence[Reply], combine: str = "median", kind: str = "judge") -> Score:
    names = [f"m{number}" for number in range(len(replies))]
    options = {"models": [f"fake:{name}" for name in names], "combine": combine}
    spec = ScorerSpec(
        kind, "j", {**options, "criteria": "x"} if kind == "judge" else {**options, "dimensions": DIMENSIONS}
    )
    judges = tuple(
        Judge(spec, ModelRef("fake", name), Params(), ScriptedCalls([one] * 2))
        for name, one in zip(names, replies, strict=True)
    )
    return asyncio.run(Jury(spec, judges).score(Subject(Case("c", input="q"), "a"), 0))


@pytest.mark.parametrize(("combine", "value"), [("mean", 0.5), ("median", 0.4), ("majority", 0.4)])
def test_opinions_become_one_score(combine: str, value: float) -> None:
    score = ask([said(0.9), said(0.4), said(0.2)], combine)
    assert score.value == pytest.approx(value)
    assert [(part.kind, part.name, part.value) for part in score.parts] == [
        ("judge", "fake:m0", 0.9),
        ("judge", "fake:m1", 0.4),
        ("judge", "fake:m2", 0.2),
    ]
    assert (score.calls, score.cost) == (3, Dollars(pytest.approx(0.003)))
    assert score.reason.startswith("fake:m0 0.90: Because. | fake:m1 0.40")


def test_one_without_an_opinion_leaves_none() -> None:
    score = ask([said(0.9), reply("no"), said(0.2)])
    assert score.value == Unscored("fake:m1: the judge's reply is not the asked schema: there is no JSON object in it")
    assert (score.calls, score.parts) == (4, ())


def test_a_jury_over_a_rubric_has_dimensions_and_judges() -> None:
    score = ask([said(1, 5), said(3, 5), said(5, 1)], "median", "rubric")
    assert score.value == pytest.approx(0.5)
    assert [(part.kind, part.name, part.value) for part in score.parts] == [
        ("dimension", "a", 0.5),
        ("dimension", "b", 1.0),
        ("judge", "fake:m0", 0.5),
        ("judge", "fake:m1", 0.75),
        ("judge", "fake:m2", 0.5),
    ]
    assert score.reason.startswith("fake:m0 3.00 of 5: a 1 of 5: r; b 5 of 5: r | fake:m1 4.00 of 5: ")


def test_of_a_rubric_the_lowest_dimension_comes_first_in_the_reason() -> None:
    assert ask([said(5, 1)], kind="rubric").reason == "fake:m0 3.00 of 5: b 1 of 5: r; a 5 of 5: r"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(0, 1))
def test_a_majority_passes_exactly_where_more_than_half_do(values: list[float], mark: float) -> None:
    passing = sum(value >= mark for value in values)
    assert (COMBINERS["majority"](values) >= mark) == (2 * passing > len(values))
