"""Each method says how it looks at slices, and promises no more than it keeps."""

import pytest

from gate.record.run import RunRecord
from gate.report.numbers import Code
from gate.report.view.report import method_facts
from tests.golden.runs import block


def told(run: RunRecord, label: str) -> str:
    (fact,) = [fact for fact in method_facts(run) if fact.label == label]
    return "".join(part.text if isinstance(part, Code) else part for part in fact.text)


def with_method(**changes: object) -> RunRecord:
    base = block()
    fields = {"flips": None} | changes if changes.get("name") else changes
    return base.model_copy(update={"method": base.method.model_copy(update=fields)})


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
