"""New prompts: their eval set, their pass rates, and what they cannot change."""

from pathlib import Path

import pytest

from gate.record.comparison import PassState, Verdict
from tests.support.command import Outcome, gate
from tests.support.example import BROKEN, CONFIG, FILES
from tests.support.findings import texts
from tests.support.repository import commit, make, write

NEW = """\
  - name: new
    prompt: prompts/new.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [contains]
    policy: {min_pass_rate: 0.8}
"""
GLOB = CONFIG[: CONFIG.index("suites:")] + (
    "suites:\n  - {name: all, prompt: 'prompts/*.md', cases: evals/support.jsonl, slices: [tier], scorers: [contains],"
    " policy: {min_pass_rate: 0.8}}\n"
)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make(tmp_path, FILES)


def run(repo: Path, *more: str) -> Outcome:
    return gate("diff", "--base", "main", "--json", *more, cwd=repo)


def bring(repo: Path, quality: str, suite: str = NEW, files: dict[str, str] | None = None) -> Outcome:
    """Add a new prompt with its own suite, and other changes."""
    write(repo, {"gate.yaml": CONFIG + suite, "prompts/new.md": f"New. {quality}\n", **(files or {})})
    return run(repo)


@pytest.mark.parametrize(
    ("quality", "code", "verdict"),
    [
        ("quality=1.0", 0, Verdict.PASS),
        ("quality=0.9", 0, Verdict.HOLD),
    ],
)
def test_a_new_prompt_is_tested_against_its_pass_rate(repo: Path, quality: str, code: int, verdict: Verdict) -> None:
    outcome = bring(repo, quality)
    record = outcome.record
    assert (outcome.code, record.verdict, record.suites) == (code, verdict, [])
    (new,) = record.new
    assert (new.name, new.candidate.path, new.exam.ref, new.overall.n) == ("new", "prompts/new.md", "working tree", 40)
    assert [rate.slice for rate in new.slices] == ["tier=free", "tier=gold"]
    assert (record.calls.made, record.missing.total) == (80, 80)
    assert any("prompts/new.md is a new prompt: main has nothing to compare it with" in note for note in texts(record))


def test_the_failing_slice_is_named_and_its_answers_are_saved(repo: Path) -> None:
    outcome = bring(repo, "quality=1.0 quality[gold]=0.2")
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    states = {rate.slice: rate.state for rate in record.new[0].slices}
    assert states == {"tier=free": PassState.UNPROVEN, "tier=gold": PassState.MISSED}
    assert texts(record)[0].startswith("new/tier=gold: ")
    kept = [case for case in record.new[0].cases if case.outputs]
    assert kept
    assert all(False in case.passed and case.slices["tier"] == "gold" for case in kept)
    report = (repo / ".gate/last/report.md").read_text()
    assert "BLOCK: `new/tier=gold`" in report.splitlines()[0]
    assert "**Cases that fail**" in report


def test_without_a_required_pass_rate_the_verdict_is_hold(repo: Path) -> None:
    outcome = bring(repo, "quality=1.0", NEW[: NEW.index("    policy")])
    assert (outcome.code, outcome.record.verdict) == (0, Verdict.HOLD)
    assert "min_pass_rate" in texts(outcome.record)[0]


def test_a_new_prompt_and_a_changed_one_are_both_tested(repo: Path) -> None:
    broken = bring(repo, "quality=1.0", files={"prompts/support.md": BROKEN}).record
    assert broken.verdict is Verdict.BLOCK
    assert texts(broken)[0].startswith("tier=gold dropped by")
    assert broken.method.slices_tested == 3


def test_a_new_file_of_a_known_pattern_uses_the_eval_set_of_the_base(repo: Path) -> None:
    commit(repo, {"gate.yaml": GLOB})
    easier = GLOB.replace("[contains]", "[{regex: {pattern: '.|{{ expected }}'}}]").replace("0.8", "0.1")
    write(repo, {"gate.yaml": easier, "prompts/new.md": "New. quality=0.2\n"})
    record = run(repo).record
    assert record.verdict is Verdict.BLOCK
    (new,) = record.new
    assert (new.name, new.exam.ref, new.exam.scorers, new.overall.wanted) == ("all:new", "main", ["contains"], 0.8)
    assert any("the cases and scorers of prompts/*.md at main" in note for note in texts(record))
    (change,) = (change for change in record.exam_changes if change.suite == "all:new")
    assert change.trials == []
    names = [("policy", "min_pass_rate"), ("scorers", "contains"), ("scorers", "regex")]
    assert [(edit.kind, edit.name) for edit in change.rules] == names


@pytest.mark.parametrize("model", ["fake:echo", "replay:answers.jsonl"])
def test_a_new_prompt_cannot_use_fake_answers(repo: Path, model: str) -> None:
    write(repo, {"gate.yaml": CONFIG + NEW + f"    model: {model}\n", "prompts/new.md": "New.\n"})
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 2
    assert "which is not a model service" in outcome.err
