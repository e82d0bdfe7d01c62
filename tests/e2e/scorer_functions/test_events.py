"""A change of what scores it, on GitHub."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.python_functions.repositories import judged, on_github, ran, telling
from tests.e2e.scorer_functions.repository import FILES, GOOD, LENIENT, MODULE, WORSE
from tests.support.github_action import run_action
from tests.support.model_server import ModelServer
from tests.support.privileged import keys
from tests.support.pull_request import PullRequestWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PullRequestWorld]:
    with on_github(tmp_path, {**FILES, MODULE: telling(tmp_path) + GOOD}) as world:
        yield world


@pytest.mark.threat("own-scorer")
def test_a_change_that_scores_itself_is_judged_by_the_code_of_the_merge_target(
    world: PullRequestWorld, models: ModelServer
) -> None:
    evil = f"open({str(world.folder / 'evil')!r}, 'w').close()\n{LENIENT}"
    outcome = judged(world.open({**WORSE, MODULE: evil}), models)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert ran(world)
    assert not (world.folder / "evil").exists()
    assert "edits its own tests" in outcome.summary
    assert "scorers that are code are not tried" in outcome.summary


def test_a_project_in_a_folder_of_the_repository_has_its_own_root(tmp_path: Path, models: ModelServer) -> None:
    files = {f"apps/bot/{path}": text for path, text in FILES.items()} | {"README.md": "# All\n"}
    with on_github(tmp_path, files) as world:
        pr = world.open({f"apps/bot/{path}": text for path, text in {**WORSE, MODULE: LENIENT}.items()})
        checkout = pr.checkout("merge", depth=2)
        env = pr.environment(checkout, inputs={"working-directory": "apps/bot"}) | keys(models)
        assert run_action(checkout, env).outputs["verdict"] == "BLOCK"
