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
    assert "the breakage channel" in told(run, "Method")
    promise = told(run, "False blocks")
    assert "if the change alters no case" in promise
    assert "else higher" in promise


@pytest.mark.parametrize(
    ("name", "correction", "promise"),
    [
        ("percentile", "none", "more for small slices and over all slices"),
        ("percentile", "holm", "about 2.5 % over all slices if each has many cases"),
        ("t", "none", "about 2.5 % per slice, so up to 15 % over all slices"),
        ("t", "bonferroni", "about 2.5 % over all slices"),
        ("mcnemar", "none", "at most 2.5 % per slice, so up to 15 % over all slices"),
        ("mcnemar", "holm", "at most 2.5 % over all slices"),
    ],
)
def test_methods_that_look_at_each_slice_alone(name: str, correction: str, promise: str) -> None:
    run = with_method(name=name, correction=correction)
    assert promise in told(run, "False blocks")
    said = told(run, "Method")
    assert f"({name}), 6 slices tested separately" in said
    assert ("correction" in said) == (correction != "none")
