"""A verdict that does not decide: the exit code is 0, and the record says why, and what it would have been."""

import pytest
from pydantic import ValidationError

from gate.engine.without_evaluation import told, waive
from gate.record.comparison import Verdict
from gate.record.run import OverrideRecord, RunRecord
from gate.report.view.headline import plain_first_line
from tests.golden.builders import run
from tests.golden.regenerate import markdown_of, text_of

SET = OverrideRecord(
    label="skip-prompt-diff", by="olivia", at="2026-03-02T09:00:00Z", commit="a" * 40, role="triage", reason="known"
)
REFUSED = SET.model_copy(update={"counted": False, "why_not": "The label was set by a bot."})
CODES = [(Verdict.BLOCK, 1), (Verdict.HOLD, 1), (Verdict.INCONCLUSIVE, 3), (Verdict.INCONCLUSIVE, 2)]


def finished(verdict: Verdict, code: int) -> RunRecord:
    return run(verdict, [], ["why"], exit_code=code)


def read_again(record: RunRecord) -> RunRecord:
    return RunRecord.model_validate_json(record.model_dump_json(by_alias=True))


@pytest.mark.parametrize(("verdict", "code"), CODES)
def test_an_override_turns_the_exit_code_and_not_the_verdict(verdict: Verdict, code: int) -> None:
    done = read_again(waive(finished(verdict, code), "override", SET))
    assert (done.verdict, done.exit_code, done.waived, done.waived_code) == (verdict, 0, "override", code)
    assert plain_first_line(done).startswith(f"{verdict.value}, set aside by olivia: ")
    for report in (markdown_of(done), " ".join(text_of(done).split())):
        assert f"without it this would have been red ({verdict.value}, exit code {code})" in report
        assert "known" in report


@pytest.mark.parametrize(("verdict", "code"), CODES)
def test_advisory_mode_is_never_red_and_says_what_would_have_been(verdict: Verdict, code: int) -> None:
    done = read_again(waive(finished(verdict, code), "advisory", REFUSED))
    assert (done.verdict, done.exit_code, done.waived, done.waived_code) == (verdict, 0, "advisory", code)
    assert plain_first_line(done).startswith(f"{verdict.value}, in advisory mode: ")
    for report in (markdown_of(done), " ".join(text_of(done).split())):
        assert f"Advisory mode: this would have been red ({verdict.value}, exit code {code})." in report
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
    data = finished(Verdict.SKIPPED, 0).model_dump()
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
    for done in (waive(finished(Verdict.BLOCK, 1), "override", hostile), told(finished(Verdict.BLOCK, 1), refused)):
        report, plain = markdown_of(done), text_of(done)
        assert "<!-- x" not in report
        assert "\n::error" not in report + plain
        assert "\x1b" not in report + plain
