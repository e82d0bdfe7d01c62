"""On GitHub a function is called for the repository's own changes, and for nobody else's, whatever it is there for."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.prompt_functions import repository as building
from tests.e2e.python_functions.repositories import Files, judged, on_github, ran, telling
from tests.e2e.scorer_functions import repository as scoring
from tests.support.command import gate
from tests.support.events import checkout_of
from tests.support.model_server import ModelServer
from tests.support.privileged import keys, privileged
from tests.support.pull_request import PullRequestWorld


@dataclass(frozen=True, slots=True)
class Code:
    """A repository with a function.

    Args:
        name: for the ids of tests.
        files: of the repository.
        module: where the function lies.
        worse: a change that makes the answers worse.
        edited: one that edits the function, too.
    """

    name: str
    files: Files
    module: str
    worse: Files
    edited: Files


PROMPT = Code(
    "prompt", building.FILES, building.MODULE, {building.MODULE: building.WORSE}, {building.MODULE: building.WORSE}
)
SCORER = Code(
    "scorer", scoring.FILES, scoring.MODULE, scoring.WORSE, {**scoring.WORSE, scoring.MODULE: scoring.LENIENT}
)


@pytest.fixture(params=[PROMPT, SCORER], ids=lambda code: code.name)
def code(request: pytest.FixtureRequest) -> Code:
    found: Code = request.param
    return found


@pytest.fixture
def world(tmp_path: Path, code: Code) -> Iterator[PullRequestWorld]:
    with on_github(tmp_path, marked(code, code.files, tmp_path)) as world:
        yield world


def marked(code: Code, files: Files, folder: Path) -> Files:
    """These files, with a function that leaves a file behind wherever it is loaded."""
    return {path: telling(folder) + str(text) if path == code.module else text for path, text in files.items()}


@pytest.mark.parametrize("code", [PROMPT], ids=["prompt"], indirect=True)
def test_the_base_must_be_in_the_checkout(world: PullRequestWorld, models: ModelServer, code: Code) -> None:
    outcome = judged(world.open(code.worse), models, depth=1)
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    assert "fetch-depth: 2" in outcome.summary
    assert not ran(world)
    assert models.ledger == []


@pytest.mark.threat("outside-scorer-code", "outside-prompt-code")
@pytest.mark.parametrize(
    ("event", "code", "files"),
    [
        ("pull_request", PROMPT, PROMPT.edited),
        ("pull_request", SCORER, SCORER.edited),
        ("pull_request_target", SCORER, SCORER.edited),
        ("workflow_run", PROMPT, {"README.md": "# Mine\n"}),
    ],
    ids=["prompt", "scorer", "beside secrets", "after another workflow"],
    indirect=["code"],
)
def test_nothing_is_run_for_a_fork(
    world: PullRequestWorld, models: ModelServer, code: Code, event: str, files: Files
) -> None:
    pr = world.open(marked(code, files, world.folder), fork=True)
    outcome = judged(pr, models) if event == "pull_request" else privileged(pr, models, event)
    assert outcome.code == 2
    assert "code does not run for a change from a fork" in outcome.summary
    assert not ran(world)
    assert models.ledger == []


@pytest.mark.threat("outside-scorer-code", "outside-prompt-code")
@pytest.mark.parametrize("code", [PROMPT], ids=["prompt"], indirect=True)
def test_nothing_is_run_with_secrets_for_a_branch_of_the_repository_either(
    world: PullRequestWorld, models: ModelServer, code: Code
) -> None:
    outcome = privileged(world.open(marked(code, code.worse, world.folder)), models, "pull_request_target")
    assert outcome.code == 2
    assert "code does not run for a change from a fork" in outcome.summary
    assert not ran(world)


@pytest.mark.threat("outside-scorer-code", "outside-prompt-code")
@pytest.mark.parametrize(
    ("code", "event", "fork", "said"),
    [
        (PROMPT, "pull_request", True, "the pull request comes from a fork"),
        (
            SCORER,
            "pull_request_target",
            False,
            "'pull_request_target' may belong to a change by an untrusted contributor",
        ),
    ],
    ids=["fork", "beside secrets"],
    indirect=["code"],
)
def test_the_command_by_itself_looks_at_the_event_too(
    world: PullRequestWorld, models: ModelServer, code: Code, event: str, fork: bool, said: str
) -> None:
    pr = world.open(marked(code, code.worse, world.folder), fork=fork)
    checkout = checkout_of(world, pr.merge_sha, depth=2)
    env = pr.environment(checkout, event=event) | keys(models)
    outcome = gate("diff", "--base", "HEAD~1", "--head", "HEAD", cwd=checkout, env=env)
    assert outcome.code == 2
    assert said in outcome.err
    assert not ran(world)
