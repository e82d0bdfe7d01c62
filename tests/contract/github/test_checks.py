"""Check runs: created, concluded, with all annotations, and skipped if the token lacks the permission."""

import pytest

from gate.github.checks import BATCH, CheckRuns, FinishedCheck, Outcome, Remark
from gate.github.client import ApiError
from tests.contract.github.conftest import REPO, Connect
from tests.support.github_server import GitHubServer
from tests.support.github_state import CHECKS_TOKEN, PERSONAL_TOKEN, WORKFLOW_TOKEN, CheckRun
from tests.support.pull_request import PullRequest

URL = "https://github.com/acme/support-bot/actions/runs/4711"
DONE = Outcome("failure", "BLOCK", "A slice got worse.")


def made(server: GitHubServer) -> list[CheckRun]:
    return server.state.repositories[REPO].check_runs


def begun(checks: CheckRuns, pr: PullRequest) -> int:
    return checks.start(pr.head_sha, URL)


def test_a_check_run_is_in_progress_and_then_concluded(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    checks = CheckRuns(connect(CHECKS_TOKEN))
    number = begun(checks, pr)
    run = made(server)[0]
    assert (run.name, run.status, run.external_id, run.details_url) == ("prompt-gate", "in_progress", "gate.yaml", URL)
    assert checks.finish(number, DONE) == FinishedCheck(True)
    assert (run.status, run.conclusion, run.title, run.summary) == ("completed", "failure", "BLOCK", DONE.summary)


def test_two_pull_requests_with_the_same_commit_have_a_check_run_each(
    server: GitHubServer, connect: Connect, pr: PullRequest
) -> None:
    one, other = (CheckRuns(connect(CHECKS_TOKEN), about=f"#{number}") for number in (7, 8))
    first, second = begun(one, pr), begun(other, pr)
    assert first != second
    assert begun(CheckRuns(connect(CHECKS_TOKEN), about="#8"), pr) == second
    assert one.finish(first, DONE).concluded
    runs = made(server)
    assert [(run.name, run.external_id, run.conclusion) for run in runs] == [
        ("prompt-gate", "gate.yaml #7", "failure"),
        ("prompt-gate", "gate.yaml #8", None),
    ]


@pytest.mark.parametrize("count", [0, BATCH, 2 * BATCH + 7])
def test_all_annotations_are_sent(server: GitHubServer, connect: Connect, pr: PullRequest, count: int) -> None:
    checks = CheckRuns(connect(CHECKS_TOKEN))
    remarks = [
        Remark("prompts/support.md", place + 1, place + 2, "failure", f"worse {place}") for place in range(count)
    ]
    assert checks.finish(begun(checks, pr), Outcome("failure", "BLOCK", "s", remarks)) == FinishedCheck(True)
    assert [row["message"] for row in made(server)[0].annotations] == [one.message for one in remarks]
    assert len(server.requests("PATCH")) == max(1, -(-count // BATCH))


def test_long_texts_are_cut(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    checks = CheckRuns(connect(CHECKS_TOKEN))
    remark = Remark("a.md", 1, 1, "notice", "é" * 50_000)
    assert checks.finish(begun(checks, pr), Outcome("success", "t" * 999, "🔴" * 65_535, [remark])).concluded
    run = made(server)[0]
    assert 65_000 < len((run.summary or "").encode("utf-16-le")) // 2 <= 65_535
    assert len(run.annotations[0]["message"].encode()) == 65_536


@pytest.mark.parametrize("token", [WORKFLOW_TOKEN, PERSONAL_TOKEN])
def test_a_missing_permission_is_named(server: GitHubServer, connect: Connect, pr: PullRequest, token: str) -> None:
    with pytest.raises(ApiError) as refused:
        CheckRuns(connect(token)).start(pr.head_sha, URL)
    assert refused.value.forbidden
    assert "checks: write" in refused.value.in_full
    assert made(server) == []


@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize("status", [0, 500])
def test_a_retry_makes_no_second_check_run(
    server: GitHubServer, connect: Connect, pr: PullRequest, status: int, after: bool
) -> None:
    checks = CheckRuns(connect(CHECKS_TOKEN))
    server.fail("POST", "/check-runs$", status, after=after)
    server.fail("PATCH", "/check-runs/", status, after=after)
    assert checks.finish(begun(checks, pr), DONE) == FinishedCheck(True)
    assert [run.status for run in made(server)] == ["completed"]


def test_a_check_run_of_a_killed_run_is_reused(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    left = begun(CheckRuns(connect(CHECKS_TOKEN)), pr)
    assert begun(CheckRuns(connect(CHECKS_TOKEN)), pr) == left
    assert len(made(server)) == 1


def test_failed_annotations_do_not_prevent_the_conclusion(
    server: GitHubServer, connect: Connect, pr: PullRequest
) -> None:
    checks = CheckRuns(connect(CHECKS_TOKEN))
    number = begun(checks, pr)
    server.fail("PATCH", "/check-runs/", 422)
    done = checks.finish(number, Outcome("failure", "t", "s", [Remark("a.md", 1, 1, "failure", "m")]))
    assert made(server)[0].conclusion == "failure"
    assert done.concluded
    assert "422" in done.note


def test_a_failed_conclusion_gives_a_note(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    checks = CheckRuns(connect(CHECKS_TOKEN))
    number = begun(checks, pr)
    server.fail("PATCH", "/check-runs/", 404, times=9)
    done = checks.finish(number, DONE)
    assert not done.concluded
    assert "404" in done.note
