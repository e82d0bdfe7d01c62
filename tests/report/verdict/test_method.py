"""Each method says how it looks at slices, and promises no more than it keeps."""

import pytest

from gate.record.run import RunRecord
from gate.report.view.report import method_facts
from gate.report.view.text import Code
from tests.golden.runs import block, margin


def told(run: RunRecord, label: str) -> str:
    (fact,) = [fact for fact in method_facts(run) if fact.label == label]
    return "".join(part.text if isinstance(part, Code) else part for part in fact.text)


def with_method(**changes: object) -> RunRecord:
    base = block()
    fields = {"flips": None} | changes if changes.get("name") else changes
    return base.model_copy(update={"method": base.method.model_copy(update=fields)})


def test_maxt_promises_one_level_for_all_slices() -> None:
    assert (
        told(block(), "Method")
        == "joint sign-flip test (maxt) of 6 slices together with 4,999 sign flips, overall included"
    )
    assert "at most 2.5 %, all slices taken together" in told(block(), "False blocks")


def test_the_breakage_channel_promises_less() -> None:
    run = with_method(breakage=True)
    assert "whether any case changed at all" in told(run, "Method")
    promise = told(run, "False blocks")
    assert "if this change altered no case at all" in promise
    assert "blocked more often" in promise


@pytest.mark.parametrize(
    ("name", "correction", "promise"),
    [
        ("percentile", "none", "not for several slices together"),
        ("percentile", "holm", "about 2.5 % for all slices together where each has many cases"),
        ("t", "none", "about 2.5 % for each slice alone, so up to 15 % for all of them together"),
        ("t", "bonferroni", "about 2.5 % for all slices together"),
        ("mcnemar", "none", "at most 2.5 % for each slice alone, so up to 15 % for all of them together"),
        ("mcnemar", "holm", "at most 2.5 % for all slices together"),
    ],
)
def test_methods_that_look_at_each_slice_alone(name: str, correction: str, promise: str) -> None:
    run = with_method(name=name, correction=correction)
    assert promise in told(run, "False blocks")
    said = told(run, "Method")
    assert f"({name}), each of 6 slices alone" in said
    assert ("correction" in said) == (correction != "none")


def test_margins_are_named_where_they_differ() -> None:
    said = told(margin(), "Margin")
    assert said == (
        "−0.020, 0.000 for tier=enterprise; a slice is a regression when its whole interval lies below its margin"
    )
    assert told(block(), "Margin").startswith("none;")
