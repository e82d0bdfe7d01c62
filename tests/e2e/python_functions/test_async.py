"""A function that would have to be awaited is refused when it is loaded, and not anew for every case."""

import asyncio
import os
from pathlib import Path

import pytest

from gate.agents.functions import FunctionLimits, FunctionWorktree, prompt_texts
from gate.config.values import FunctionName
from gate.prompts.files import CannotLoad

ENTRY = FunctionName("checks", "asked")
SAID = "python:checks:asked cannot be used: asked is an async function, which is not supported here: write it with def"
SHORT = FunctionLimits(import_s=20.0, call_s=20.0)
ASYNC = {
    "function": "async def asked(*given):\n    return 'fine'\n",
    "generator": "async def asked(*given):\n    yield 'fine'\n",
    "object": "class One:\n    async def __call__(self, *given):\n        return 'fine'\n\nasked = One()\n",
}
PLAIN = {
    "object": "class One:\n    def __call__(self, *given):\n        return 'fine'\n\nasked = One()\n",
    "partial": "import functools\n\nasked = functools.partial(lambda *given: 'fine')\n",
    "class": "class asked(str):\n    def __new__(cls, *given):\n        return 'fine'\n",
}


@pytest.fixture
def worktree(tmp_path: Path) -> FunctionWorktree:
    for name in ("root", "scratch"):
        (tmp_path / name).mkdir()
    return FunctionWorktree(tmp_path / "root", tmp_path / "root", tmp_path / "scratch", os.environ["PATH"])


@pytest.mark.parametrize("how", ASYNC)
def test_a_prompt_that_is_awaited_is_one_error(worktree: FunctionWorktree, how: str) -> None:
    (worktree.root / "checks.py").write_text(ASYNC[how])
    with pytest.raises(CannotLoad) as caught:
        asyncio.run(prompt_texts(ENTRY, [{}, {"state": "x"}], worktree, SHORT))
    assert (caught.value.message, caught.value.exit_code) == (SAID, 2)


@pytest.mark.parametrize("how", PLAIN)
def test_whatever_else_can_be_called_is_called(worktree: FunctionWorktree, how: str) -> None:
    (worktree.root / "checks.py").write_text(PLAIN[how])
    assert asyncio.run(prompt_texts(ENTRY, [{}], worktree, SHORT)) == ("fine",)
