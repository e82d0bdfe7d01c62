"""Two refs of a real repository: which prompts, eval sets and suites are used."""

import os
import shutil
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.e2e.diff.example import break_gold, run
from tests.support.command import gate, git
from tests.support.example import CONFIG
from tests.support.findings import texts


def test_a_change_in_the_working_tree_is_compared_with_the_base_by_the_policy_of_the_base(repo: Path) -> None:
    break_gold(repo)
    (repo / "gate.yaml").write_text(CONFIG + "policy: {confidence: 0.999, mode: advisory}\nbudget: {max_calls: 500}\n")
    outcome = run(repo)
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert "tier=gold" in texts(record)[0]
    assert [suite.name for suite in record.suites] == ["support"]
    arms = record.suites[0]
    assert (arms.baseline.ref, arms.candidate.ref) == ("main", "working tree")
    assert arms.baseline.sha == git(repo, "rev-parse", "main")
    # The edited policy is reported and not used.
    assert record.method.alpha == 0.025
    assert [(edit.kind, edit.name, edit.old, edit.new) for edit in record.run_edits] == [
        ("policy", "confidence", "0.95", "0.999"),
        ("policy", "mode", "enforce", "advisory"),
        ("budget", "max_calls", "not set", "500"),
    ]


def test_a_branch_is_read_by_one_process_whatever_is_checked_out(
    repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("counted")
    (folder / "git").write_text(f'#!/bin/sh\necho "$*" >> {folder}/log\nexec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    git(repo, "switch", "--quiet", "--create", "change")
    break_gold(repo)
    git(repo, "commit", "--quiet", "--all", "--message", "two")
    git(repo, "switch", "--quiet", "main")
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    record = gate("diff", "--base", "main", "--head", "change", "--json", cwd=repo, env=env).record
    assert record.verdict is Verdict.BLOCK
    assert record.commit == git(repo, "rev-parse", "change")
    started = (folder / "log").read_text().splitlines()
    assert sum("cat-file" in line for line in started) == 1
    assert len(started) < 10


def test_a_change_without_prompts_is_skipped(repo: Path) -> None:
    (repo / "README.md").write_text("Hello")
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 0
    assert "SKIPPED" in outcome.out
    assert "HEAD~1" not in outcome.err  # there is none
    assert not (repo / ".gate").exists()


def test_on_the_base_itself_a_hint_suggests_another_base(repo: Path) -> None:
    break_gold(repo)
    git(repo, "commit", "--quiet", "--all", "--message", "worse")
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 0 and "SKIPPED" in outcome.out
    assert "main is the current commit" in outcome.err and "gate diff --base HEAD~1" in outcome.err


def test_one_suite_can_be_selected(repo: Path) -> None:
    break_gold(repo)
    (repo / "prompts/faq.md").write_text("Answer quickly. quality=1.0")
    assert [suite.name for suite in run(repo, "--suite", "faq").record.suites] == ["faq"]
    assert gate("diff", "--base", "main", "--suite", "nope", cwd=repo).code == 2


def test_a_renamed_suite_does_not_get_an_easier_eval_set(repo: Path) -> None:
    break_gold(repo)
    easier = CONFIG.replace("name: support", "name: helpdesk")
    easier = easier.replace("[contains]", "[{regex: {pattern: '.|{{ expected }}'}}]")
    (repo / "gate.yaml").write_text(easier)
    outcome = run(repo)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in outcome.record.suites] == ["helpdesk"]
    assert outcome.record.suites[0].exam.scorers == ["contains"]


def test_a_glob_makes_one_suite_per_file(repo: Path) -> None:
    globbed = CONFIG[: CONFIG.index("suites:")] + (
        "suites:\n  - {name: all, prompt: 'prompts/*.md', cases: evals/faq.jsonl, scorers: [contains]}\n"
    )
    (repo / "gate.yaml").write_text(globbed)
    git(repo, "commit", "--quiet", "--all", "--message", "glob")
    (repo / "prompts/faq.md").write_text("Answer in one word. quality=1.0")
    assert [suite.name for suite in run(repo).record.suites] == ["all:faq"]


def test_no_output_is_written_through_a_link_of_the_repository(
    repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "victim").write_text("precious")
    break_gold(repo)
    (repo / ".gate/last").mkdir(parents=True)
    (repo / ".gate/last/samples.jsonl").symlink_to(outside / "victim")
    (repo / ".gate/last/run.json").symlink_to(outside / "victim")
    assert gate("diff", "--base", "main", "-q", cwd=repo).code == 1
    assert (outside / "victim").read_text() == "precious"
    assert not (repo / ".gate/last/samples.jsonl").is_symlink()
    shutil.rmtree(repo / ".gate")
    (repo / ".gate").symlink_to(outside)
    assert gate("diff", "--base", "main", "-q", cwd=repo).code == 2
    assert [path.name for path in outside.iterdir()] == ["victim"]


def test_a_name_is_not_a_runner_command(repo: Path) -> None:
    (repo / "gate.yaml").write_text(CONFIG.replace("name: faq", 'name: "::add-mask::a"'))
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert not any(line.lstrip().startswith("::") for line in (outcome.out + outcome.err).splitlines())
