"""Each method says how it looks at slices, and promises no more than it keeps."""

from gate.record.findings.finding import Code
from gate.record.run import RunRecord
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


def test_the_familiar_rule_promises_nothing_over_all_slices() -> None:
    run = with_method(name="percentile")
    assert "more for small slices and over all slices" in told(run, "False blocks")
    assert "(percentile), 6 slices tested separately" in told(run, "Method")
