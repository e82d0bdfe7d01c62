"""The check run on the commit: under way while the gate works, concluded whatever happens, with the changed lines."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.action.example import BROKEN, CONFIG, GOOD, PROMPT, REWORDED, SMALL, cases
from tests.support import forked
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN
from tests.support.model_server import Behaviour, ModelServer
from tests.support.pull_request import PullRequest, PullRequestWorld

ROOT = Path(__file__).parents[3]


def environment(pr: PullRequest, checkout: Path, **inputs: str) -> dict[str, str]:
    return pr.environment(
        checkout, token=CHECKS_TOKEN, inputs={name.replace("_", "-"): text for name, text in inputs.items()}
    )


def run(pr: PullRequest, **inputs: str) -> int:
    checkout = pr.checkout("merge", depth=2)
    return run_action(checkout, environment(pr, checkout, **inputs)).code


@pytest.mark.parametrize(
    ("files", "code", "conclusion"),
    [
        ({"README.md": "# x\n"}, 0, "skipped"),
        ({"gate.yaml": "nonsense"}, 2, "failure"),
    ],
)
def test_the_conclusion_is_that_of_the_verdict(
    world: PullRequestWorld, server: GitHubServer, files: dict[str, str], code: int, conclusion: str
) -> None:
    pr = world.open(files)
    assert run(pr) == code
    (check,) = world.repo.check_runs
    assert (check.name, check.head_sha, check.status) == ("prompt-gate", pr.head_sha, "completed")
    assert check.conclusion == conclusion
    first = server.requests("POST", "/check-runs")[0]
    assert first.body["status"] == "in_progress"
    assert first.body["details_url"].endswith("/actions/runs/19000000001")


def test_the_changed_lines_are_marked(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: f"{GOOD}Be kind.\nBe brief. quality[gold]=0.1\n"})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, environment(pr, checkout))
    assert outcome.code == 1
    (check,) = world.repo.check_runs
    assert (check.status, check.conclusion) == ("completed", "failure")
    (mark,) = check.annotations
    assert (mark["path"], mark["start_line"], mark["end_line"]) == (PROMPT, 2, 3)
    assert "tier=gold dropped by" in mark["message"]
    # The log would mark them once more.
    assert f"file={PROMPT}" not in outcome.out + outcome.err


def test_the_changed_lines_inside_of_a_file_of_code_are_marked(world: PullRequestWorld) -> None:
    path = "app/prompts.py"
    text = 'import os\n\nTONE = "kind"\nSYSTEM = f"""\\\n%sBe {TONE}.\n"""\nLAST = 1\n'
    world.commit_to_main({"gate.yaml": CONFIG.replace(PROMPT, f"{path}::SYSTEM"), path: text % GOOD})
    pr = world.open({path: (text % BROKEN).replace("import os", "import sys")})
    checkout = pr.checkout("merge", depth=2)
    assert run_action(checkout, environment(pr, checkout)).code == 1
    (check,) = world.repo.check_runs
    assert [(mark["path"], mark["start_line"], mark["end_line"]) for mark in check.annotations] == [(path, 5, 5)]
    scanned = json.loads((checkout / ".gate/action/report.sarif").read_text())["runs"][0]
    place = scanned["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (path, 5)
    # What a constant brings is told at the text that it is part of.
    world.commit_to_main({path: text % GOOD})
    pr = world.open({path: (text % GOOD).replace("kind", "kind. quality[gold]=0.1")})
    assert run(pr) == 1
    marks = world.repo.check_runs[-1].annotations
    assert [(mark["path"], mark["start_line"], mark["end_line"]) for mark in marks] == [(path, 4, 4)]


def test_each_prompt_is_marked_with_its_own_fall_and_a_part_where_it_stands(world: PullRequestWorld) -> None:
    config = CONFIG.replace("prompts/faq.md", "prompts/faq.j2")
    parts = {"prompts/faq.j2": "{% include 'tone.md' %}", "prompts/tone.md": "Hi. quality=1.0\n"}
    world.commit_to_main({"gate.yaml": config, "evals/support.jsonl": cases(40), **parts})
    pr = world.open({PROMPT: BROKEN, "prompts/tone.md": "Hi. quality=0.1\n"})
    assert run(pr) == 1
    (check,) = world.repo.check_runs
    told = {mark["path"]: mark["message"] for mark in check.annotations}
    assert set(told) == {PROMPT, "prompts/tone.md"}
    assert told[PROMPT].startswith("BLOCK: support/tier=gold dropped by")
    assert told["prompts/tone.md"].startswith("BLOCK: faq/overall ")


def test_what_cannot_even_be_looked_for_is_reported_on_the_commit(
    world: PullRequestWorld, server: GitHubServer
) -> None:
    pr = world.open({PROMPT: BROKEN})
    assert run(pr, range="main..") == 2
    assert [(one.head_sha, one.conclusion) for one in world.repo.check_runs] == [(pr.head_sha, "failure")]
    assert "workflow\\_dispatch" in server.comments("acme/support-bot", 7)[0].body


def test_without_checks_the_changed_lines_are_marked_on_the_log(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: f"{GOOD}Be kind. quality[gold]=0.1\n"})
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout))
    assert f"::error file={PROMPT},line=2,title=Prompt Gate::BLOCK: tier=gold dropped" in outcome.out
    scanned = json.loads((checkout / ".gate/action/report.sarif").read_text())["runs"][0]
    assert scanned["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert 'failures="0"' not in (checkout / ".gate/action/junit.xml").read_text().splitlines()[1]
    assert world.repo.check_runs == []
    assert "check run" not in outcome.summary


def test_an_override_is_neutral(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label("skip-prompt-diff")
    assert run(pr) == 0
    assert [one.conclusion for one in world.repo.check_runs] == ["neutral"]


def test_advisory_is_neutral_and_says_what_would_have_been(world: PullRequestWorld, server: GitHubServer) -> None:
    world.commit_to_main({"gate.yaml": CONFIG + "policy: {mode: advisory}\n"})
    pr = world.open({PROMPT: BROKEN})
    assert run(pr) == 0
    assert [one.conclusion for one in world.repo.check_runs] == ["neutral"]
    assert "the check would fail" in server.comments("acme/support-bot", 7)[0].body


@pytest.mark.threat("outside-check-branch")
def test_a_check_is_of_the_branch_that_the_change_goes_into(world: PullRequestWorld, server: GitHubServer) -> None:
    world.git(world.work, "update-ref", "refs/heads/release", world.main_sha)
    pr = world.open({PROMPT: REWORDED, "other.yaml": CONFIG})
    pr.pull.base.ref = "release"
    assert [run(pr), run(pr, config="other.yaml")] == [0, 0]
    # It stays on the commit when the pull request is pointed at main, where nothing has been judged.
    assert {check.name for check in world.repo.check_runs} == {
        "prompt-gate into release",
        "prompt-gate (other.yaml) into release",
    }
    assert {check.conclusion for check in world.repo.check_runs} == {"success"}
    assert len(server.comments("acme/support-bot", 7)) == 2  # two gates, two comments


@pytest.mark.threat("outside-closed")
def test_a_pull_request_that_is_closed_meanwhile_leaves_no_check_that_passes(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=2)
    env = environment(pr, checkout)
    pr.close()
    outcome = run_action(checkout, env)
    assert (outcome.code, outcome.outputs["verdict"]) == (0, "SKIPPED")
    assert [check.conclusion for check in world.repo.check_runs] == ["cancelled"]


def test_what_was_measured_is_reported_to_its_end(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=2)
    server.fail("POST", "/comments$", 429, headers={"Retry-After": "1"})
    env = environment(pr, checkout) | {"PYTHONPATH": str(ROOT)}
    process = forked.start(["action"], checkout, env)
    while not server.requests("POST", "/comments$"):
        assert process.running
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 1
    assert [check.conclusion for check in world.repo.check_runs] == ["failure"]
    assert "BLOCK" in server.comments("acme/support-bot", 7)[0].body


def test_a_cancelled_run_is_concluded(tmp_path: Path, server: GitHubServer) -> None:
    config = CONFIG.replace("fake:oracle", "openai:gpt-4o-mini")
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": config})
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=2)
    with ModelServer(Behaviour(latency_s=0.2)) as models:
        keys = {"OPENAI_BASE_URL": f"{models.url}/v1", "OPENAI_API_KEY": "x", "PYTHONPATH": str(ROOT)}
        env = environment(pr, checkout, concurrency="1") | keys
        process = forked.start(["action"], checkout, env)
        while not models.ledger:
            assert process.running
            time.sleep(0.05)
        assert [one.status for one in world.repo.check_runs] == ["in_progress"]
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 3
    assert [one.conclusion for one in world.repo.check_runs] == ["cancelled"]
    record = json.loads((checkout / ".gate/action/run.json").read_text())
    assert record["verdict"] == "INCONCLUSIVE"
    assert "INCONCLUSIVE" in server.comments("acme/support-bot", 7)[0].body
