"""What tests in several folders need."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.agents.functions import FunctionWorktree
from tests.support.model_server import ModelServer


@pytest.fixture
def models() -> Iterator[ModelServer]:
    """The services of the models."""
    with ModelServer() as running:
        yield running


@pytest.fixture
def worktree(tmp_path: Path) -> FunctionWorktree:
    """An empty folder for the code of one side, and one for what its processes write."""
    root, scratch = tmp_path / "root", tmp_path / "scratch"
    for folder in (root, scratch):
        folder.mkdir()
    return FunctionWorktree(root, root, scratch, os.environ["PATH"])
