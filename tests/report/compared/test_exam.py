"""What a change does to its own exam: above everything but the verdict, in the order of weight, and harmless."""

import io
import re

import pytest
from rich.console import Console

from gate.record.comparison import Verdict
from gate.record.run import EditedValueRecord, ExamChangeRecord, ExamTrialRecord, RunRecord
from gate.report.markdown.report import GITHUB_LIMIT, SHORTEST, render_report
from gate.report.terminal import report as terminal
from gate.report.view.exam import exam_notice, exam_trials, is_weighty
from tests.golden.builders import run
from tests.golden.hostile import ATTACKS
from tests.golden.runs import runs
from tests.report.reading import html, kinds


def plain(record: RunRecord) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in exam_notice(record))


def edited(*changes: ExamChangeRecord, run_edits: tuple[str, ...] = ()) -> RunRecord:
    return runs()["block"].model_copy(update={"exam_changes": list(changes), "run_edits": list(run_edits)})


def hostile() -> RunRecord:
    changes = [
        ExamChangeRecord(
            suite=attack,
            rules=[f"policy.{attack}", f"scorers.{attack}"],
            values=[EditedValueRecord(name=f"policy.{attack}", old=attack, new=attack)],
            removed=[attack],
            trials=[ExamTrialRecord(kind="added", asked=3, reason=attack)],
        )
        for attack in ATTACKS
    ]
    return edited(*changes, run_edits=("policy.confidence",))


def test_the_most_weighty_comes_first() -> None:
    one = ExamChangeRecord(suite="a", rules=["scorers.judge", "policy.margin"], removed=["c1"], added=["c2"])
    said = plain(edited(one, run_edits=("budget.max_usd", "policy.fail_on")))
    words = ["the policy of the run (fail_on)", "policy of a (margin)", "1 case of a removed", "scorers of a (judge)"]
    places = [said.index(word) for word in words]
    assert places == sorted(places)
    assert "the removed cases included" in said


def test_an_edit_tells_what_was_and_what_comes() -> None:
    one = ExamChangeRecord(
        suite="a", rules=["threshold"], values=[EditedValueRecord(name="threshold", old="0.5", new="0")]
    )
    mode = EditedValueRecord(name="policy.mode", old="enforce", new="advisory")
    record = edited(one, run_edits=("policy.mode",)).model_copy(update={"run_values": [mode]})
    text = render_report(record)
    assert "the policy of the run (`mode` `enforce` → `advisory`)" in text
    assert "threshold of `a` (`0.5` → `0`)" in text


def test_how_conversations_are_led_is_told_with_its_values() -> None:
    score = EditedValueRecord(name="conversation.score", old="mean", new="min")
    rules = ["conversation.score", "conversation.params", "placeholders.today"]
    text = render_report(edited(ExamChangeRecord(suite="a", rules=rules, values=[score])))
    assert "conversation of `a` (`score` `mean` → `min`, `params`), placeholders of `a` (`today`)" in text


def test_no_setting_of_the_run_hides_behind_others() -> None:
    names = ("confidence", "fail_on", "method", "correction", "breakage", "early_stop", "mode")
    said = plain(edited(run_edits=tuple(f"policy.{name}" for name in names)))
    assert all(name in said for name in names)


def test_nothing_is_said_where_nothing_is_edited() -> None:
    assert exam_notice(edited()) == ()
    assert not is_weighty(edited())
    assert "Exam changes" not in render_report(runs()["ship"])


def test_new_cases_alone_are_no_warning() -> None:
    record = edited(ExamChangeRecord(suite="a", added=["c2"]))
    assert not is_weighty(record)
    assert "⚠️ **This change" not in render_report(record)
    assert "**This change also edits its own exam: 1 case of `a` added." in render_report(record)


@pytest.mark.parametrize("limit", [GITHUB_LIMIT, SHORTEST])
def test_a_change_that_touches_no_prompt_does_nothing_also(limit: int) -> None:
    text = render_report(runs()["exam-only"], limit=limit)
    assert "This change edits its own exam" in text
    assert "also" not in text


def test_one_arm_alone_has_one_score_and_no_change() -> None:
    trial = ExamTrialRecord(kind="added", asked=4, n=4, candidate=0.5)
    (row,) = exam_trials(run(Verdict.PASS, [], ["x."], exam_changes=[ExamChangeRecord(suite="a", trials=[trial])]))
    assert (row.scores, row.change, row.cases) == ("0.500", "–", "4")


def test_scores_of_one_arm_are_not_headed_as_two() -> None:
    assert "| cases | score | change [" in render_report(runs()["exam-only"])
    assert "| cases | baseline → candidate | change [" in render_report(runs()["exam-edited"])


@pytest.mark.parametrize("limit", [GITHUB_LIMIT, 20_000, 9_000, SHORTEST])
def test_hostile_names_stay_text_within_every_limit(limit: int) -> None:
    text = render_report(hostile(), limit=limit)
    assert len(text) <= limit
    assert "This change also edits its own exam" in text
    assert not kinds(text)["link_open"] and not kinds(text)["image"]
    assert "<img" not in html(text) and "<script" not in html(text)
    assert not re.search(r"@octocat|@github", re.sub(r"`[^`\n]*`|```.*?```", "", text, flags=re.DOTALL))


def test_hostile_names_send_nothing_to_a_terminal() -> None:
    out = io.StringIO()
    terminal.render_report(hostile(), Console(file=out, width=80, color_system=None, _environ={}))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out.getvalue())
    assert "\n::" not in out.getvalue()


def test_a_slice_of_which_no_case_is_left_is_weighty() -> None:
    record = runs()["block"]
    (suite, *_) = record.suites
    name, value = next(iter(suite.cases[0].slices.items()))
    gone = [case.id for case in suite.cases if case.slices.get(name) == value]
    change = ExamChangeRecord(suite=suite.name, obsolete=gone)
    told = edited(change)
    assert is_weighty(told)
    assert f"no case is left of {name}={value}" in plain(told)
    assert not is_weighty(edited(ExamChangeRecord(suite=suite.name, obsolete=gone[1:])))
