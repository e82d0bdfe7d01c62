"""The action in its image: an event in, a comment and an exit code out."""

from pathlib import Path

import pytest

from evals.property_agent.seed import TOKEN, seed
from tests.e2e.property_agent.landlord import BEHAVIOUR
from tests.e2e.property_agent.test_diff import SENTENCE
from tests.image.builder import Image
from tests.image.runner import run_action
from tests.support.command import git
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequestWorld

pytestmark = pytest.mark.image

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "evals/property_agent"
REPO = "acme/support-bot"
WORSE = "Help. quality=1.0 quality[gold]=0.1"
BETTER = "Help the customer well. quality=1.0"


def test_a_regression_blocks_with_one_comment_until_it_is_repaired(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"prompts/support.md": WORSE})
    blocked = run_action(image, request.environment(request.checkout("merge"), action="opened"))
    assert blocked.code == 1, blocked.err
    assert blocked.outputs["verdict"] == "BLOCK"
    assert "tier=gold" in blocked.summary
    [comment] = world.server.comments(REPO, request.number)
    assert "BLOCK" in comment.body

    request.push({"prompts/support.md": BETTER}, "Repair it")
    repaired = run_action(image, request.environment(request.checkout("merge"), action="synchronize"))
    assert repaired.code == 0, repaired.err
    assert repaired.outputs["verdict"] in ("PASS", "SHIP")
    [comment] = world.server.comments(REPO, request.number)
    assert "BLOCK" not in comment.body
    world.server.assert_clean()


def test_an_input_with_a_hyphen_reaches_the_entry_point(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"prompts/support.md": WORSE})
    env = request.environment(request.checkout("merge"), action="opened", inputs={"fail-on": "sometimes"})
    outcome = run_action(image, env)
    assert outcome.code == 2
    assert "fail-on" in outcome.out + outcome.err


def test_an_agent_with_tools_and_a_database_is_evaluated(image: Image, tmp_path: Path) -> None:
    files = {str(path.relative_to(ROOT)): path.read_text() for path in EXAMPLE.glob("*.*")}
    with GitHubServer() as server, ModelServer(BEHAVIOUR) as models:
        world = PullRequestWorld.make(tmp_path, server, files)
        prompt = str(EXAMPLE.relative_to(ROOT) / "prompt.md")
        request = world.open({prompt: files[prompt].replace(SENTENCE, "")})
        inputs = {"config": str(EXAMPLE.relative_to(ROOT) / "gate.yaml")}
        env = request.environment(request.checkout("merge", depth=2), action="opened", inputs=inputs)
        seed(f"sqlite:///{env['RUNNER_TEMP']}/property.db", TOKEN)
        env |= {"PROPERTY_DB": "sqlite:////github/runner_temp/property.db", "PROPERTY_TOKEN": TOKEN}
        env |= {"OPENAI_API_KEY": "k" * 20, "OPENAI_BASE_URL": f"{models.url}/v1"}
        env |= {"ANTHROPIC_API_KEY": "k" * 20, "ANTHROPIC_BASE_URL": models.url}
        outcome = run_action(image, env)
        assert outcome.code == 1, outcome.out + outcome.err
        assert outcome.outputs["verdict"] == "BLOCK"
        [comment] = world.server.comments(REPO, request.number)
        assert "get_listings" in comment.body.replace("\\_", "_")


def test_git_trusts_no_other_folder_of_someone_else(image: Image, world: PullRequestWorld) -> None:
    request = world.open({"README.md": "More."})
    checkout = request.checkout("merge")
    (checkout / "nested").mkdir()
    git(checkout / "nested", "init", "--quiet")
    outcome = run_action(image, request.environment(checkout), ("git", "-C", "nested", "status"))
    assert outcome.code == 128
    assert "dubious ownership" in outcome.err
