"""Records of runs in which nothing was evaluated: what they say, and that every report can show them."""

from datetime import UTC, datetime
from typing import Literal

import pytest

from gate.config.policy import Budget, RunPolicy
from gate.engine.without_evaluation import deleted, failed, overridden, skipped, without_secrets
from gate.errors import CannotEvaluate, GateError, InputErrors, MissingKey, Problem
from gate.record.comparison import Verdict
from gate.record.parts import Deletion
from gate.record.run import OverrideRecord, RunRecord
from gate.resolve.resolved import Resolved
from tests.golden.regenerate import markdown_of, text_of

NOW = datetime(2026, 3, 2, 9, 0, 5, 123456, tzinfo=UTC)
COMMIT = "a81d06c3f2" * 4


def shown(run: RunRecord) -> RunRecord:
    """The same record after it was written and read, and rendered."""
    again = RunRecord.model_validate_json(run.model_dump_json())
    assert again == run
    assert run.verdict.value in markdown_of(run)
    assert run.verdict.value in text_of(run)
    assert (run.commit, run.created, run.suites, run.spent_usd) == (COMMIT, "2026-03-02T09:00:05+00:00", [], 0.0)
    return run


def test_nothing_was_touched() -> None:
    run = shown(skipped(COMMIT, NOW, untouched=["support", "triage"]))
    assert (run.verdict, run.exit_code) == (Verdict.SKIPPED, 0)
    assert run.reasons == ["the change touches no prompt, model, case or scorer of support, triage."]
    assert run.override is None


def test_the_label_is_set() -> None:
    found = OverrideRecord(label="[skip-prompt-diff]", by="olivia", at="2026-03-02T08:00:00Z", commit=COMMIT)
    run = shown(overridden(found.model_copy(update={"role": "triage", "reason": "Known."}), NOW))
    assert (run.verdict, run.exit_code) == (Verdict.SKIPPED, 0)
    assert run.reasons == ["The label [skip-prompt-diff] is set."]
    assert run.override is not None
    assert "Set by `olivia` (role `triage`) on 2026-03-02 08:00:00 UTC" in markdown_of(run)
    assert "Reason given: `Known.`" in markdown_of(run)


@pytest.mark.parametrize(("fail_on", "code"), [("block", 0), ("hold", 1)])
def test_all_that_was_touched_is_deleted(fail_on: Literal["block", "hold"], code: int) -> None:
    gone = Deletion("p/x.md", "main", 120)
    policy = RunPolicy(fail_on=fail_on)
    resolved = Resolved((), {}, (), (str(gone),), policy, Budget(), COMMIT, deleted=(gone,))
    run = shown(deleted(resolved, NOW))
    assert (run.verdict, run.exit_code, run.method.fail_on) == (Verdict.HOLD, code, fail_on)
    assert run.reasons == ["p/x.md, which main examines with 120 cases, is deleted."]
    assert "HOLD: `p/x.md` is deleted" in markdown_of(run)


@pytest.mark.parametrize(
    ("error", "code", "reasons"),
    [
        (CannotEvaluate("no base"), 3, ["no base"]),
        (CannotEvaluate("no base", "check out"), 3, ["no base", "What helps: check out"]),
        (MissingKey("no key", "set it"), 3, ["no key", "What helps: set it"]),
        (GateError("a mistake"), 2, ["a mistake"]),
        (
            InputErrors([Problem("b.yaml", 2, "two", "mend"), Problem("a.yaml", 0, "one")]),
            2,
            ["2 mistakes keep the gate from running.", "a.yaml: one", "b.yaml:2: two (mend)"],
        ),
        (
            InputErrors([Problem("a.yaml", 3, "one", "mend")]),
            2,
            ["one mistake keeps the gate from running.", "a.yaml:3: one (mend)"],
        ),
    ],
)
def test_it_could_not_begin(error: GateError, code: int, reasons: list[str]) -> None:
    run = shown(failed(error, COMMIT, NOW))
    assert (run.verdict, run.exit_code, run.reasons) == (Verdict.INCONCLUSIVE, code, reasons)
    assert reasons[0].rstrip(".") in text_of(run)


def test_advice_comes_last() -> None:
    run = shown(failed(CannotEvaluate("no base", "check out"), COMMIT, NOW, advice="Read the log."))
    assert run.reasons == ["no base", "What helps: check out", "Read the log."]


@pytest.mark.parametrize("text", ["", "\x1b[31m\x00\ud800", "<!-- x -->@octocat\n::error::x", "x" * 100_000])
def test_any_text_may_be_the_reason(text: str) -> None:
    for run in (
        failed(CannotEvaluate(text, text), COMMIT, NOW),
        skipped(COMMIT, NOW, untouched=[text] * 3),
        overridden(OverrideRecord(label=text, by=text, at=text, commit=COMMIT, role=text, reason=text), NOW),
    ):
        report = markdown_of(run)
        assert len(report) <= 65_536
        assert "<!-- x" not in report
        assert "\x1b" not in report + text_of(run)


def test_a_change_that_nobody_could_judge_is_for_people() -> None:
    run = shown(without_secrets("a fork gets none", MissingKey("no key", "set it"), COMMIT, NOW))
    assert (run.verdict, run.exit_code, run.notes, run.kind) == (Verdict.SKIPPED, 0, ["no key."], "unjudged")
    said = " ".join(text_of(run).split())
    assert "Nothing to do" not in said
    assert "people have to judge it" in said
