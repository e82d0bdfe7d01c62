"""The workflow of `gate init` is valid for GitHub and for linters."""

import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest

from tests.support.command import gate
from tests.support.repository import write

PROMPT = {"prompts/support.md": "You help the customers of a shop.\n"}
OPENAI = {"OPENAI_API_KEY": "k"}
MODELS: dict[str, tuple[list[str], dict[str, str]]] = {
    "no-key": ([], {}),
    "openai": ([], OPENAI),
    "packaged": (["--model", "local:gemma3-270m"], {}),
    "packaged-judged": (["--model", "local:gemma3-270m"], {"ANTHROPIC_API_KEY": "k"}),
    "named": (["--model", "anthropic:claude-haiku-4-5"], OPENAI),
}
LAYOUTS = {
    "usual": [],
    "elsewhere": ["--config", "the bot's/gate.yaml", "--action", f"acme/gates/prompt-gate@{'0a' * 20}"],
}


@pytest.fixture(scope="module")
def workflows(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """One for each choice of models, in either layout, each in a repository of its own."""
    folder, found = tmp_path_factory.mktemp("workflows"), []
    for (name, (models, keys)), (place, layout) in zip(MODELS.items(), cycle(LAYOUTS.items())):
        root = folder / f"{name}-{place}"
        write(root, PROMPT)
        done = gate("init", "--yes", *models, *layout, cwd=root, env=keys)
        assert done.code == 0, done.err
        found.append(root / ".github/workflows/prompt-gate.yml")
    assert len({path.read_bytes() for path in found}) > len(found) / 2
    return [str(path) for path in found]


def lint(*command: str, cwd: Path) -> None:
    tool = Path(sys.executable).with_name(command[0])
    done = subprocess.run([tool, *command[1:]], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_satisfies_the_schema_of_workflows(workflows: list[str], tmp_path: Path) -> None:
    lint("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows, cwd=tmp_path)


def test_actionlint_finds_nothing(workflows: list[str], tmp_path: Path) -> None:
    shellcheck = str(Path(sys.executable).with_name("shellcheck"))
    lint("actionlint", "-shellcheck", shellcheck, *workflows, cwd=tmp_path)


def test_zizmor_finds_no_weakness(workflows: list[str], tmp_path: Path) -> None:
    lint("zizmor", "--offline", "--quiet", *workflows, cwd=tmp_path)
