"""Figures of an evaluation: what is counted, what is left open, and what an interval rests on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.specification import GeneratedTest, Grounding, OutputRule
from gate.stats.arrays import Undefined
from gate.stats.intervals import Difference, Pairs, paired_mean, rate_difference, wilson
from gate.testgen.evaluation.metrics import (
    Tally,
    groundedness_tally,
    group_difference,
    mean_difference,
    non_compliance,
    paired_rows,
    valid_share,
    validity_tally,
)
from tests.testgen.rows import coded, rows

LETTERS = st.text("vc?-", max_size=30)


def test_what_nobody_could_tell_is_neither_pass_nor_violation() -> None:
    found = non_compliance(rows("vccc??-"))
    assert found == Tally(1, 3, 2, 1, 4)
    assert (found.decided, found.open, found.n) == (4, 3, 7)
    assert found.rate == wilson(1, 4)
    assert found.ends == (1 / 7, 4 / 7)


@given(LETTERS)
def test_the_rate_lies_between_its_ends(letters: str) -> None:
    found = non_compliance(rows(letters))
    assert found.n == len(letters)
    if found.decided and found.ends:
        assert found.rate.rate is not None
        assert found.ends[0] <= found.rate.rate + 1e-12 and found.rate.rate <= found.ends[1] + 1e-12


def test_a_test_of_four_models_is_one_unit() -> None:
    four = [row for model in "abcd" for row in rows("vvcc", model=model)]
    found = non_compliance(four)
    assert (found.yes, found.decided, found.units) == (8, 16, 4)
    assert found.rate == wilson(2, 4)


def test_judge_and_code_are_kept_apart() -> None:
    told = coded(["vc", "cv", "cc", "c ", "?v", "?c", "c?", "--"])
    assert non_compliance(told) == Tally(1, 4, 2, 1, 5)
    assert non_compliance(told, "code") == Tally(2, 3, 1, 1, 5)
    assert non_compliance(told, "either") == Tally(3, 2, 2, 1, 5)


def test_a_contrast_is_newcombes_difference_of_what_is_decided() -> None:
    told = [*rows("vvc?", "rule"), *rows("vccc", "inverse"), *rows("ccccv-", "control")]
    assert group_difference(told, "promptpex", "control") == rate_difference((3, 7), (1, 5))
    assert group_difference(told, "inverse", "rule") == rate_difference((1, 4), (2, 3))
    assert group_difference([], "inverse", "rule") == Difference(None, -1.0, 1.0)


def test_across_prompts_each_prompt_counts_once() -> None:
    told = [
        *rows("vvvvvvvvvv", "rule", prompt="p"), *rows("vvvvvvvvvv", "rule", "n", "p"),
        *rows("c", "control", prompt="p"), *rows("v", "control", "n", "p"),
        *rows("c", "rule", prompt="q"), *rows("c", "control", prompt="q"),
        *rows("v", "rule", "n", "q"), *rows("?", "control", "n", "q"),
    ]  # fmt: skip
    assert mean_difference(told, "rule", "control") == paired_mean([0.5, 0.0])
    assert isinstance(mean_difference(rows("v"), "rule", "control"), Undefined)


def test_the_same_test_is_paired_where_both_are_decided() -> None:
    assert paired_rows(rows("vvccv?"), rows("vcvc-v")) == Pairs(1, 1, 1, 1)
    assert paired_rows(rows("vv", model="a"), rows("vv", model="b")).n == 0
    assert paired_rows(rows("vv", "rule"), rows("vv", "control")).n == 0


def test_validity_and_groundedness_keep_what_nobody_knows_apart() -> None:
    tests = [GeneratedTest(str(place), "rule", valid=flag) for place, flag in enumerate((True, True, False, None))]
    assert validity_tally(tests) == Tally(2, 1, 1, 0, 3)
    told: list[Grounding] = ["verbatim", "judged", "edited", "ungrounded", "unknown"]
    assert groundedness_tally(OutputRule(f"R{place}", "x", grounding=one) for place, one in enumerate(told)) == Tally(
        3, 1, 1, 0, 4
    )


def test_the_valid_share_of_violations_pooled_and_by_prompt() -> None:
    told = [
        *rows("vvv", valid=True),
        *rows("v", "inverse", valid=False),
        *rows("v", "control", valid=None),
        *rows("cc", "inverse", prompt="none", valid=False),
        *rows("v", prompt="q", valid=False),
    ]
    found = valid_share(told)
    assert found.pooled == Tally(3, 2, 1, 0, 5)
    assert found.macro == pytest.approx((0.75 + 0.0) / 2) and found.prompts == 2
    assert valid_share([]).macro is None
