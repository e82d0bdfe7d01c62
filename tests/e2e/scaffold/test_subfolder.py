"""A command in a subfolder uses the cache of the repository."""

from pathlib import Path

from tests.support.command import gate, git
from tests.support.repository import make, write

CONFIG = """version: 1
defaults: {model: "fake:echo", samples: 1}
suites:
  - {name: support, prompt: prompts/support.md, cases: cases.jsonl, scorers: [{words: {max: 50}}]}
"""
CASES = "".join(f'{{"id": "c{number}", "input": "Question {number}?"}}\n' for number in range(12))
FILES = {"gate.yaml": CONFIG, "cases.jsonl": CASES, "prompts/support.md": "You help.\n", "src/app/a.py": ""}


def test_answers_paid_for_in_a_subfolder_are_cached_at_the_root(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", FILES)
    write(root, {"prompts/support.md": "You help quickly.\n"})
    first = gate("diff", "--base", "main", cwd=root / "src/app")
    assert first.code == 0, first.err
    assert "Full report: ../../.gate/last/report.md" in first.out
    assert not (root / "src/app/.gate").exists()
    again = gate("diff", "--base", "main", "--json", cwd=root)
    assert again.record.calls.cached == 24
    assert git(root, "status", "--porcelain") == "M prompts/support.md"


def test_without_a_repository_the_folder_is_the_one_that_the_command_runs_in(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    assert gate("check", "--quiet", cwd=tmp_path).code == 0
    assert (tmp_path / ".gate/check/run.json").is_file()
