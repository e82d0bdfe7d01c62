"""What the author of a pull request might try, and other ways to a green verdict that is not deserved."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, GOOD, PROMPT, REWORDED, SMALL, cases
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
FAQ_ONLY = CONFIG[: CONFIG.index("  - name: support")] + CONFIG[CONFIG.index("  - name: faq") :]


def run(pr: PullRequest, **options: Any) -> ActionOutcome:
    checkout = pr.checkout("merge", depth=2)
    return run_action(checkout, pr.environment(checkout, **options))


@pytest.mark.threat("may-add-suite")
def test_suites_of_the_changes_own_do_not_water_down_the_verdict(world: PullRequestWorld, server: GitHubServer) -> None:
    dimensions = [f"d{number}" for number in range(6)]
    rows = [
        {"id": f"x{n}", "input": f"answer=w{n}", "expected": f"w{n}", "slices": {d: str(n % 3) for d in dimensions}}
        for n in range(18)
    ]
    decoy = (
        f"  - {{name: decoy, prompt: README.md, cases: evals/decoy.jsonl, slices: {dimensions}, scorers: [contains]}}\n"
    )
    files = {"gate.yaml": CONFIG + decoy, "evals/decoy.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    outcome = run(world.open({**files, PROMPT: BROKEN, "README.md": "Answer. quality=1.0\n"}))
    assert (outcome.code, outcome.outputs["worst-slice"]) == (1, "support/tier=gold")
    assert "`decoy` is a new suite" in server.comments(REPO, 7)[0].body


def test_a_suite_of_the_changes_own_makes_no_ship(tmp_path: Path, server: GitHubServer) -> None:
    config = CONFIG.replace("fake:oracle", "openai:m")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config, "README.md": "quality=0.1\n"})
    own = "  - {name: mine, prompt: README.md, cases: evals/faq.jsonl, model: 'fake:oracle', scorers: [exact]}\n"
    outcome = run(world.open({"gate.yaml": config + own, "README.md": "quality=1.0\n"}))
    assert outcome.code == 2
    assert "which is not a model" in outcome.out.replace("\n", " ")


def test_removing_the_exam_is_reported_and_never_skipped(world: PullRequestWorld, server: GitHubServer) -> None:
    outcome = run(world.open({"gate.yaml": FAQ_ONLY}))
    assert outcome.outputs["verdict"] == "PASS"
    body = server.comments(REPO, 7)[0].body
    assert "**This change edits its own tests: the suite `support` is dropped." in body
    assert "no suite for" not in body


def test_a_decoy_under_the_suites_name_does_not_take_the_exam_away(world: PullRequestWorld) -> None:
    moved = CONFIG.replace("prompt: prompts/support.md", "prompt: prompts/decoy.md")
    own = "  - {name: support-v2, prompt: prompts/support.md, cases: evals/mine.jsonl, scorers: [contains]}\n"
    files = {"gate.yaml": moved + own, "prompts/decoy.md": GOOD, "evals/mine.jsonl": cases(3), PROMPT: BROKEN}
    outcome = run(world.open(files))
    assert outcome.code == 1
    assert "tier=gold" in outcome.outputs["worst-slice"]


def test_no_workflow_command_comes_from_a_name(world: PullRequestWorld) -> None:
    named = "  - {name: '::stop-commands::x', prompt: README.md, cases: evals/faq.jsonl, scorers: [exact]}\n"
    outcome = run(world.open({"gate.yaml": CONFIG + named, PROMPT: BROKEN}))
    commands = [line for line in (outcome.out + outcome.err).splitlines() if line.lstrip().startswith("::")]
    assert commands
    own = ("::error title=Prompt Gate::", f"::error file={PROMPT},line=1,title=Prompt Gate::")
    assert all(line.startswith(own) for line in commands)


def test_a_label_that_cannot_be_confirmed_overrides_nothing(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("skip-prompt-diff")
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout, action="labeled", label="skip-prompt-diff")
    pr.remove_label("skip-prompt-diff")
    server.fail("GET", "/pulls/7$", 404, times=1)
    outcome = run_action(checkout, env)
    assert outcome.code == 1
    assert "an override label cannot be read and does not count" in outcome.summary


def test_a_link_on_the_way_to_the_folder_is_not_followed(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=2)
    (checkout / ".gate").symlink_to("evals")
    outcome = run_action(checkout, pr.environment(checkout))
    assert (outcome.code, outcome.outputs["result-json"]) == (2, "")
    assert sorted(path.name for path in (checkout / "evals").iterdir()) == ["faq.jsonl", "support.jsonl"]


def test_folders_in_place_of_the_files_of_a_run_are_removed(world: PullRequestWorld) -> None:
    pr = world.open({".gate/action/run.json/x": "x", ".gate/action/report.html": "forged", PROMPT: REWORDED})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout))
    assert outcome.code == 0
    assert "forged" not in (checkout / outcome.outputs["report-path"]).read_text()
