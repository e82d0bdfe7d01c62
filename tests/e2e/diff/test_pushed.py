"""The pre-push hook with the real pre-commit: it compares the pushed commit, whatever is checked out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pre_commit.clientlib import load_manifest

from tests.e2e.diff.example import break_gold
from tests.support import forked
from tests.support.command import environment, git
from tests.support.example import FILES
from tests.support.repository import commit, make

HOOK = next(
    hook for hook in load_manifest(Path(__file__).parents[3] / ".pre-commit-hooks.yaml") if hook["id"] == "gate-diff"
)


def pre_commit(repo: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(command, cwd=repo, env=environment(repo), capture_output=True, text=True, check=False)


def push(repo: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["git", "push", *arguments]
    return subprocess.run(command, cwd=repo, env=environment(repo), capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The example with its hook, and an empty remote."""
    git(tmp_path, "init", "--quiet", "--bare", "server")
    # The repository's hook, but with this package, so that none is built.
    (tmp_path / "command.py").write_text("from gate.__main__ import main\n\nmain()\n")
    local = {key: HOOK[key] for key in ("id", "name", "pass_filenames", "always_run", "stages", "verbose")}
    command = HOOK["entry"].removeprefix("gate ")
    entry = f"{forked.python(tmp_path)} {tmp_path / 'command.py'} {command} {' '.join(HOOK['args'])}"
    hooks = {"repos": [{"repo": "local", "hooks": [{**local, "entry": entry, "language": "system"}]}]}
    repo = make(tmp_path / "repo", {**FILES, ".pre-commit-config.yaml": json.dumps(hooks)})
    git(repo, "remote", "add", "origin", str(tmp_path / "server"))
    assert pre_commit(repo, "install", "--hook-type", "pre-push").returncode == 0
    return repo


def test_pushes(clone: Path) -> None:
    done = push(clone, "origin", "main")
    assert done.returncode == 0, done.stderr
    assert "SKIPPED: this clone has no branch of 'origin', so there is nothing" in done.stdout + done.stderr

    # A worse prompt on a branch is stopped although another branch is checked out, and a good rewording passes.
    git(clone, "switch", "--quiet", "--create", "worse")
    break_gold(clone)
    commit(clone, {})
    git(clone, "switch", "--quiet", "main")
    done = push(clone, "origin", "worse")
    assert done.returncode == 1
    assert "BLOCK" in done.stdout + done.stderr

    # While it is checked out, something else is pushed: a tag of a commit that changes no prompt.
    git(clone, "switch", "--quiet", "--create", "words")
    commit(clone, {"README.md": "# Bot\n"})
    git(clone, "tag", "--annotate", "v1", "--message", "one")
    git(clone, "switch", "--quiet", "worse")
    done = push(clone, "origin", "v1")
    assert done.returncode == 0 and "SKIPPED: the change touches no prompt" in done.stdout + done.stderr

    # When the hook is run by hand, nothing is pushed, and HEAD is the change.
    done = pre_commit(clone, "run", "gate-diff", "--hook-stage", "manual")
    assert done.returncode == 1 and "BLOCK" in done.stdout

    # A base branch that this clone does not have is an error.
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    git(clone, "update-ref", "refs/remotes/origin/master", "HEAD")
    git(clone, "switch", "--quiet", "main")
    commit(clone, {"README.md": "# Bot\n"})
    done = push(clone, "origin", "main")
    assert done.returncode == 1
    assert "there is no commit 'origin/main' in this clone" in done.stdout + done.stderr
