"""A merge group inherits an override only from all of its pull requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.action.override import LONGEST_REASON, group_override
from gate.record.run import OverrideRecord

GROUP = "c" * 40
ADA = OverrideRecord(label="skip", by="ada", at="2026-03-02T09:00:00Z", commit="a" * 40, role="write", reason="known")
OLIVIA = OverrideRecord(label="skip", by="olivia", at="2026-03-01T09:00:00Z", commit="b" * 40, role="triage")
REFUSED = OLIVIA.model_copy(update={"counted": False, "why_not": "a bot"})


def test_all_of_them() -> None:
    found = group_override({8: OLIVIA, 7: ADA}, GROUP)
    assert found == OverrideRecord(
        label="skip",
        by="ada, olivia",
        at="2026-03-02T09:00:00Z",
        commit=GROUP,
        role="write, triage",
        reason="#7: known",
    )


@pytest.mark.parametrize("other", [None, REFUSED])
def test_not_all_of_them(other: OverrideRecord | None) -> None:
    found = group_override({7: ADA, 12: other, 9: other}, GROUP)
    assert found is not None
    assert (found.counted, found.by, found.commit) == (False, None, GROUP)
    assert found.why_not.endswith("these pull requests lack a label that counts: #9, #12.")


def test_a_large_group_is_reported_in_short() -> None:
    found = group_override({number: ADA if number == 1 else None for number in range(1, 60)}, GROUP)
    assert found is not None
    assert found.why_not.endswith("counts: #2, #3, #4 and 55 more.")
    long = ADA.model_copy(update={"reason": "x" * LONGEST_REASON})
    told = group_override(dict.fromkeys(range(1, 60), long), GROUP)
    assert told is not None
    assert len(told.reason) == LONGEST_REASON


@given(st.dictionaries(st.integers(1, 99), st.sampled_from([None, ADA, OLIVIA, REFUSED]), max_size=6))
def test_one_that_does_not_count_is_enough(decisions: dict[int, OverrideRecord | None]) -> None:
    found = group_override(decisions, GROUP)
    every = bool(decisions) and all(one is not None and one.counted for one in decisions.values())
    assert (found is not None and found.counted) is every
