"""Deleted and moved prompts and dropped suites: no prompt escapes its eval set."""

import json
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.e2e.diff.example import break_gold, run
from tests.support.command import gate, git
from tests.support.example import CONFIG
from tests.support.findings import texts
from tests.support.repository import write

FAQ_ONLY = CONFIG[: CONFIG.index("  - name: support")] + CONFIG[CONFIG.index("  - name: faq") :]


def test_a_change_cannot_drop_the_suite_of_the_prompt_that_it_breaks(repo: Path) -> None:
    break_gold(repo)
    (repo / "gate.yaml").write_text(FAQ_ONLY)
    (repo / "evals/support.jsonl").unlink()
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in outcome.record.suites] == ["support"]
    assert len(outcome.record.suites[0].exam.removed) == 20
    assert any("removes the suite for prompts/support.md" in note for note in texts(outcome.record))


def test_a_deleted_prompt_that_is_still_configured_is_an_error(repo: Path) -> None:
    git(repo, "rm", "--quiet", "prompts/support.md")
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 2
    assert "prompts/support.md: there is no such prompt in the working tree" in outcome.err
    assert "set its new path in the suite" in " ".join(outcome.err.split())


NEW_PLACES = {
    "a blank in front": ("prompts/elsewhere.md", lambda text: " " + text),
    "wrapped again": ("prompts/elsewhere.md", lambda text: "\n".join(text.split())),
    "in Python": ("app/texts.py", lambda text: f"SUPPORT = {text!r}\n"),
    "in JSON": ("app/texts.json", lambda text: json.dumps({"support": text})),
    "with another ending": ("zz/support.txt", lambda text: text),
}


@pytest.mark.threat("prompt-gone")
@pytest.mark.parametrize("place", NEW_PLACES)
def test_a_prompt_that_is_gone_is_red_and_a_likely_successor_is_proposed(repo: Path, place: str) -> None:
    path, edited = NEW_PLACES[place]
    text = (repo / "prompts/support.md").read_text()
    git(repo, "rm", "--quiet", "prompts/support.md")
    write(repo, {path: edited(text), "gate.yaml": FAQ_ONLY})
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict, outcome.record.suites) == (3, Verdict.INCONCLUSIVE, [])
    said = "prompts/support.md, which main tests with 20 cases, is gone, and gate.yaml names no successor"
    assert texts(outcome.record)[:1] == [f"{said}; {path} is like it."]


def test_a_moved_prompt_is_still_tested(repo: Path) -> None:
    text = (repo / "prompts/support.md").read_text()
    git(repo, "mv", "prompts/support.md", "prompts/elsewhere.md")
    (repo / "prompts/elsewhere.md").write_text(text + "\nquality[gold]=0.1\n")
    for named in (
        CONFIG.replace("prompts/support.md", "prompts/elsewhere.md"),
        FAQ_ONLY + "moved: {prompts/support.md: prompts/elsewhere.md}\n",
    ):
        (repo / "gate.yaml").write_text(named)
        record = run(repo).record
        assert record.verdict is Verdict.BLOCK
        assert "prompts/support.md was renamed to prompts/elsewhere.md; the two are compared." in texts(record)
