"""Shared parts of prompts: each arm reads its own version, and a changed part changes every prompt that uses it."""

import json
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.git.repository import commit, git, repository, write
from tests.support.command import Outcome, gate
from tests.support.example import case, cases
from tests.support.findings import texts

CONFIG = """\
version: 1
defaults: {model: "fake:oracle", samples: 2}
suites:
  - {name: support, prompt: prompts/support.j2, cases: cases.jsonl, slices: [tier], scorers: [contains]}
  - {name: faq, prompt: prompts/faq.yaml, template: jinja2, cases: cases.jsonl, scorers: [contains]}
  - {name: plain, prompt: prompts/plain.md, cases: cases.jsonl, scorers: [contains]}
"""
FILES = {
    "gate.yaml": CONFIG,
    "cases.jsonl": cases(24),
    "prompts/support.j2": "Help.\n{% include 'parts/tone.j2' %}\n{% include '/shared/skill.md' %}\n{{ input }}\n",
    "prompts/parts/tone.j2": "{% if slices.tier == 'gold' %}Be warm.{% else %}Be kind.{% endif %}\n",
    "prompts/faq.yaml": "- {role: system, content: \"Answer. {% inc\\x6Cude '../shared/skill.md' %}\"}\n",
    "prompts/plain.md": "{% include 'shared/skill.md' %} quality=1.0\n",
    "shared/skill.md": "quality=1.0\n",
}
WORSE = {"shared/skill.md": "quality=1.0 quality[gold]=0.1\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = repository(tmp_path / "repo", "--initial-branch", "main")
    commit(root, FILES)
    git(root, "switch", "--quiet", "--create", "change")
    return root


def run(repo: Path, head: str = "change") -> Outcome:
    return gate("diff", "--base", "main", "--head", head, "--json", cwd=repo)


def test_a_change_of_a_part_is_a_change_of_every_prompt_that_uses_it(repo: Path) -> None:
    commit(repo, WORSE)
    outcome = run(repo)
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert [suite.name for suite in record.suites] == ["support", "faq"]
    for path in ("prompts/support.j2", "prompts/faq.yaml"):
        assert f"{path} itself did not change; shared/skill.md, which it includes, did." in texts(record)


def test_a_part_of_one_prompt_changes_no_other_prompt(repo: Path) -> None:
    commit(repo, {"prompts/parts/tone.j2": "Be quick.\n"})
    record = run(repo).record
    assert [suite.name for suite in record.suites] == ["support"]
    assert record.verdict is Verdict.PASS


def test_a_deleted_or_broken_part_is_reported_with_its_line(repo: Path) -> None:
    (repo / "shared/skill.md").unlink()
    commit(repo, {"prompts/parts/tone.j2": "\n{% if %}"})
    outcome = run(repo)
    assert outcome.code == 2
    assert "change:prompts/support.j2:3: there is no such part: shared/skill.md" in outcome.err
    assert "change:prompts/parts/tone.j2:2: invalid Jinja2" in outcome.err


def test_a_missing_variable_of_a_part_is_reported_with_its_line(repo: Path) -> None:
    commit(repo, {"prompts/parts/tone.j2": "\n{{ expected }}"})
    outcome = run(repo)
    assert outcome.code == 2
    assert "prompts/parts/tone.j2:2: 'expected' is undefined" in outcome.err
    assert "the expected answer is never shown to a prompt" in outcome.err


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside.md", "plain.md"])
def test_a_link_is_not_followed(repo: Path, target: str) -> None:
    (repo.parent / "outside.md").write_text("secret")
    (repo / "prompts/parts/tone.j2").unlink()
    (repo / "prompts/parts/tone.j2").symlink_to(target)
    commit(repo, {})
    outcome = run(repo)
    assert outcome.code == 2
    assert (
        "change:prompts/support.j2:2: 'prompts/parts/tone.j2' cannot be included: it is a symbolic link" in outcome.err
    )


def files_run(folder: Path) -> Outcome:
    arms = ("old/p.j2", "new/p.j2", "--cases", "cases.jsonl")
    return gate("diff", *arms, "--model", "fake:oracle", "--scorer", "contains", "--json", cwd=folder)


@pytest.mark.parametrize("name", ["../secret.md", "/../secret.md", "parts/link.md"])
def test_comparing_two_files_reads_no_other_files(tmp_path: Path, name: str) -> None:
    row = json.dumps(case(1, "gold"))
    write(tmp_path, {"old/p.j2": "old", "new/p.j2": f"{{% include '{name}' %}}", "cases.jsonl": row})
    write(tmp_path, {"secret.md": "secret", "new/parts/x.md": ""})
    (tmp_path / "new/parts/link.md").symlink_to("../../secret.md")
    outcome = files_run(tmp_path)
    assert outcome.code == 2
    assert "new/p.j2:1: " in outcome.err
    assert "leaves the repository" in outcome.err or "is a symbolic link" in outcome.err
