"""Deleted and moved prompts and dropped suites: no prompt escapes its eval set."""

from pathlib import Path

from gate.record.comparison import Verdict
from tests.e2e.diff.example import break_gold, run
from tests.support.command import gate, git
from tests.support.example import CONFIG

FAQ_ONLY = CONFIG[: CONFIG.index("  - name: support")] + CONFIG[CONFIG.index("  - name: faq") :]


def test_a_change_cannot_drop_the_suite_of_the_prompt_that_it_breaks(repo: Path) -> None:
    break_gold(repo)
    (repo / "gate.yaml").write_text(FAQ_ONLY)
    (repo / "evals/support.jsonl").unlink()
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in outcome.record.suites] == ["support"]
    assert len(outcome.record.suites[0].exam.removed) == 20
    assert any("removes the suite for prompts/support.md" in note for note in outcome.record.notes)


def test_a_deleted_prompt_that_is_still_configured_is_an_error(repo: Path) -> None:
    git(repo, "rm", "--quiet", "prompts/support.md")
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 2
    assert "prompts/support.md: there is no such prompt in the working tree" in outcome.err
    assert "to delete the prompt, also remove its suite" in " ".join(outcome.err.split())


def test_a_moved_prompt_is_still_tested(repo: Path) -> None:
    text = (repo / "prompts/support.md").read_text()
    git(repo, "mv", "prompts/support.md", "prompts/elsewhere.md")
    (repo / "prompts/elsewhere.md").write_text(text + "\nquality[gold]=0.1\n")
    (repo / "prompts/new.md").write_text("Something else. quality=1.0")
    (repo / "gate.yaml").write_text(CONFIG.replace("prompts/support.md", "prompts/new.md"))
    record = run(repo).record
    assert record.verdict is Verdict.BLOCK
    assert "prompts/support.md was renamed to prompts/elsewhere.md; the two are compared." in record.notes
    assert "prompts/elsewhere.md" in {suite.candidate.path for suite in record.suites}
