"""Records without a comparison, and verdicts that do not decide."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from gate.config.policy import Budget, RunPolicy
from gate.engine.without_evaluation import (
    baseline_run_record,
    deleted_record,
    failed_record,
    overridden_record,
    skipped_record,
    waive,
    with_override,
    without_secrets_record,
)
from gate.errors import CannotEvaluate, GateError, InputErrors, Interrupted, MissingKey, Problem, Terminated
from gate.record.comparison import Verdict
from gate.record.findings.finding import Finding
from gate.record.findings.skipped import LabelSet, SecretsMissing
from gate.record.findings.unfinished import BaselineIncomplete, BudgetReached, ErrorInBase, PromptDeleted
from gate.record.parts import CallsRecord
from gate.record.run import MissingReason, OverrideRecord, RunRecord
from gate.report.view.headline import plain_first_line
from gate.resolve.resolved import Resolved
from tests.golden.builders import run as built_run
from tests.golden.kept_answers import unfinished
from tests.golden.new_prompts import new_block, new_pass
from tests.golden.regenerate import markdown_of, text_of
from tests.golden.runs import untouched

SET = OverrideRecord(
    label="skip-prompt-diff", by="olivia", at="2026-03-02T09:00:00Z", commit="a" * 40, role="triage", reason="known"
)
REFUSED = SET.model_copy(update={"counted": False, "why_not": "The label was set by a bot."})
CODES = [(Verdict.BLOCK, 1), (Verdict.HOLD, 1), (Verdict.INCONCLUSIVE, 3), (Verdict.INCONCLUSIVE, 2)]


def finished(verdict: Verdict, code: int) -> RunRecord:
    return built_run(verdict, [], exit_code=code)


def read_again(record: RunRecord) -> RunRecord:
    return RunRecord.model_validate_json(record.model_dump_json(by_alias=True))


@pytest.mark.parametrize(("verdict", "code"), CODES)
def test_an_override_turns_the_exit_code_and_not_the_verdict(verdict: Verdict, code: int) -> None:
    done = read_again(waive(finished(verdict, code), "override", SET))
    assert (done.verdict, done.exit_code, done.waived, done.waived_code) == (verdict, 0, "override", code)
    assert plain_first_line(done).startswith(f"{verdict.value}, overridden by olivia: ")
    for report in (markdown_of(done), " ".join(text_of(done).split())):
        assert f"Without the label the check would fail ({verdict.value}, exit code {code})" in report
        assert "known" in report


@pytest.mark.parametrize(("verdict", "code"), CODES)
def test_advisory_mode_is_never_red_and_says_what_would_have_been(verdict: Verdict, code: int) -> None:
    done = read_again(waive(finished(verdict, code), "advisory", REFUSED))
    assert (done.verdict, done.exit_code, done.waived, done.waived_code) == (verdict, 0, "advisory", code)
    assert plain_first_line(done).startswith(f"{verdict.value}, in advisory mode: ")
    for report in (markdown_of(done), " ".join(text_of(done).split())):
        assert f"Without advisory mode the check would fail ({verdict.value}, exit code {code})." in report
        assert "The label was set by a bot." in report


def test_an_interrupt_is_not_waived() -> None:
    ended = finished(Verdict.INCONCLUSIVE, 130)
    assert waive(ended, "advisory") == ended


@pytest.mark.parametrize(
    "change",
    [
        {"waived": "advisory", "exit_code": 1},
        {"waived": "override", "exit_code": 0},
        {"waived": "override", "exit_code": 0, "override": REFUSED.model_dump()},
        {"waived": "bribe", "exit_code": 0},
        {"waived_code": 300},
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change: dict[str, object]) -> None:
    data = finished(Verdict.BLOCK, 1).model_dump() | change
    with pytest.raises(ValidationError):
        RunRecord.model_validate(data)


def test_a_record_of_before_is_read() -> None:
    data = built_run(Verdict.SKIPPED, [], [LabelSet(label="x")]).model_dump()
    for key in ("waived", "waived_code"):
        data.pop(key)
    data["override"] = {"label": "x", "by": None, "at": None, "commit": "a" * 40}
    old = RunRecord.model_validate(data)
    assert old.skipped_by_label
    assert "the label `x` is set" in markdown_of(old)


@pytest.mark.parametrize("text", ["<!-- x -->@octocat #12\n::error::x", "\x1b[31m```</details>", "`" * 500, "x" * 500])
def test_hostile_words_stay_words(text: str) -> None:
    hostile = SET.model_copy(update={"label": text, "by": text, "at": text, "role": text, "reason": text})
    refused = hostile.model_copy(update={"counted": False, "why_not": f"The label {text} does not count."})
    for done in (
        waive(finished(Verdict.BLOCK, 1), "override", hostile),
        with_override(finished(Verdict.BLOCK, 1), refused),
    ):
        report, plain = markdown_of(done), text_of(done)
        assert "<!-- x" not in report
        assert "\n::error" not in report + plain
        assert "\x1b" not in report + plain


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
    run = shown(skipped_record(replace(untouched("support", "triage"), commit=COMMIT), NOW))
    assert (run.verdict, run.exit_code) == (Verdict.SKIPPED, 0)
    assert run.findings[0].text == "Nothing that support, triage use has changed."
    assert run.override is None


def test_the_label_is_set() -> None:
    found = OverrideRecord(label="[skip-prompt-diff]", by="olivia", at="2026-03-02T08:00:00Z", commit=COMMIT)
    run = shown(overridden_record(found.model_copy(update={"role": "triage", "reason": "Known."}), NOW))
    assert (run.verdict, run.exit_code) == (Verdict.SKIPPED, 0)
    assert run.findings == [LabelSet(label="[skip-prompt-diff]", by="olivia")]
    assert run.override is not None
    assert "Set by `olivia` (role `triage`) on 2026-03-02 08:00:00 UTC" in markdown_of(run)
    assert "Reason: `Known.`" in markdown_of(run)


def test_all_that_was_touched_is_gone() -> None:
    gone = PromptDeleted(prompt="p/x.md", ref="main", cases=120, likely="q/y.md")
    resolved = Resolved((), {}, (), (), RunPolicy(), Budget(), COMMIT, deleted=(gone,))
    run = shown(deleted_record(resolved, NOW))
    assert (run.verdict, run.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert run.findings == [gone]
    assert gone.text == (
        "p/x.md, which main tests with 120 cases, is gone, and gate.yaml names no successor; q/y.md is like it."
    )
    assert "merge with the override label" in markdown_of(run)


@pytest.mark.parametrize(
    ("error", "exit_code", "code", "text"),
    [
        (CannotEvaluate("no base"), 3, "cannot-evaluate", "No base."),
        (CannotEvaluate("no base", "check out"), 3, "cannot-evaluate", "No base. Hint: check out."),
        (MissingKey("no key", "set it"), 3, "key-missing", "No key. Hint: set it."),
        (Interrupted("interrupted"), 130, "interrupted", "The run was interrupted (SIGINT)."),
        (Terminated("SIGTERM"), 3, "interrupted", "The process was stopped (SIGTERM)."),
        (GateError("a mistake"), 2, "input-error", "A mistake."),
        (
            InputErrors([Problem("b.yaml", 2, "two", "mend"), Problem("a.yaml", 0, "one")]),
            2,
            "input-error",
            "2 errors keep the gate from running. a.yaml: one; b.yaml:2: two (mend)",
        ),
        (
            InputErrors([Problem("a.yaml", 3, "one", "mend")]),
            2,
            "input-error",
            "One error keeps the gate from running. a.yaml:3: one (mend)",
        ),
    ],
)
def test_it_could_not_begin(error: GateError, exit_code: int, code: str, text: str) -> None:
    run = shown(failed_record(error, COMMIT, NOW))
    assert (run.verdict, run.exit_code) == (Verdict.INCONCLUSIVE, exit_code)
    assert [(finding.code, finding.text) for finding in run.findings] == [(code, text)]


def test_an_error_of_the_base_is_told_apart() -> None:
    in_base = ErrorInBase(base="origin/main", label="skip")
    run = shown(failed_record(GateError("a mistake"), COMMIT, NOW, in_base=in_base))
    assert [finding.code for finding in run.findings] == ["input-error", "error-in-base"]


@pytest.mark.parametrize("text", ["", "\x1b[31m\x00\ud800", "<!-- x -->@octocat\n::error::x", "x" * 100_000])
def test_any_text_may_be_the_reason(text: str) -> None:
    for run in (
        failed_record(CannotEvaluate(text, text), COMMIT, NOW),
        skipped_record(replace(untouched(*[text] * 3), commit=COMMIT), NOW),
        overridden_record(OverrideRecord(label=text, by=text, at=text, commit=COMMIT, role=text, reason=text), NOW),
    ):
        report = markdown_of(run)
        assert len(report) <= 65_536
        assert "<!-- x" not in report
        assert "\x1b" not in report + text_of(run)


def test_a_change_that_nobody_could_judge_is_for_people() -> None:
    run = shown(without_secrets_record("a fork gets none", MissingKey("no key", "set it"), COMMIT, NOW))
    assert (run.verdict, run.exit_code) == (Verdict.SKIPPED, 0)
    assert run.findings == [SecretsMissing(reason="a fork gets none", message="no key")]
    said = " ".join(text_of(run).split())
    assert "Nothing to do" not in said
    assert "no answer was compared" in said


BUDGET = BudgetReached(limit="max_calls", value=10, setting="budget.max_calls")


def broken(*ended: Finding, **other: object) -> RunRecord:
    """A new prompt of which some samples are missing."""
    missing = unfinished().missing
    return new_block().model_copy(update={"findings": list(ended), "missing": missing} | other)


def reports(run: RunRecord) -> str:
    again = RunRecord.model_validate_json(run.model_dump_json())
    assert again == run
    return markdown_of(run) + " ".join(text_of(run).split())


def test_what_is_recorded_asks_for_nothing() -> None:
    run = baseline_run_record(new_pass(), "origin/main")
    assert (run.verdict, run.exit_code, run.kind) == (Verdict.PASS, 0, "baseline")
    said = reports(run)
    assert "Nothing to do: later runs compare with these cached answers" in said
    assert "exam" not in said


@pytest.mark.parametrize(("priced", "spent"), [(False, "calls, 42.3"), (True, "cost unknown: at least one model")])
def test_what_has_no_price_is_told_as_on_a_pull_request(priced: bool, spent: str) -> None:
    run = new_pass()
    suites = [run.new[0].model_copy(update={"priced": priced, "spent_usd": None})]
    run = run.model_copy(update={"new": suites, "spent_usd": None})
    assert spent in markdown_of(run)
    assert spent in markdown_of(baseline_run_record(run, "origin/main"))


@pytest.mark.parametrize("code", [0, 1, 3])
def test_an_unfinished_one_speaks_of_the_baseline(code: int) -> None:
    run = baseline_run_record(broken(BUDGET, exit_code=code), "origin/main")
    assert (run.verdict, run.exit_code, run.kind) == (Verdict.INCONCLUSIVE, 3, "baseline")
    assert [finding.code for finding in run.findings] == ["baseline-incomplete", "budget-reached"]
    said = reports(run)
    assert "INCONCLUSIVE: the baseline `origin/main` was not fully recorded: the budget of 10 calls is used up" in said
    assert "ew prompt" not in said
    assert "Raise `budget.max_calls`, or run again with the same limit; only the missing samples cost anything." in said


def test_where_nothing_was_answered_nothing_is_recorded() -> None:
    silent = CallsRecord(made=0, cached=0, retried=0, failed=8)
    missing = unfinished().missing.model_copy(update={"reasons": [MissingReason(reason="HTTP 503", samples=8)]})
    run = baseline_run_record(broken(calls=silent, missing=missing), "origin/main")
    assert (run.verdict, run.exit_code) == (Verdict.INCONCLUSIVE, 3)
    assert run.findings == [BaselineIncomplete(branch="origin/main", reason="no call was answered: HTTP 503")]
    known = CallsRecord(made=0, cached=8, retried=0, failed=0)
    assert baseline_run_record(broken(calls=known), "origin/main").verdict is Verdict.PASS
