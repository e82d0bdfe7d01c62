"""A folder in a commit that git would take for a repository of its own: nothing is asked of it, or read there."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gate.store.sql import maintenance
from gate.store.sql.database import Database
from tests.support.command import gate, git
from tests.support.example import BROKEN, CONFIG, FILES, PROMPT, REWORDED
from tests.support.repository import commit, make, write

BARE = {"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\tbare = true\n", "objects/x": "x", "refs/x": "x"}
WITH_A_TREE = BARE | {"config": "[core]\n\tbare = false\n\tworktree = .\n"}


def lay(folder: Path, files: dict[str, str]) -> None:
    write(folder, files)


def forged_answers(repo: Path) -> Path:
    """A cache with good answers to the prompt that the change brings."""
    write(repo, {PROMPT: BROKEN.replace("quality[gold]=0.1", "quality[gold]=1.0")})
    assert gate("diff", "--base", "main", cwd=repo).code == 0
    return repo / ".gate/cache"


def forged_store(repo: Path) -> Path:
    (repo / ".gate").mkdir(exist_ok=True)
    with closing(Database(f"sqlite:///{repo / '.gate/gate.db'}")) as database:
        maintenance.upgrade(database)
    return repo / ".gate"


@pytest.mark.parametrize("shape", [BARE, WITH_A_TREE, {}])
@pytest.mark.parametrize("forge", [forged_answers, forged_store])
def test_answers_and_stores_in_it_are_not_read(
    tmp_path: Path, shape: dict[str, str], forge: Callable[[Path], Path]
) -> None:
    repo = make(tmp_path / "repo", FILES)
    git(repo, "switch", "--quiet", "--create", "change")
    folder = forge(repo)
    for ignored in repo.glob(".gate/**/.gitignore"):
        ignored.unlink()
    lay(folder, shape)
    write(repo, {PROMPT: REWORDED})
    git(repo, "add", "--force", ".gate")
    commit(repo, {})
    if forge is forged_answers:
        outcome = gate("diff", "--base", "main", "--json", cwd=repo)
        assert any("git tracks" in note for note in outcome.record.notes)
        assert outcome.record.calls.cached == 0
        return
    write(repo, {"gate.yaml": CONFIG.replace("evals/faq.jsonl", "store:faq")})
    outcome = gate("diff", "--base", "main", cwd=repo)
    assert (outcome.code, "git tracks" in outcome.err) == (2, True)


@pytest.mark.parametrize("shape", [BARE, WITH_A_TREE])
def test_it_is_no_place_to_run_in(tmp_path: Path, shape: dict[str, str]) -> None:
    repo = make(tmp_path / "repo", {f"bot/{path}": text for path, text in FILES.items()})
    lay(repo / "bot", shape)
    commit(repo, {})
    sha = git(repo, "rev-parse", "HEAD")
    lay(repo / "bot", {"refs/remotes/origin/main": f"{sha}\n", "objects/info/alternates": f"{repo}/.git/objects\n"})
    for command in (["diff", "--base", "origin/main"], ["check"], ["validate"], ["plan"], ["init", "--dry-run"]):
        outcome = gate(*command, cwd=repo / "bot")
        said = " ".join((outcome.err + outcome.out).split())
        assert outcome.code == 2, (command, said)
        assert "for a bare repository" in said, (command, said)
