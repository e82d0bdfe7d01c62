"""Fixture: the files that a release uploads, built once per process."""

import pytest

from tests.support import wheels
from tests.support.wheels import Built


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return wheels.build(tmp_path_factory.mktemp("built"))
