"""Agreement of a specification: which tests count, what cosine does not see, and the prompt that is made."""

import pytest

from gate.config.specification import Component, OutputRule, Specification
from gate.stats.arrays import Undefined
from gate.stats.intervals import Pairs
from gate.testgen.evaluation.matrix import agreement, spec_prompt
from tests.testgen.rows import rows


def control(first: str, second: str) -> list:
    return [*rows(first, "control", "a", valid=True), *rows(second, "control", "b", valid=True)]


def test_twice_the_rates_have_cosine_one_and_are_told_apart_by_closeness() -> None:
    found = agreement(control("v" + 9 * "c", "vv" + 8 * "c"), control("vv" + 8 * "c", "vvvv" + 6 * "c"))
    assert found.cosine == pytest.approx(1.0)
    assert found.closeness == pytest.approx(0.85)
    assert dict(found.models) == {"a": Pairs(1, 0, 1, 8), "b": Pairs(2, 0, 2, 6)}


def test_only_valid_control_cases_that_were_decided_twice_count() -> None:
    first = [*control("vc?", "cc-"), *rows("vvv", "rule", "a", valid=True), *rows("vvvvvv", "control", "c", valid=None)]
    second = [
        *control("ccv", "ccc"),
        *rows("ccc", "rule", "a", valid=True),
        *rows("cccccc", "control", "c", valid=False),
    ]
    found = agreement(first, second)
    assert dict(found.models) == {"a": Pairs(0, 1, 0, 1), "b": Pairs(0, 0, 0, 2)}


def test_zero_rates_have_an_answer() -> None:
    assert agreement(control("cc", "cc"), control("cc", "cc")).cosine == 1.0
    assert isinstance(agreement(control("cc", "cc"), control("cc", "vc")).cosine, Undefined)
    nothing = agreement([], [])
    assert isinstance(nothing.cosine, Undefined) and isinstance(nothing.closeness, Undefined)


def test_the_prompt_of_a_specification_says_nothing_about_inputs() -> None:
    spec = Specification(
        "0", "Tag a word.", (Component("sentence", "a sentence in English"),),
        (OutputRule("R1", "The output is one tag."), OutputRule("R2", "It is {{ upper }} case & <b>.")),
    )  # fmt: skip
    text = spec_prompt(spec)
    assert text.startswith("Tag a word.") and "sentence" not in text
    assert "- The output is one tag.\n- It is {{ upper }} case & <b>." in text
    assert spec_prompt(Specification("0", "Tag a word.")) == "Tag a word."
