"""What a change does to its own exam: above everything but the verdict, in the order of weight, and harmless."""

import re

import pytest

from gate.record.run import ExamChangeRecord, ExamTrialRecord, RunRecord, SettingEdit, SettingKind
from gate.report.markdown.report import GITHUB_LIMIT, SHORTEST, render_report
from gate.report.view.exam import exam_notice, is_weighty
from tests.golden.hostile import ATTACKS
from tests.golden.runs import runs
from tests.report.reading import html, kinds


def plain(record: RunRecord) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in exam_notice(record))


def setting(kind: SettingKind, name: str) -> SettingEdit:
    return SettingEdit(kind=kind, name=name)


def edited(*changes: ExamChangeRecord, run_edits: tuple[SettingEdit, ...] = ()) -> RunRecord:
    return runs()["block"].model_copy(update={"exam_changes": list(changes), "run_edits": list(run_edits)})


def hostile() -> RunRecord:
    changes = [
        ExamChangeRecord(
            suite=attack,
            rules=[SettingEdit(kind="policy", name=attack, old=attack, new=attack), setting("scorers", attack)],
            removed=[attack],
            trials=[ExamTrialRecord(kind="added", asked=3, reason=attack)],
        )
        for attack in ATTACKS
    ]
    return edited(*changes, run_edits=(setting("policy", "confidence"),))


def test_the_most_weighty_comes_first() -> None:
    one = ExamChangeRecord(
        suite="a", rules=[setting("scorers", "judge"), setting("policy", "margin")], removed=["c1"], added=["c2"]
    )
    said = plain(edited(one, run_edits=(setting("budget", "max_usd"), setting("policy", "fail_on"))))
    words = ["the policy of the run (fail_on)", "policy of a (margin)", "1 case of a removed", "scorers of a (judge)"]
    places = [said.index(word) for word in words]
    assert places == sorted(places)
    assert "the removed cases included" in said


def test_no_setting_of_the_run_hides_behind_others() -> None:
    names = ("confidence", "fail_on", "method", "breakage", "early_stop", "mode")
    said = plain(edited(run_edits=tuple(setting("policy", name) for name in names)))
    assert all(name in said for name in names)


def test_new_cases_alone_are_no_warning() -> None:
    record = edited(ExamChangeRecord(suite="a", added=["c2"]))
    assert not is_weighty(record)
    assert "⚠️ **This change" not in render_report(record)
    assert "**This change also edits its own tests: 1 case of `a` added." in render_report(record)


@pytest.mark.parametrize("limit", [GITHUB_LIMIT, 20_000, 9_000, SHORTEST])
def test_hostile_names_stay_text_within_every_limit(limit: int) -> None:
    text = render_report(hostile(), limit=limit)
    assert len(text) <= limit
    assert "This change also edits its own tests" in text
    assert not kinds(text)["link_open"] and not kinds(text)["image"]
    assert "<img" not in html(text) and "<script" not in html(text)
    assert not re.search(r"@octocat|@github", re.sub(r"`[^`\n]*`|```.*?```", "", text, flags=re.DOTALL))


def test_a_slice_of_which_no_case_is_left_is_weighty() -> None:
    record = runs()["block"]
    (suite, *_) = record.suites
    name, value = next(iter(suite.cases[0].slices.items()))
    gone = [case.id for case in suite.cases if case.slices.get(name) == value]
    change = ExamChangeRecord(suite=suite.name, obsolete=gone)
    told = edited(change)
    assert is_weighty(told)
    assert f"no case left in {name}={value}" in plain(told)
    assert not is_weighty(edited(ExamChangeRecord(suite=suite.name, obsolete=gone[1:])))
