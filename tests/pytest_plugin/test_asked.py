"""Who asks for evals, and names that pytest finds again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.pytest_plugin.items import node_name
from gate.pytest_plugin.selection import wants_eval


@pytest.mark.parametrize(
    "expression",
    ["eval", "eval and not slow", "not slow and eval", "(eval or slow) and not image", "not (not eval)",
     "not not eval", "slow or (fast and (eval))", "device(serial='1') and eval"],
)  # fmt: skip
def test_asked_for(expression: str) -> None:
    assert wants_eval(expression)


@pytest.mark.parametrize(
    "expression",
    ["", "not eval", "not image", "slow", "evaluation", "not (eval or slow)", "slow and not eval", "eval_slow",
     "not (slow and (eval))", ")eval", "device(name='eval')"],
)  # fmt: skip
def test_not_asked_for(expression: str) -> None:
    assert not wants_eval(expression)


@given(st.recursive(st.sampled_from(["eval", "slow"]), lambda inner: st.one_of(
    inner.map(lambda one: f"not ({one})"),
    st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
)))  # fmt: skip
def test_what_only_not_eval_satisfies_never_asks(expression: str) -> None:
    """Where the expression is monotone in `eval` against it, `eval` is no positive term."""
    values = {e: [bool(eval(expression, {}, {"eval": e, "slow": s})) for s in (False, True)] for e in (False, True)}
    helps = any(with_eval and not without for with_eval, without in zip(values[True], values[False], strict=True))
    assert wants_eval(expression) or not helps


@pytest.mark.parametrize("name", ["discovery_verbose_fail", "a:b", "100 %", "x[1]", "ünï cödé", "a/b", "-m", "a" * 200])
def test_usual_names_stay_as_they_are(name: str) -> None:
    assert node_name(name, last=True) == name


def test_a_name_that_looks_like_an_escaped_one_is_escaped_itself() -> None:
    assert node_name("a::b", last=True) == "a%3A%3Ab"
    assert node_name("a%3A%3Ab", last=True) == "a%253A%253Ab"


@given(st.text(alphabet="ab:%25[3A5B]", max_size=12), st.text(alphabet="ab:%25[3A5B]", max_size=12))
def test_no_two_names_become_one_and_none_falls_apart(one: str, other: str) -> None:
    for last in (True, False):
        found = node_name(one, last=last)
        assert (found == node_name(other, last=last)) == (one == other)
        base, bracket, rest = f"gate.yaml::suite::{found}".partition("[")
        parts = base.split("::")
        assert parts[:2] == ["gate.yaml", "suite"]
        if one:
            assert len(parts) == 3 and parts[2] + bracket + rest == found
        assert last or "[" not in found
