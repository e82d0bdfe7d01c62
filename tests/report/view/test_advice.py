"""How the verdict was decided, and what to do next."""

import shlex

import pytest

from gate.record.comparison import Verdict
from gate.record.findings.finding import plain
from gate.record.run import RunRecord
from gate.record.transcript import UNPRICED, UNTOLD
from gate.report.markdown.report import SHORTEST, render_report
from gate.report.slices import NamedSlice, Step, placed
from gate.report.view.advice import compare_command, draft_command, next_steps
from gate.report.view.calls import spending_text
from tests.golden import runs


def _said(step: Step) -> str:
    return plain(placed(step, "above"))


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (("the agent does not report its cost (cost_usd)", ""), "the agent does not report its cost (cost_usd)"),
        ((UNPRICED, UNPRICED), UNPRICED),
        ((UNPRICED, UNTOLD), f"{UNPRICED}; {UNTOLD}"),
    ],
)
def test_why_dollars_are_not_known_is_told_as_each_suite_has_it(notes: tuple[str, str], told: str) -> None:
    made = runs.passed()
    update = {"spent_usd": None}
    suites = [made.suites[0].model_copy(update=update | {"name": note[:5], "cost_note": note}) for note in notes]
    spent = plain(spending_text(made.model_copy(update=update | {"suites": suites})))
    assert spent == f"1,080 calls, 42.3 s; cost unknown: {told}"


def test_every_verdict_has_a_next_step() -> None:
    assert {made.verdict for made in runs.runs().values()} == set(Verdict)
    assert all(next_steps(made) for made in runs.runs().values())


def _renamed(baseline: str, candidate: str) -> RunRecord:
    run = runs.block()
    suite = run.suites[0]
    arms = {
        "baseline": suite.baseline.model_copy(update={"ref": baseline, "sha": "b" * 40}),
        "candidate": suite.candidate.model_copy(update={"ref": candidate, "sha": "c" * 40}),
    }
    return run.model_copy(update={"suites": [suite.model_copy(update=arms)]})


@pytest.mark.parametrize(
    ("candidate", "head"),
    [
        ("feature", " --head feature"),
        ("refs/pull/7/merge", ""),
        ("the merge group", f" --head {'c' * 40}"),
    ],
)
def test_a_command_names_only_what_git_can_find(candidate: str, head: str) -> None:
    assert compare_command(_renamed("origin/main", candidate)) == f"gate diff --base origin/main{head}"
    for base in ("the old side", "the entry 0123abcd before it in the queue"):
        assert compare_command(_renamed(base, candidate)) == f"gate diff --base {'b' * 40}{head}"


def _drafted(local: str = "lang=de", **arm: str) -> str:
    run = runs.block()
    candidate = run.suites[0].candidate.model_copy(update=arm)
    suite = run.suites[0].model_copy(update={"candidate": candidate})
    record = suite.quality.overall.model_copy(update={"slice": local})
    return plain(draft_command(suite, NamedSlice("", local, record)))


def test_what_is_drafted_is_told_only_where_the_command_would_work() -> None:
    assert _drafted("overall") == ". Draft them: gate generate prompts/support.md --model openai:gpt-4o-mini"
    assert "--instructions" not in _drafted("length=short")
    bare = ". Draft them: gate generate"
    assert _drafted(model="local:gemma3-270m") == bare
    assert _drafted(path="prompts.py:support") == bare
    assert _drafted(path="--evaluate.md") == bare
    assert _drafted("lang=" + "x" * 300) == bare
    assert _drafted("lang=a\nb") == bare


def test_a_slices_name_is_one_word_of_a_command() -> None:
    text = _drafted("lang=de; rm -rf $HOME 'x'").removeprefix(" (").removesuffix(" drafts them)")
    assert shlex.split(text)[-1] == "tests=Only cases of lang=de; rm -rf $HOME 'x'"


def test_nobody_is_sent_to_cases_that_the_report_has_not() -> None:
    run = runs.block()
    assert _said(next_steps(run)[0]).startswith("Read the cases above and fix the prompt")
    bare = run.model_copy(update={"suites": [run.suites[0].model_copy(update={"cases": []})]})
    assert _said(next_steps(bare)[0]).startswith("Fix the prompt or model settings for lang=de")
    suspect = runs.hold_suspect()
    assert _said(next_steps(suspect)[0]).startswith("Read the cases above and decide whether ")
    bare = suspect.model_copy(update={"suites": [suspect.suites[0].model_copy(update={"cases": []})]})
    assert _said(next_steps(bare)[0]).startswith("Decide whether ")
    assert "Read the cases above and fix" in render_report(run)
    assert "Read the cases in the full report and fix" in render_report(run, limit=SHORTEST)
