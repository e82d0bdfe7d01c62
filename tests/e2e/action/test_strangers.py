"""Beside secrets a stranger's files are data and nothing else: what they may not have, run, or spend."""

from pathlib import Path

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, GOOD, PROMPT, SERVICE, SMALL, cases
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import privileged
from tests.support.pull_request import PullRequestWorld

ELSEWHERE = "providers: {mine: {api: openai, base_url: 'http://127.0.0.1:9/v1'}}\n"
RUNS = "open('canary', 'w').close()\n"
"""A module that leaves a file behind wherever it is run."""
OWN_SUITE = (
    "  - {name: mine, prompt: README.md, cases: evals/faq.jsonl, scorers: [{judge: {criteria: x, model: 'mine:m'}}]}\n"
)


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": SERVICE})


KEPT_OUT: tuple[tuple[dict[str, str], str], ...] = (
    (
        {"gate.yaml": ELSEWHERE + SERVICE.replace("openai:gpt-4o-mini", "mine:m")},
        "which the base branch does not use",
    ),
    ({"gate.yaml": SERVICE.replace("openai:gpt-4o-mini", "local:/etc/passwd")}, "is absolute"),
    ({"gate.yaml": SERVICE.replace("openai:gpt-4o-mini", "replay:evals/x.jsonl")}, "which is not a model"),
    (
        {"gate.yaml": SERVICE.replace("prompt: prompts/support.md", "prompt: python:evil:build"), "evil.py": RUNS},
        "python:",
    ),
    ({"gate.yaml": "!!python/object/apply:os.system ['touch canary']\n"}, "tag"),
    (
        {
            "gate.yaml": SERVICE.replace("scorers: [contains]", "scorers: [{python: {function: 'evil:run'}}]"),
            "evil.py": RUNS,
        },
        "python",
    ),
    (
        {
            "gate.yaml": SERVICE.replace("scorers: [contains]", "scorers: [{judge: {module: 'evil'}}]"),
            "evil.py": RUNS,
        },
        "module",
    ),
    (
        {
            "gate.yaml": ELSEWHERE + SERVICE.replace("budget:", OWN_SUITE + "budget:"),
        },
        "a judge of suite mine",
    ),
)


@pytest.mark.threat("recordings", "templates", "outside-server")
def test_what_a_fork_cannot_have(world: PullRequestWorld, models: ModelServer) -> None:
    for files, said in KEPT_OUT:
        outcome = privileged(world.open({**files, PROMPT: BROKEN}, fork=True), models)
        assert outcome.code == 2, said
        assert said in outcome.summary.replace("\\", "").replace("&#95;", "_")
    assert models.ledger == []
    assert list(world.folder.rglob("canary")) == []


@pytest.mark.threat("runner-file")
def test_a_link_is_not_followed(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: None}, fork=True)
    link = world.work / PROMPT
    link.symlink_to("/etc/passwd")
    pr.push({})
    outcome = privileged(pr, models)
    assert outcome.code == 2
    assert "is a symbolic link" in outcome.summary
    assert models.ledger == []


@pytest.mark.threat("templates")
def test_a_template_runs_nothing(world: PullRequestWorld, models: ModelServer) -> None:
    attack = "{{ ''.__class__.__mro__[1].__subclasses__() }}"
    world.commit_to_main({"gate.yaml": SERVICE.replace("- name: support", "- name: support\n    template: jinja2")})
    pr = world.open({PROMPT: f"{GOOD}{attack}\n"}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 2
    assert "unsafe" in outcome.summary
    assert models.ledger == []


@pytest.mark.threat("outside-first")
@pytest.mark.parametrize("event", ["pull_request", "workflow_run"])
def test_the_first_exam_does_not_come_from_a_fork(
    tmp_path: Path, server: GitHubServer, models: ModelServer, event: str
) -> None:
    world = PullRequestWorld.make(tmp_path, server, {"README.md": "x\n", PROMPT: GOOD})
    pr = world.open({**SMALL, "gate.yaml": f"{SERVICE}policy: {{mode: advisory}}\n", PROMPT: BROKEN}, fork=True)
    if event == "pull_request":
        checkout = pr.checkout("merge")
        outcome = run_action(checkout, pr.environment(checkout))
    else:
        outcome = privileged(pr, models, event)
        assert "cannot bring its own cases and scorers" in outcome.summary
        assert models.ledger == []
    assert outcome.code == 3


@pytest.mark.threat("outside-budget")
def test_a_fork_spends_only_within_a_budget(tmp_path: Path, server: GitHubServer, models: ModelServer) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 3
    assert "there is no cost limit" in outcome.summary
    assert models.ledger == []
    assert privileged(pr, models, inputs={"max-calls": "1000"}).code == 1


DEAR = (
    ("gpt-4o-mini", "gpt-5-pro"),
    ("[contains]", "[contains, {judge: {criteria: good, model: 'openai:gpt-5-pro'}}]"),
    (
        "suites:\n",
        "suites:\n  - {name: mine, prompt: README.md, cases: evals/faq.jsonl, scorers: [exact], "
        "model: 'openai:gpt-5-pro'}\n",
    ),
)


@pytest.mark.threat("outside-dear-model")
def test_so_many_calls_are_no_budget_for_another_model(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "README.md": "Be kind.\n", "gate.yaml": config})
    for dear in DEAR:
        pr = world.open({"gate.yaml": config.replace(*dear)}, fork=True)
        outcome = privileged(pr, models, inputs={"max-calls": "1000"})
        assert outcome.code == 3, dear
        assert "there is no cost limit" in outcome.summary
    assert models.ledger == []


def test_a_forks_model_without_a_price_is_not_asked(tmp_path: Path, server: GitHubServer, models: ModelServer) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({"gate.yaml": config.replace("gpt-4o-mini", "dear-and-new")}, fork=True)
    outcome = privileged(pr, models, inputs={"max-calls": "1000", "max-cost-usd": "1"})
    assert (outcome.code, models.ledger) == (3, [])
    assert "the price of openai:dear-and-new is unknown" in outcome.summary


@pytest.mark.threat("outside-budget", "case-budget")
def test_cases_of_a_fork_are_asked_only_within_a_budget(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({"evals/support.jsonl": cases(60)}, fork=True)
    outcome = privileged(pr, models)
    assert (outcome.code, len(models.ledger)) == (3, 0)
    assert "there is no cost limit" in outcome.summary


@pytest.mark.threat("may-prompt")
def test_a_fork_does_not_raise_the_budget(world: PullRequestWorld, models: ModelServer) -> None:
    limited = SERVICE.replace("max_usd: 5", "max_usd: 5, max_calls: 10")
    world.commit_to_main({"gate.yaml": limited})
    pr = world.open({"gate.yaml": limited.replace("10}", "100000}"), PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models)
    assert (outcome.code, outcome.outputs["calls"]) == (3, "10")
