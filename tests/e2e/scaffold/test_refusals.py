"""Where `gate init` writes nothing, or leaves a prompt out, and says why."""

from pathlib import Path

import pytest

from gate.cli.init import execute
from gate.errors import GateError
from tests.e2e.scaffold.shop import PROMPT, files, options
from tests.support.command import gate
from tests.support.repository import make


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--prompt", "prompts/none.md"], "there is no such file"),
        (["--prompt", "python:bot.prompts:build"], "is a function"),
        (["--cases", "prompts/support.md"], "is no case file"),
        (["--action", "nothing"], "names no action"),
        (["--from", "none.yaml"], "there is no file none.yaml"),
    ],
)
def test_a_mistake_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    root = make(tmp_path / "shop", PROMPT)
    monkeypatch.chdir(root)
    with pytest.raises(GateError, match=said):
        execute(options(*arguments))
    assert files(root).keys() == PROMPT.keys()


def test_nothing_is_left_where_one_file_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path / "shop", {**PROMPT, ".github": "a file, and no folder"})
    monkeypatch.chdir(root)
    before = files(root)
    with pytest.raises(GateError, match="cannot write"):
        execute(options())
    assert files(root) == before
    assert not (root / "evals").exists()


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = make(tmp_path / "shop", PROMPT)
    (root / "evals").symlink_to(outside)
    monkeypatch.chdir(root)
    with pytest.raises(GateError, match="symbolic link"):
        execute(options())
    assert not list(outside.iterdir())
    assert not (root / "gate.yaml").exists()


def test_a_prompt_that_no_made_up_case_fits_is_left_out_and_told(tmp_path: Path) -> None:
    root = make(tmp_path / "shop", {**PROMPT, "prompts/odd.j2": "{{ 1 // (text | length - text | length) }}"})
    done = gate("init", cwd=root)
    assert done.code == 0, done.err
    assert "left out: prompts/odd.j2: line 1: " in done.out
    named = gate("init", "--config", "x.yaml", "--prompt", "prompts/odd.j2", cwd=root)
    assert named.code == 2
    assert "error: prompts/odd.j2:1: " in named.err
    assert not (root / "x.yaml").exists()
