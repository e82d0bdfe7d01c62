"""Errors are collected, sorted, cut, and safe to print."""

import pytest

from gate.config.documents import Problems, did_you_mean, one_problem, quoted
from gate.errors import InputErrors
from tests.config.texts import errors


def test_sorted_by_line_and_named_once() -> None:
    problems = Problems("f")
    for line, key in ((3, "b"), (1, "a"), (3, "b")):
        problems.add(line, f"{key} is wrong", "fix it")
    assert errors(problems.check) == "f:1: a is wrong (fix it)\nf:3: b is wrong (fix it)"


def test_the_count_of_the_rest_comes_last() -> None:
    problems = Problems("f")
    for number in range(30):
        problems.add(7, f"wrong {number}")
    with pytest.raises(InputErrors) as caught:
        problems.check()
    assert len(caught.value.problems) == 30
    assert len(caught.value.shown) == 21
    assert str(caught.value.shown[-1]) == "f:7: … and 10 more errors"


def test_nothing_that_steers_a_terminal_gets_through() -> None:
    assert str(one_problem("a\nb", 0, "red \x1b[31m \u202e \ud800")) == r"a\nb: red \x1b[31m \u202e \ud800"
    assert quoted("x" * 100) == repr("x" * 60 + "…")


def test_hints() -> None:
    assert did_you_mean("Samples", ["samples", "seed"]) == "did you mean 'samples'?"
    assert did_you_mean("zzz", ["samples", "seed"]) == "known: samples, seed"
