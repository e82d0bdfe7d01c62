"""What can be wrong with a run: each has a clear line in the log and the summary, and the exit code it deserves."""

from pathlib import Path
from typing import Any

from tests.e2e.action.example import BROKEN, CONFIG, PROMPT
from tests.support import in_process
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.github_state import NO_COMMENT_TOKEN
from tests.support.pull_request import Kind, PullRequest, PullRequestWorld

REPO = "acme/support-bot"
INVALID = CONFIG.replace("cases: evals/faq.jsonl", "case: evals/faq.jsonl\n    colour: red")


def run(pr: PullRequest, *, kind: Kind = "merge", depth: int = 2, **options: Any) -> ActionOutcome:
    checkout = pr.checkout(kind, depth=depth)
    return run_action(checkout, pr.environment(checkout, **options))


def assert_told(outcome: ActionOutcome, *words: str) -> None:
    """The log and the summary say it, and nothing looks like a defect."""
    log, summary = outcome.out + outcome.err, outcome.summary.replace("\\", "")
    for word in words:
        assert word in log.replace("\n", " "), word
        assert word in summary, word
    assert "Traceback" not in outcome.out + outcome.err
    assert "itself failed" not in outcome.out + outcome.err


def test_without_a_token_there_is_a_verdict_and_no_comment(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    outcome = run(pr, token="")
    assert (outcome.code, outcome.outputs["verdict"], outcome.outputs["comment-url"]) == (1, "BLOCK", "")
    assert_told(outcome, "there is no github-token")
    assert server.ledger == []


def test_a_base_that_only_github_has_needs_a_token_that_is_good(world: PullRequestWorld) -> None:
    outcome = run(world.open({PROMPT: BROKEN}), depth=1, token="no-such-token")
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    assert_told(outcome, "Bad credentials", "check that the token is still valid")


def test_a_token_that_may_not_write_is_a_warning_and_the_verdict_stands(
    world: PullRequestWorld, server: GitHubServer
) -> None:
    outcome = run(world.open({PROMPT: BROKEN}), token=NO_COMMENT_TOKEN)
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert_told(outcome, "the report is in the job summary")
    assert "::warning title=Prompt Gate::" in outcome.out
    assert "tier=gold" in outcome.summary
    assert server.comments(REPO, 7) == []


PAYLOADS = {
    b"{nonsense": "the event is not JSON",
    b"[]": "the event has no pull request",
    b'{"pull_request": {"number": "7", "head": {"sha": "HEAD"}, "base": {}}}': "pull_request.number",
    b"\xff\xfe": "UTF-8",
    b"[" * 100_000: "levels deep",
}


def test_a_payload_that_is_invalid(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=1)
    for payload, said in PAYLOADS.items():
        env = pr.environment(checkout)
        Path(env["GITHUB_EVENT_PATH"]).write_bytes(payload)
        outcome = run_action(checkout, env)
        assert (outcome.code, outcome.outputs["verdict"]) == (2, "INCONCLUSIVE"), said
        assert_told(outcome, said)


def test_a_base_branch_that_is_gone(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("head", depth=1)
    env = pr.environment(checkout)
    server.fail("GET", "/git/commits/", 404, times=9)
    world.git(world.work, "update-ref", "-d", "refs/heads/main")
    outcome = run_action(checkout, env)
    assert (outcome.code, outcome.outputs["verdict"]) == (3, "INCONCLUSIVE")
    assert_told(outcome, "and the base is unknown", "fetch-depth: 2")
    assert "INCONCLUSIVE" in server.comments(REPO, 7)[0].body


def test_no_checkout_and_no_way_to_ask(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    world.repo.private = True
    outcome = run(pr, kind="none", token="")
    assert outcome.code == 3
    assert_told(outcome, "there is no checkout")


def test_a_configuration_that_is_invalid_at_the_head(world: PullRequestWorld, server: GitHubServer) -> None:
    outcome = run(world.open({"gate.yaml": INVALID}))
    assert (outcome.code, outcome.outputs["verdict"]) == (2, "INCONCLUSIVE")
    assert_told(outcome, "gate.yaml:11", "unknown key 'colour'", "unknown key 'case'")
    assert "::error file=gate.yaml,line=12,title=Prompt Gate::" in outcome.out
    body = server.comments(REPO, 7)[0].body
    assert "colour" in body
    assert "push again" in body


def test_a_change_cannot_delete_the_configuration(world: PullRequestWorld) -> None:
    outcome = run(world.open({"gate.yaml": None, PROMPT: BROKEN}))
    assert outcome.code == 2
    assert_told(outcome, "the change deletes gate.yaml, which origin/main has")


def test_all_wrong_inputs_at_once(world: PullRequestWorld) -> None:
    wrong = {"fail-on": "always", "max-calls": "many", "concurrency": "0", "on-skip": "yes"}
    outcome = run(world.open({PROMPT: BROKEN}), inputs=wrong)
    assert outcome.code == 2
    assert_told(outcome, *wrong)


def test_outside_a_workflow(tmp_path: Path) -> None:
    from tests.support.command import gate

    outcome = gate("action", cwd=tmp_path)
    assert outcome.code == 2
    assert "GITHUB_EVENT_PATH" in outcome.err
    assert "gate diff --base origin/main" in outcome.err


def test_files_of_a_run_that_the_change_brings_along_are_not_taken_for_a_result(world: PullRequestWorld) -> None:
    forged = {".gate/action/run.json": '{"verdict": "SHIP"}', ".gate/action/report.html": "fine"}
    forged |= {".gate/action/report.sarif": "fine", ".gate/action/junit.xml": "fine"}
    pr = world.open({**forged, "gate.yaml": INVALID})
    checkout = pr.checkout("merge", depth=1)
    outcome = run_action(checkout, pr.environment(checkout))
    assert outcome.code == 2
    assert '"SHIP"' not in (checkout / ".gate/action/run.json").read_text()
    for name in ("report.html", "report.sarif", "junit.xml"):
        assert (checkout / ".gate/action" / name).read_text() != "fine"


def test_a_link_in_place_of_the_folder_is_not_followed(world: PullRequestWorld, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "run.json").write_text("precious")
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=1)
    (checkout / ".gate").mkdir()
    (checkout / ".gate/action").symlink_to(elsewhere)
    outcome = run_action(checkout, pr.environment(checkout))
    assert outcome.code == 2
    assert (elsewhere / "run.json").read_text() == "precious"
    assert [path.name for path in elsewhere.iterdir()] == ["run.json"]


def test_files_of_the_runner_that_cannot_be_written_are_a_warning(world: PullRequestWorld, tmp_path: Path) -> None:
    pr = world.open({PROMPT: BROKEN})
    checkout = pr.checkout("merge", depth=2)
    env = pr.environment(checkout)
    gone = {"GITHUB_STEP_SUMMARY": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "no" / "output")}
    done = in_process.run(["action"], checkout, env | gone, timeout_s=60)
    assert done.returncode == 1
    assert done.stdout.count("::warning title=Prompt Gate::cannot write") == 2
