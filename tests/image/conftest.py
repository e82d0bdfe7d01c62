"""The image, built once for all tests that ask for it, and a world to run it in."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image import builder
from tests.image.builder import Image
from tests.support.example import FILES
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


@pytest.fixture(scope="session")
def image() -> Image:
    """The action's image; `IMAGE_CACHE` names a folder for its layers other than the usual one."""
    if problem := builder.problem():
        pytest.fail(problem, pytrace=False)
    return builder.build(Path(os.environ.get("IMAGE_CACHE", builder.STORAGE)))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PullRequestWorld]:
    """A repository on a GitHub of its own, with a prompt that answers 40 cases in two tiers."""
    with GitHubServer() as server:
        yield PullRequestWorld.make(tmp_path, server, FILES)
