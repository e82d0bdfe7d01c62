"""Fixtures: the images, built once for all tests, and a repository to run the action on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image import builder
from tests.image.builder import Image
from tests.support.example import FILES
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


@pytest.fixture(scope="session")
def images() -> dict[str, Image]:
    """The images by target. The variable `IMAGE_CACHE` sets another folder for their layers."""
    if problem := builder.problem():
        pytest.fail(problem, pytrace=False)
    return builder.build()


@pytest.fixture(scope="session")
def image(images: dict[str, Image]) -> Image:
    """The action's image."""
    return images["action"]


@pytest.fixture(scope="session")
def full(images: dict[str, Image]) -> Image:
    """The image with the tag `-full`."""
    return images["full"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PullRequestWorld]:
    """A repository on a test GitHub, with a prompt and 40 cases in two tiers."""
    with GitHubServer() as server:
        yield PullRequestWorld.make(tmp_path, server, FILES)
