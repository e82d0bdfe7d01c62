"""What a setting was and is: told as `gate.yaml` has it, and only where it is short."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.policy import RunPolicy, SlicePolicy, SuitePolicy
from gate.resolve.exam import LONGEST, Edit, differing, edit


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (0.95, 0.999, ("0.95", "0.999")),
        ("enforce", "advisory", ("enforce", "advisory")),
        (True, False, ("true", "false")),
        (None, 500, ("not set", "500")),
        ((), ("tier=gold",), ("[]", '["tier=gold"]')),
        ({}, {"t=a": SlicePolicy(margin=0.5)}, ("{}", '{"t=a": {"margin": 0.5}}')),
    ],
)
def test_values_are_told_as_the_file_has_them(old: object, new: object, told: tuple[str, str]) -> None:
    found = edit("policy.x", old, new)
    assert (found.old, found.new) == told
    assert found.told


def test_a_long_value_on_one_side_leaves_the_name_alone() -> None:
    names = tuple(f"tier={number}" for number in range(1_000))
    assert edit("policy.required", (), names) == Edit("policy.required")
    assert edit("policy.required", names, ()) == Edit("policy.required")
    assert not edit("policy.required", (), names).told


def test_only_what_differs_is_named() -> None:
    assert differing(RunPolicy(), RunPolicy()) == []
    assert differing(RunPolicy(), RunPolicy(fail_on="hold"), "policy.") == [Edit("policy.fail_on", "block", "hold")]


@given(st.lists(st.text(max_size=12), max_size=4).map(tuple), st.floats(0, 1))
def test_what_is_told_is_short_and_whole(required: tuple[str, ...], margin: float) -> None:
    for found in differing(SuitePolicy(), SuitePolicy().model_copy(update={"required": required, "margin": margin})):
        assert max(len(found.old), len(found.new)) <= LONGEST
        if found.told:
            assert json.loads(found.new) == (list(required) if found.name == "required" else margin)
