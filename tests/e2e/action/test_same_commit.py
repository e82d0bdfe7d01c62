"""Further events on a commit that has a verdict answer from the samples of that verdict."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.e2e.action.example import GOOD, PROMPT, SERVICE, SMALL
from tests.support import events
from tests.support.actions_cache import WorkflowJobs
from tests.support.command import gate
from tests.support.github_action import ActionOutcome
from tests.support.github_server import GitHubServer
from tests.support.model_server import Behaviour, ModelServer
from tests.support.privileged import keys
from tests.support.pull_request import PullRequest, PullRequestWorld
from tests.support.repository import write

ROOT = Path(__file__).parents[3]
EXAMPLES = ("prompt-gate", "prompt-gate-full", "every-event")
SHOWN = {name: ROOT / f"docs/examples/{name}.yml" for name in EXAMPLES} | {
    "own": ROOT / ".github/workflows/prompt-gate.yml"
}
WORSE = GOOD.replace("Help", "Serve")
"""A prompt that answers some cases wrong, others each time."""
SIX = [("labeled", "1"), ("edited", "1"), ("unlabeled", "1"), ("reopened", "1"), ("labeled", "2"), ("edited", "3")]
"""Actions of events, and attempts of their runs."""


@pytest.fixture
def models() -> Iterator[ModelServer]:
    """A service whose answers and judgements of one request differ."""
    dice = Random(11)

    def answer(system: str, user: str) -> str:
        right = "Serve" not in system or dice.random() < 0.6
        return user.rpartition("answer=")[2] if right else "wrong"

    def judgement(system: str, user: str) -> str:
        return json.dumps({"reason": "So it seems.", "score": dice.choice([0, 1])})

    with ModelServer(Behaviour(answer=answer, judgement=judgement)) as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": SERVICE})


@pytest.fixture(params=[*SHOWN, "init", "init-packaged"])
def workflow(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Every workflow that is shown or written."""
    if request.param in SHOWN:
        return SHOWN[request.param]
    write(tmp_path / "new", {"prompts/support.md": "You help the customers of a shop.\n"})
    packaged = ["--model", "local:gemma3-270m"] if request.param == "init-packaged" else []
    done = gate("init", "--yes", *packaged, cwd=tmp_path / "new", env={"OPENAI_API_KEY": "k"})
    assert done.code == 0, done.err
    return tmp_path / "new/.github/workflows/prompt-gate.yml"


def play(jobs: WorkflowJobs, pr: PullRequest, models: ModelServer, action: str, attempt: str = "1") -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    shape = "opened" if action == "edited" else action
    label = "documentation" if action.endswith("labeled") else None
    environment = pr.environment(checkout, action=shape, label=label) | keys(models) | {"GITHUB_RUN_ATTEMPT": attempt}
    if action == "edited":
        event = Path(environment["GITHUB_EVENT_PATH"])
        changes = {"title": {"from": "Change the prompt"}}
        event.write_text(json.dumps(json.loads(event.read_text()) | {"action": "edited", "changes": changes}))
    return jobs.run(checkout, environment)


@pytest.mark.threat("reroll")
def test_no_event_rolls_a_verdict_again(
    world: PullRequestWorld, models: ModelServer, workflow: Path, tmp_path: Path
) -> None:
    pr = world.open({PROMPT: WORSE})
    pr.add_label("documentation")
    jobs = WorkflowJobs(workflow, tmp_path / "caches")
    first = play(jobs, pr, models, "opened")
    assert "all answers are new" in first.summary
    assert first.outputs["verdict"] == "BLOCK", "the seed of the dice gives a red commit"
    asked = len(models.ledger)
    for action, attempt in SIX:
        again = play(jobs, pr, models, action, attempt)
        figures = ("verdict", "worst-slice", "worst-slice-upper")
        assert [again.outputs[name] for name in figures] == [first.outputs[name] for name in figures]
        assert (again.code, again.outputs["calls"]) == (first.code, "0")
    assert len(models.ledger) == asked


def test_judges_repeats_and_the_answers_of_main_change_nothing(
    world: PullRequestWorld, models: ModelServer, tmp_path: Path
) -> None:
    """Answers of main come from its own cache, the rest from that of the pull request."""
    judged = "[contains, judge: {criteria: Is right., model: 'openai:gpt-4o-mini'}]"
    world.commit_to_main({"gate.yaml": SERVICE.replace("[contains]", judged).replace("samples: 1", "samples: 3")})
    jobs = WorkflowJobs(SHOWN["every-event"], tmp_path / "caches")
    checkout = events.checkout_of(world, world.main_sha)
    assert jobs.run(checkout, events.push(world, checkout) | keys(models)).code == 0
    pr = world.open({PROMPT: WORSE})
    pr.add_label("documentation")
    first = play(jobs, pr, models, "opened")
    assert "the candidate's are all new" in first.summary
    asked = len(models.ledger)
    for action, attempt in SIX:
        again = play(jobs, pr, models, action, attempt)
        assert (again.outputs["verdict"], again.code) == (first.outputs["verdict"], first.code)
    assert len(models.ledger) == asked


def test_without_a_cache_the_report_says_that_the_answers_are_new(
    world: PullRequestWorld, models: ModelServer, tmp_path: Path
) -> None:
    pr = world.open({PROMPT: WORSE})
    for number in range(2):
        jobs = WorkflowJobs(SHOWN["prompt-gate"], tmp_path / f"caches-{number}")
        outcome = play(jobs, pr, models, "reopened")
        assert outcome.outputs["calls"] != "0"
        assert "all answers are new" in outcome.summary


@pytest.mark.threat("kept-answers")
@pytest.mark.parametrize("path", ["answers.sqlite", "answers.sqlite-wal", "answers.sqlite/x", "other"])
def test_a_change_cannot_do_away_with_the_cache(
    world: PullRequestWorld, models: ModelServer, tmp_path: Path, path: str
) -> None:
    pr = world.open({f".gate/cache/{path}": "x", PROMPT: WORSE})
    checkout = pr.checkout("merge", depth=2)
    environment = pr.environment(checkout, action="opened") | keys(models)
    outcome = WorkflowJobs(SHOWN["prompt-gate"], tmp_path / "caches").run(checkout, environment)
    assert (outcome.code, models.ledger) == (2, [])
    assert "git tracks" in outcome.summary
