"""A change of a prompt's function, on GitHub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.prompt_functions.repository import FILES, GOOD, MODULE, WORSE
from tests.e2e.python_functions.repositories import judged, on_github, ran, telling
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequestWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PullRequestWorld]:
    with on_github(tmp_path, {**FILES, MODULE: telling(tmp_path) + GOOD}) as world:
        yield world


@pytest.mark.threat("may-run-prompt-code")
def test_a_change_of_the_repository_itself_is_judged_and_its_lines_are_marked(
    world: PullRequestWorld, models: ModelServer
) -> None:
    pr = world.open({MODULE: WORSE})
    outcome = judged(pr, models)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert ran(world)
    assert f"file={MODULE},line=" in outcome.out
