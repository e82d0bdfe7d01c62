"""Cases in which `gate init` writes nothing, or leaves a prompt out, with the reason."""

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
        (["--prompt", "prompts/none.md"], "no prompt could be used"),
        (["--prompt", "prompts/support.md::NAME"], "no prompt could be used"),
        (["--prompt", "python:bot.prompts:build"], "is a function"),
        (["--prompt", "../elsewhere.md"], "is outside"),
        (["--cases", "prompts/support.md"], "is not a case file"),
        (["--action", "nothing"], "is not an action"),
    ],
)
def test_an_error_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    root = make(tmp_path / "shop", PROMPT)
    monkeypatch.chdir(root)
    with pytest.raises(GateError, match=said):
        execute(options(*arguments))
    assert files(root).keys() == PROMPT.keys()


def test_unusable_named_prompts_are_reported_and_the_rest_is_written(tmp_path: Path) -> None:
    code = 'LIMIT = 3\nPROMPT = build()\nSYSTEM_PROMPT = "You route each question to one of the teams of the shop."\n'
    root = make(tmp_path / "shop", {**PROMPT, "bot.py": code, "plain.py": "LIMIT = 3\n"})
    named = ("prompts/support.md", "none.md", "bot.py::PROMPT", "bot.py", "plain.py")
    done = gate("init", *(word for path in named for word in ("--prompt", path)), cwd=root)
    assert done.code == 0, done.err
    assert "Set up 2 prompts:" in done.out and "bot.py::SYSTEM_PROMPT: empty case file" in done.out
    assert "  there is no such file: none.md" in done.out
    assert "cannot be read without running code" in done.out
    assert "has no text with a name like a prompt; name one: plain.py::NAME" in done.out


def test_nothing_is_left_where_one_file_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(tmp_path / "shop", {**PROMPT, ".github": "a file, and no folder"})
    monkeypatch.chdir(root)
    before = files(root)
    with pytest.raises(GateError, match="cannot write"):
        execute(options())
    assert files(root) == before
    assert not (root / "evals").exists()


@pytest.mark.threat("file-outside")
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
