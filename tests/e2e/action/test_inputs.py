"""Each input of the action has its effect."""

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, PROMPT, REWORDED
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.model_server import Behaviour, ModelServer
from tests.support.pull_request import Kind, PullRequest, PullRequestWorld

REPO = "acme/support-bot"


def run(pr: PullRequest, inputs: dict[str, str], kind: Kind = "merge") -> ActionOutcome:
    checkout = pr.checkout(kind, depth=2)
    return run_action(checkout, pr.environment(checkout, inputs=inputs))


def test_config_names_another_file_and_the_comment_says_so(world: PullRequestWorld, server: GitHubServer) -> None:
    world.commit_to_main({"gates/other.yaml": CONFIG, "gate.yaml": "nonsense"})
    pr = world.open({PROMPT: BROKEN})
    assert run(pr, {"config": "gates/other.yaml"}).code == 1
    body = server.comments(REPO, 7)[0].body
    assert "by `gates/other.yaml`" in body
    assert "gate diff --base origin/main --config gates/other.yaml" in body


def test_a_budget_may_only_become_smaller(world: PullRequestWorld) -> None:
    world.commit_to_main({"gate.yaml": CONFIG + "budget: {max_calls: 20}\n"})
    outcome = run(world.open({PROMPT: REWORDED}), {"max-calls": "99"})
    assert (outcome.code, outcome.outputs["calls"]) == (3, "20")


def test_a_run_that_an_input_stopped_names_the_input(world: PullRequestWorld, server: GitHubServer) -> None:
    world.commit_to_main({"gate.yaml": CONFIG + "budget: {max_calls: 100000}\n"})
    outcome = run(world.open({PROMPT: REWORDED}), {"max-calls": "30"})
    assert outcome.code == 3
    for text in (server.comments(REPO, 7)[0].body, outcome.summary):
        said = text.replace("\\", "")
        assert "the budget of 30 calls is used up" in said
        assert "`the input max-calls` is 30, and this run needs 40 calls" in said
        assert "Raise `the input max-calls`, or run again with the same limit" in said
        assert "budget.max_calls" not in said
        assert "`budget`" not in said


def test_concurrency_limits_the_calls_in_flight(world: PullRequestWorld) -> None:
    world.commit_to_main({"gate.yaml": CONFIG.replace("fake:oracle", "openai:m")})
    pr = world.open({"prompts/faq.md": "Answer shortly. quality=1.0\n"})
    checkout = pr.checkout("merge", depth=2)
    with ModelServer(Behaviour(latency_s=0.02)) as models:
        env = pr.environment(checkout, inputs={"concurrency": "3"}) | {"OPENAI_BASE_URL": f"{models.url}/v1"}
        assert run_action(checkout, env | {"OPENAI_API_KEY": "x"}).code == 0
        assert models.most_in_flight == 3


def test_a_wrong_input_does_not_leave_an_old_comment_standing(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: REWORDED})
    pr.comment(f"<!-- prompt-gate: gate.yaml {'c' * 40} -->\n## Prompt Gate: PASS", by="github-actions[bot]")
    assert run(pr, {"fail-on": "always"}).code == 2
    (comment,) = server.comments(REPO, 7)
    assert "INCONCLUSIVE" in comment.body
    assert "fail-on" in comment.body


NO_GATE = "so this repository has no gate"


@pytest.mark.parametrize("kind", ["merge", "none"])
@pytest.mark.parametrize(
    ("inputs", "place"),
    [
        ({"config": "optional"}, "gate.yaml"),
        ({"config": "optional:gates/./prompts.yaml"}, "gates/prompts.yaml"),
        ({"config": "optional", "working-directory": "prompts"}, "prompts/gate.yaml"),
        ({"config": "optional", "working-directory": "apps/none"}, "apps/none/gate.yaml"),
    ],
)
def test_a_repository_without_a_configuration_has_no_gate_where_that_is_allowed(
    world: PullRequestWorld, server: GitHubServer, kind: Kind, inputs: dict[str, str], place: str
) -> None:
    world.commit_to_main({"gate.yaml": None})
    pr = world.open({PROMPT: BROKEN})
    required = inputs | {"config": inputs["config"].partition(":")[2] or "gate.yaml"}
    assert run(pr, required, kind).code == 2
    outcome = run(pr, inputs, kind)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    assert f"there is no {place}, {NO_GATE}" in " ".join(outcome.out.split())
    # One side is enough for a gate, and so is anything else of that name.
    for files in ({place: CONFIG}, {place: "nonsense"}, {place: None, f"{place}/file": "x"}):
        pr.push(files)
        outcome = run(pr, inputs, kind)
        assert NO_GATE not in outcome.out and outcome.outputs["verdict"] != "SKIPPED", files


@pytest.mark.parametrize("config", ["gate.yaml", "bot/gate.yaml"])
def test_a_change_that_deletes_an_optional_configuration_is_red(world: PullRequestWorld, config: str) -> None:
    world.commit_to_main({"gate.yaml": None, config: CONFIG})
    pr = world.open({config: None, PROMPT: BROKEN})
    outcome = run(pr, {"config": f"optional:{config}"})
    assert outcome.code == 2 and NO_GATE not in outcome.out


@pytest.mark.parametrize("config", ["./optional", "Optional", "optional.yaml", "x/optional", "optional:../gate.yaml"])
def test_only_the_word_itself_makes_a_configuration_optional(world: PullRequestWorld, config: str) -> None:
    world.commit_to_main({"gate.yaml": None})
    assert run(world.open({PROMPT: BROKEN}), {"config": config}).code == 2


def test_a_comment_and_a_check_run_belong_to_one_key(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    gates = {
        "prompt-gate": [{}, {"config": "./gate.yaml"}, {"config": "optional"}, {"config": "optional:././gate.yaml"}],
        "prompt-gate (prompts/gate.yaml)": [{"working-directory": "prompts"}, {"config": "prompts//gate.yaml"}],
        "prompt-gate (evals/gate.yaml)": [{"working-directory": "./evals/"}],
        "prompt-gate (de)": [{"key": "de"}, {"key": "de", "config": "prompts/gate.yaml"}],
        "prompt-gate (fr)": [{"key": "fr"}],
    }
    for number, (name, same) in enumerate(gates.items(), 1):
        for inputs in same:
            checkout = pr.checkout("merge", depth=2)
            run_action(checkout, pr.environment(checkout, token=CHECKS_TOKEN, inputs=inputs))
            assert (world.repo.check_runs[-1].name, len(server.comments(REPO, 7))) == (name, number), inputs
