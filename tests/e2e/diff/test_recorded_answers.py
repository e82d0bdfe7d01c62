"""Recorded answers in a file: a change can neither add nor replace them."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.diff.example import break_gold
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.example import CONFIG
from tests.support.repository import commit

RECORDED = CONFIG.replace("fake:oracle", "replay:recorded/answers.jsonl")


def answers(prefix: str = "word") -> list[dict[str, object]]:
    return [
        {"input": f"slice={t} answer=word{i}", "output": f"{prefix}{i}"} for i in range(40) for t in ("gold", "free")
    ]


@pytest.fixture
def recorded(repo: Path) -> Path:
    """A base with recorded answers in a file of the repository, and a branch."""
    write_jsonl(repo / "recorded/answers.jsonl", answers())
    commit(repo, {"gate.yaml": RECORDED})
    git(repo, "switch", "--quiet", "--create", "change")
    break_gold(repo)
    return repo


def on_branch(repo: Path) -> Outcome:
    commit(repo, {})
    return gate("diff", "--base", "main", "--head", "change", "--suite", "support", cwd=repo)


@pytest.mark.parametrize("name", ["support", "support2"])
@pytest.mark.parametrize("model", ["fake:echo", "replay:answers.jsonl"])
def test_a_change_cannot_use_recorded_or_fake_answers(repo: Path, name: str, model: str) -> None:
    (repo / "gate.yaml").write_text(CONFIG.replace("fake:oracle", model).replace("name: support", f"name: {name}"))
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert outcome.code == 2
    assert "which is not a model service" in outcome.err


def test_a_change_may_not_replace_the_file_of_answers(recorded: Path) -> None:
    write_jsonl(recorded / "recorded/answers.jsonl", answers("perfect"))
    outcome = on_branch(recorded)
    assert outcome.code == 2
    assert "recorded/answers.jsonl: the change replaces this file" in outcome.err


def test_a_change_may_not_use_another_file_of_answers(recorded: Path) -> None:
    shutil.move(recorded / "recorded", recorded / "forged")
    (recorded / "recorded").symlink_to("forged")
    outcome = on_branch(recorded)
    assert outcome.code == 2
    assert "recorded/answers.jsonl: the change replaces this file" in outcome.err
