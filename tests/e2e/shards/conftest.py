import shutil
from pathlib import Path

import pytest

from tests.support.command import git
from tests.support.example import CONFIG, FILES, cases

NEW = """\
  - name: new
    prompt: prompts/new.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [contains]
    policy: {min_pass_rate: 0.8}
"""


def make(root: Path, files: dict[str, str]) -> Path:
    """A repository with a base commit."""
    git(root, "init", "--quiet", "--initial-branch", "main")
    write(root, files)
    return root


def write(root: Path, files: dict[str, str]) -> None:
    """Write files and commit them."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "add", "--all", "--", *files)
    git(root, "commit", "--quiet", "--message", "more")


def changed(root: Path) -> Path:
    """A repository with two changed suites and a new prompt, all without a regression."""
    make(root, {**FILES, "evals/support.jsonl": cases(16)})
    change = {
        "prompts/support.md": "Help. quality=0.95\n",
        "prompts/faq.md": "Answer quickly. quality=0.95\n",
        "prompts/new.md": "New. quality=0.9\n",
        "gate.yaml": CONFIG + NEW,
    }
    write(root, change)
    return root


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return changed(tmp_path_factory.mktemp("changed"))


@pytest.fixture
def repo(tmp_path: Path, original: Path) -> Path:
    """A copy of the changed repository."""
    return shutil.copytree(original, tmp_path, dirs_exist_ok=True)
