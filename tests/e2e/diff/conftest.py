"""Fixture: the example as a repository."""

from pathlib import Path

import pytest

from tests.support.example import SMALL
from tests.support.repository import make


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """The example on `main`."""
    return make(tmp_path, SMALL)
