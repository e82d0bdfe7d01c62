"""Several pull requests that a merge queue tests together: their overrides count for the group only if all have one."""

from collections.abc import Callable, Mapping

from gate.domain.record import OverrideRecord
from gate.flows.override_reason import LONGEST_REASON

NAMED = 5
"""Pull requests that a sentence names before it counts the rest."""


def inherited(decisions: Mapping[int, OverrideRecord | None], commit: str) -> OverrideRecord | None:
    """The override of a merge group; None where no pull request of it has the label.

    Args:
        decisions: by number of the pull request; None where the label is not set there.
        commit: the head of the group.
    """
    by_number = sorted(decisions.items())
    found = [(number, one) for number, one in by_number if one is not None]
    if not found:
        return None
    missing = [number for number, one in by_number if one is None or not one.counted]
    label = found[0][1].label
    if missing:
        return OverrideRecord(label=label, by=None, at=None, commit=commit, counted=False, why_not=_why(label, missing))
    return OverrideRecord(
        label=label,
        by=_each(found, lambda one: one.by or ""),
        at=max(one.at or "" for _, one in found) or None,
        commit=commit,
        role=_each(found, lambda one: one.role),
        reason="; ".join(f"#{number}: {one.reason}" for number, one in found if one.reason)[:LONGEST_REASON],
    )


def _why(label: str, missing: list[int]) -> str:
    rest = len(missing) - NAMED
    named = ", ".join(f"#{number}" for number in missing[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return f"The label {label} does not count for this merge group: it is not set, or does not count, on {named}."


def _each(found: list[tuple[int, OverrideRecord]], get: Callable[[OverrideRecord], str]) -> str:
    return ", ".join(dict.fromkeys(said for _, one in found if (said := get(one))))
