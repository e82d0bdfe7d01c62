"""A failed installation shows the errors of both tools."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.warm import ROOT


def made(folder: Path, **tools: int) -> "subprocess.CompletedProcess[str]":
    """Run the first install step of `make` with tools that exit with these codes."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (folder / ".venv/bin").mkdir(parents=True)
    for name, code in tools.items():
        tool = folder / ".venv/bin" / name
        tool.write_text(f'#!/bin/sh\necho "{name} has no index" >&2\nexit {code}\n')
        tool.chmod(0o755)
    return subprocess.run(["make", ".venv/.demo"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("codes", [{"uv": 0, "python": 1}, {"uv": 1, "python": 0}], ids=["uv", "pip"])
def test_one_tool_is_enough(tmp_path: Path, codes: dict[str, int]) -> None:
    done = made(tmp_path, **codes)
    assert done.returncode == 0
    assert "uv has" not in done.stdout + done.stderr
    assert (tmp_path / ".venv/.demo").is_file()


def test_if_both_tools_fail_both_errors_are_shown(tmp_path: Path) -> None:
    done = made(tmp_path, uv=2, python=1)
    assert done.returncode != 0
    assert "uv has no" in done.stderr
    assert "python has no" in done.stderr
    assert not (tmp_path / ".venv/.demo").exists()
