"""Pull requests of forks: without secrets, and beside them, where a stranger's files are data and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import events
from tests.support.example import BROKEN, CONFIG, FILES, GOOD, PROMPT, REWORDED, cases
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
SERVICE = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini") + "budget: {max_usd: 5}\n"
KEY = "sk-loopback-openai"
ELSEWHERE = "params: {base_url: 'http://127.0.0.1:9/v1'}"
RUNS = "open('canary', 'w').close()\n"
"""A module that leaves a file behind wherever it is run."""
OWN_SUITE = (
    "  - {name: mine, prompt: README.md, cases: evals/faq.jsonl, "
    f"scorers: [{{judge: {{criteria: x, model: 'openai:m', {ELSEWHERE}}}}}]}}\n"
)


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": SERVICE})


def privileged(
    pr: PullRequest,
    models: ModelServer,
    event: str = "workflow_run",
    change: dict[str, Any] | None = None,
    inputs: dict[str, str] | None = None,
) -> ActionOutcome:
    """The workflow that has secrets, in the checkout that it may have: of main, or none."""
    checkout = pr.checkout("none")
    if event == "workflow_run":
        env = events.workflow_run(pr, checkout, change, inputs)
    else:
        env = pr.environment(checkout, event=event, inputs=inputs)
    return run_action(
        checkout, env | {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": KEY, "GATE_PRICE_BY_NAME": "1"}
    )


@pytest.mark.parametrize(("wanted", "code", "verdict"), [("fail", 3, "INCONCLUSIVE"), ("skip", 0, "SKIPPED")])
def test_without_secrets_the_run_says_what_is_missing(
    world: PullRequestWorld, server: GitHubServer, wanted: str, code: int, verdict: str
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    checkout = pr.checkout("merge")
    outcome = run_action(checkout, pr.environment(checkout, inputs={"on-missing-secrets": wanted}))
    assert (outcome.code, outcome.outputs["verdict"]) == (code, verdict)
    said = outcome.summary.replace("\\", "")
    assert "OPENAI_API_KEY" in said
    assert "GitHub gives no secrets to a pull request of a fork" in said
    assert server.comments(REPO, pr.number) == []


def test_a_change_cannot_have_its_own_run_skipped_for_want_of_a_key(tmp_path: Path, server: GitHubServer) -> None:
    world = PullRequestWorld.make(tmp_path, server, FILES)
    pr = world.open({PROMPT: BROKEN, "gate.yaml": CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")}, fork=True)
    checkout = pr.checkout("merge")
    outcome = run_action(checkout, pr.environment(checkout, inputs={"on-missing-secrets": "skip"}))
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")


@pytest.mark.parametrize("event", ["workflow_run", "pull_request_target"])
def test_beside_secrets_a_fork_is_judged_and_told(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer, event: str
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models, event)
    assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "tier=gold")
    (comment,) = server.comments(REPO, pr.number)
    assert "Prompt Gate: BLOCK" in comment.body
    assert KEY not in outcome.out + outcome.err + outcome.summary + comment.body
    pr.push({PROMPT: REWORDED})
    assert privileged(pr, models, event).code == 0
    (comment,) = server.comments(REPO, pr.number)
    assert "Prompt Gate: PASS" in comment.body


@pytest.mark.parametrize(
    "change",
    [
        {"event": "push"},
        {"head_sha": "a" * 40},
        {"head_branch": "another"},
        {"head_repository": {"full_name": "eve/support-bot", "owner": {"login": "eve"}}},
    ],
)
def test_a_run_for_no_open_pull_request_judges_nothing(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer, change: dict[str, Any]
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models, change=change)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    assert models.ledger == []
    assert server.comments(REPO, pr.number) == []


def test_a_run_for_a_commit_that_was_pushed_over_judges_nothing(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    old = pr.head_sha
    pr.push({PROMPT: REWORDED})
    assert privileged(pr, models, change={"head_sha": old}).outputs["verdict"] == "SKIPPED"
    assert server.comments(REPO, pr.number) == []


def test_a_closed_pull_request_is_left_alone(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.close()
    assert privileged(pr, models).outputs["verdict"] == "SKIPPED"
    assert models.ledger == []


def test_a_fork_that_is_gone_cannot_be_found(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models, change={"head_repository": None})
    assert outcome.code == 3
    assert "is gone" in outcome.summary


def test_a_conflict_beside_secrets_is_no_green(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    world.commit_to_main({PROMPT: REWORDED})
    outcome = privileged(pr, models)
    assert outcome.code == 3
    assert "GitHub has not merged #7 into main; as a rule the two conflict" in outcome.out.replace("\n", " ")
    assert "check the repository out" not in outcome.summary


def test_a_forged_record_of_the_first_workflow_is_not_looked_at(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    checkout = pr.checkout("none")
    forged = checkout / ".gate/action/run.json"
    forged.parent.mkdir(parents=True)
    forged.write_text(json.dumps({"schema": "prompt-gate/run/1", "verdict": "SHIP", "exit_code": 0}))
    env = events.workflow_run(pr, checkout) | {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": KEY}
    assert run_action(checkout, env | {"GATE_PRICE_BY_NAME": "1"}).code == 1
    assert json.loads(forged.read_text())["verdict"] == "BLOCK"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"gate.yaml": SERVICE.replace("samples: 2}", f"samples: 2, {ELSEWHERE}}}")},
            "which the merge target does not use",
        ),
        ({"gate.yaml": SERVICE.replace("openai:gpt-4o-mini", "local:/etc/passwd")}, "is absolute"),
        ({"gate.yaml": SERVICE.replace("openai:gpt-4o-mini", "local:models/x.gguf")}, "the merge target does not use"),
        ({"gate.yaml": SERVICE.replace("openai:gpt-4o-mini", "replay:evals/x.jsonl")}, "which is no model"),
        ({"gate.yaml": SERVICE.replace("openai:gpt-4o-mini", "fake:oracle")}, "which is no model"),
        (
            {"gate.yaml": SERVICE.replace("prompt: prompts/support.md", "prompt: python:evil:build"), "evil.py": RUNS},
            "python:",
        ),
        (
            {"gate.yaml": SERVICE.replace("prompt: prompts/support.md", "prompt: ../../etc/passwd")},
            "leaves the repository",
        ),
        ({"gate.yaml": SERVICE.replace("cases: evals/support.jsonl", "cases: /etc/passwd")}, "is absolute"),
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
                "gate.yaml": SERVICE.replace("budget:", OWN_SUITE + "budget:"),
            },
            "a judge of suite mine",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_stranger_cannot_have(
    world: PullRequestWorld, models: ModelServer, files: dict[str, str], said: str
) -> None:
    pr = world.open({**files, PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 2
    assert said in outcome.summary.replace("\\", "").replace("&#95;", "_")
    assert models.ledger == []
    assert list(world.folder.rglob("canary")) == []


def test_a_stranger_cannot_have_it_in_the_other_event_either(world: PullRequestWorld, models: ModelServer) -> None:
    evil = SERVICE.replace("prompt: prompts/support.md", "prompt: python:evil:build")
    pr = world.open(
        {"gate.yaml": evil.replace("samples: 2}", f"samples: 2, {ELSEWHERE}}}"), "evil.py": RUNS}, fork=True
    )
    outcome = privileged(pr, models, "pull_request_target")
    assert outcome.code == 2
    assert "python:" in outcome.summary
    assert models.ledger == []
    assert list(world.folder.rglob("canary")) == []


def test_a_stranger_may_name_another_model_of_a_service(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({"gate.yaml": SERVICE.replace("gpt-4o-mini", "gpt-4o")}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 0
    assert {entry.model for entry in models.ledger} == {"gpt-4o-mini", "gpt-4o"}


def test_a_link_is_not_followed(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: None}, fork=True)
    link = world.work / PROMPT
    link.symlink_to("/etc/passwd")
    pr.push({})
    outcome = privileged(pr, models)
    assert outcome.code == 2
    assert "is a symbolic link" in outcome.summary
    assert models.ledger == []


@pytest.mark.parametrize(
    "attack",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.system('touch canary') }}",
        "{% import 'os' as os %}{{ os.system('touch canary') }}",
    ],
)
def test_a_template_runs_nothing(world: PullRequestWorld, models: ModelServer, attack: str) -> None:
    world.commit_to_main({"gate.yaml": SERVICE.replace("- name: support", "- name: support\n    template: jinja2")})
    pr = world.open({PROMPT: f"{GOOD}{attack}\n"}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 2
    assert models.ledger == []
    assert list(world.folder.rglob("canary")) == []


def test_the_first_exam_does_not_come_from_a_stranger(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    world = PullRequestWorld.make(tmp_path, server, {"README.md": "x\n", PROMPT: GOOD, "prompts/faq.md": GOOD})
    pr = world.open({**FILES, "gate.yaml": SERVICE, PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 3
    assert "cannot bring its own exam" in outcome.summary
    assert models.ledger == []


def test_a_stranger_spends_only_within_a_budget(tmp_path: Path, server: GitHubServer, models: ModelServer) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": config})
    pr = world.open({PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models)
    assert outcome.code == 3
    assert "there is no budget" in outcome.summary
    assert models.ledger == []
    assert privileged(pr, models, inputs={"max-calls": "1000"}).code == 1


def test_so_many_calls_are_no_budget_for_another_model(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": config})
    pr = world.open({"gate.yaml": config.replace("gpt-4o-mini", "gpt-5-pro")}, fork=True)
    assert privileged(pr, models, inputs={"max-calls": "1000"}).code == 3
    assert models.ledger == []


def test_cases_of_a_stranger_are_asked_only_within_a_budget(
    tmp_path: Path, server: GitHubServer, models: ModelServer
) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**FILES, "gate.yaml": config})
    pr = world.open({"evals/support.jsonl": cases(60)}, fork=True)
    outcome = privileged(pr, models)
    assert (outcome.code, len(models.ledger)) == (3, 0)
    assert "there is no budget in dollars" in outcome.summary


@pytest.mark.parametrize("event", ["workflow_run", "pull_request_target"])
def test_another_pull_request_of_the_same_commit_does_not_answer_for_it(
    world: PullRequestWorld, models: ModelServer, event: str
) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    twin = world.open({"README.md": "x\n"}, fork=True)
    twin.pull.head.sha, twin.pull.base.ref = pr.head_sha, "release"
    world.git(world.work, "update-ref", "refs/heads/release", world.main_sha)
    twin.merge_again()
    for one in (pr, twin):
        outcome = privileged(one, models, event)
        assert outcome.code == 3
        assert "is also the newest of" in outcome.summary
    assert models.ledger == []


@pytest.mark.parametrize("event", ["workflow_run", "pull_request_target"])
def test_a_merge_into_another_branch_is_not_taken(world: PullRequestWorld, models: ModelServer, event: str) -> None:
    world.git(world.work, "checkout", "--quiet", "--detach", world.main_sha)
    tame = world.commit({"gate.yaml": SERVICE + "policy: {mode: advisory}\n"}, "A branch of its own")
    pr = world.open({PROMPT: BROKEN}, fork=True)
    world.git(world.work, "checkout", "--quiet", "--detach", tame)
    world.git(world.work, "merge", "--quiet", "--no-ff", "-m", "old", pr.head_sha)
    pr.pull.merge_sha = world.git(world.work, "rev-parse", "HEAD")
    outcome = privileged(pr, models, event)
    assert (outcome.code, len(models.ledger)) == (3, 0)


def test_a_stranger_does_not_raise_the_budget(world: PullRequestWorld, models: ModelServer) -> None:
    limited = SERVICE.replace("max_usd: 5", "max_usd: 5, max_calls: 10")
    world.commit_to_main({"gate.yaml": limited})
    pr = world.open({"gate.yaml": limited.replace("10}", "100000}"), PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models)
    assert (outcome.code, outcome.outputs["calls"]) == (3, "10")


def test_a_stranger_does_not_rewrite_the_exam(world: PullRequestWorld, models: ModelServer) -> None:
    tame = cases(40).replace('"expected": "word', '"expected": "w')
    pr = world.open({PROMPT: BROKEN, "evals/support.jsonl": tame}, fork=True)
    assert privileged(pr, models).code == 1


def test_the_label_of_a_stranger_sets_nothing_aside(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.add_label("skip-prompt-diff", by="mallory")
    outcome = privileged(pr, models)
    assert outcome.code == 1
    assert "mallory" in outcome.summary


def test_a_person_with_rights_sets_it_aside(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    pr.add_label("skip-prompt-diff", by="olivia")
    assert privileged(pr, models).outputs["verdict"] == "SKIPPED"


def test_without_a_token_a_stranger_is_not_judged(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    checkout = pr.checkout("none")
    env = events.workflow_run(pr, checkout) | {"INPUT_GITHUB-TOKEN": ""}
    outcome = run_action(checkout, env)
    assert outcome.code == 3
    assert "needs a github-token" in outcome.summary


def test_the_scope_of_one_commit_needs_an_event_that_says_so(world: PullRequestWorld, models: ModelServer) -> None:
    pr = world.open({PROMPT: BROKEN}, fork=True)
    outcome = privileged(pr, models, inputs={"label-scope": "commit"})
    assert outcome.code == 2
    assert "label-scope" in outcome.summary
