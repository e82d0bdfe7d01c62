"""Every response of GitHub or a proxy leads to a result, a retry or an `ApiError` that names the operation."""

import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from gate.github.client import ApiError, GitHub, Patience
from tests.contract.github.conftest import PROMPT, REPO, Connect
from tests.contract.github.operations import OPERATIONS, Operation, Step
from tests.support.github_server import PRIMARY_LIMIT, SECONDARY_LIMIT, GitHubServer
from tests.support.github_state import PERSONAL_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld

WAIT_S = 5
"""Seconds: far longer than any local response, and far shorter than the longest wait of the client."""
READING = [name for name, one in OPERATIONS.items() if one.method == "GET"]
SHAPES: tuple[Any, ...] = ({}, [], [{}], [None], {"message": "moved"}, "null", '"text"', "{")


def with_something_to_read(pr: PullRequest) -> PullRequest:
    pr.comment("first", by="olivia")
    pr.add_label("docs")
    return pr


@pytest.fixture
def talk(pr: PullRequest) -> PullRequest:
    """A pull request with comments, labels and files to read."""
    return with_something_to_read(pr)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PullRequest]:
    """The same, shared by the tests that change nothing, as where every request fails."""
    with GitHubServer() as server:
        world = PullRequestWorld.make(tmp_path_factory.mktemp("unchanged"), server, {PROMPT: "Be kind.\n"})
        yield with_something_to_read(world.open({PROMPT: "Be brief.\n"}))
        server.assert_clean()


@pytest.fixture(params=OPERATIONS)
def operation(request: pytest.FixtureRequest) -> Operation:
    return OPERATIONS[request.param]


@pytest.fixture
def step(operation: Operation, talk: PullRequest, connect: Connect) -> Step:
    """The step of an operation."""
    return operation.prepare(connect(PERSONAL_TOKEN), talk)


@pytest.fixture
def troubled(operation: Operation, unchanged: PullRequest) -> Step:
    """The step of an operation that changes nothing, or whose request will fail."""
    return prepared(operation, unchanged)


def prepared(operation: Operation, pr: PullRequest) -> Step:
    pr.world.server.heal()
    return operation.prepare(GitHub(PERSONAL_TOKEN, pr.world.server.url, REPO, Patience(30, lambda seconds: None)), pr)


def told(step: Step, operation: Operation) -> ApiError:
    """The error that the step raises."""
    with pytest.raises(ApiError) as caught:
        step()
    error = caught.value
    assert error.exit_code == 3
    assert error.message.startswith(f"cannot {operation.what}")
    whole = "".join(traceback.format_exception(error)) + repr(error) + error.hint
    assert PERSONAL_TOKEN not in whole
    assert "another exception" not in whole
    return error


def in_turn(server: GitHubServer, operation: Operation, step: Step, **fault: Any) -> ApiError:
    """The error that the step raises if every response is this one."""
    server.heal()
    server.fail(operation.method, operation.path, times=99, **fault)
    return told(step, operation)


def asked(server: GitHubServer, operation: Operation) -> list[int]:
    """The statuses of the operation's requests, in order."""
    return [entry.status for entry in server.requests(operation.method, operation.path)]


def test_a_refusal_is_not_retried(unchanged: PullRequest, operation: Operation, troubled: Step) -> None:
    server, before = unchanged.world.server, len(asked(unchanged.world.server, operation))
    statuses = [400, 401, 403, 404, 422]
    if operation.path == "/user$":
        statuses = [
            status for status in statuses if status not in (403, 404)
        ]  # A workflow's token is recognized by them.
    for status in statuses:
        error = in_turn(server, operation, troubled, status=status)
        assert error.status == status
        assert f"GitHub answered {status} (Something went wrong.)" in error.message
        # GitHub refuses for many reasons; only its own word for it means a missing permission.
        assert bool(error.hint) is (status == 401 or (status == 404 and operation.path != "/user$"))
    assert asked(server, operation)[before:] == statuses


def succeeds_after_temporary_errors(operation: Operation, step: Step, pr: PullRequest) -> None:
    server = pr.world.server
    before = len(asked(server, operation))
    for status, headers in ((502, {}), (429, {"Retry-After": "0"})):
        server.fail(operation.method, operation.path, status, headers=headers)
        if operation.method == "POST":
            assert told(step, operation).status == status
    assert step() == operation.gives(pr)
    *failed, succeeded = asked(server, operation)[before:]
    assert failed == [502, 429] and succeeded < 300


@pytest.mark.parametrize("operation", READING, indirect=True)
def test_every_reading_operation_succeeds_after_temporary_errors(
    operation: Operation, troubled: Step, unchanged: PullRequest
) -> None:
    succeeds_after_temporary_errors(operation, troubled, unchanged)


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name not in READING], indirect=True)
def test_every_writing_operation_succeeds_after_temporary_errors_which_only_a_post_reports(
    operation: Operation, step: Step, talk: PullRequest
) -> None:
    succeeds_after_temporary_errors(operation, step, talk)


def test_permanent_errors_end_the_retries(server: GitHubServer, connect: Connect, talk: PullRequest) -> None:
    # All run at the same time, because each waits three seconds.
    steps = [(each, each.prepare(connect(PERSONAL_TOKEN), talk)) for each in OPERATIONS.values()]
    steps.append((OPERATIONS["login"], GitHub(PERSONAL_TOKEN, "http://127.0.0.1:1", REPO).login))
    start = len(server.ledger)
    for method in ("GET", "POST", "PATCH", "DELETE"):
        server.fail(method, "", 0, times=999)
    with ThreadPoolExecutor(len(steps)) as pool:
        errors = list(pool.map(lambda pair: told(pair[1], pair[0]), steps))
    assert {error.status for error in errors} == {0}
    seen = [(entry.method, entry.path) for entry in server.ledger[start:]]
    assert {method for method, path in seen if seen.count((method, path)) == 1} == {"POST"}
    assert max(seen.count(each) for each in seen if each[1] != f"/repos/{REPO}/pulls/7") == 4


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("status", "message", "headers"),
    [
        (403, SECONDARY_LIMIT, {"Retry-After": "3600"}),
        (403, SECONDARY_LIMIT, {}),
        (403, PRIMARY_LIMIT, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1900000000"}),
    ],
    ids=["secondary, an hour", "secondary, no time given", "primary"],
)
def test_a_long_rate_limit_is_an_error(
    unchanged: PullRequest,
    method: str,
    status: int,
    message: str,
    headers: dict[str, str],
) -> None:
    name = {"GET": "comments", "POST": "create"}[method]
    operation = OPERATIONS[name]
    step = prepared(operation, unchanged)
    unchanged.world.server.fail(method, operation.path, status, times=9, headers=headers, body={"message": message})
    errors: list[ApiError] = []
    worker = threading.Thread(target=lambda: errors.append(told(step, operation)), daemon=True)
    worker.start()
    worker.join(WAIT_S)
    assert not worker.is_alive(), "it waits"
    (error,) = errors
    assert error.status == status
    assert message in error.message


def test_a_malformed_response_is_an_error(unchanged: PullRequest, operation: Operation, troubled: Step) -> None:
    for body in SHAPES:
        if operation.method == "DELETE" or (operation.path.endswith("comments$") and body in ([], "null", [None])):
            continue  # Nothing is read of it, or it is a list without entries.
        if operation.path.endswith("timeline$") and body in ([], "null", [None], [{}]):
            continue
        in_turn(unchanged.world.server, operation, troubled, status=200, body=body)


@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.method != "DELETE"])
def test_a_proxys_html_page_is_an_error(unchanged: PullRequest, name: str) -> None:
    operation = OPERATIONS[name]
    step = prepared(operation, unchanged)
    for status in (200, 502) if operation.method == "POST" else (200,):
        in_turn(unchanged.world.server, operation, step, status=status, body="<html>Please log in</html>")


def test_a_redirect_to_another_host_is_not_followed(
    unchanged: PullRequest, operation: Operation, troubled: Step
) -> None:
    headers = {"Location": "http://localhost:1/login"}
    # Any other response to DELETE counts as success, because a remaining duplicate does no harm.
    for status in (301,) if operation.method == "DELETE" else (301, 307):
        in_turn(unchanged.world.server, operation, troubled, status=status, headers=headers, body={"message": "Moved"})


def test_a_wrong_blob_is_an_error(unchanged: PullRequest) -> None:
    blob = OPERATIONS["blob"]
    step = prepared(blob, unchanged)
    for body, encoding in (
        (None, "base64"),
        ("!!!!", "base64"),
        ("QmUga2luZC4=", "base64"),
        ("QmU", "base64"),
        ("é", "base64"),
        ("", "none"),
        ("Be brief.\n", None),
        (5, "base64"),
    ):
        said = {"content": body, "encoding": encoding, "size": 10, "sha": "0"}
        in_turn(unchanged.world.server, blob, step, status=200, body=said)


def test_a_tree_with_incomplete_entries_is_an_error(unchanged: PullRequest) -> None:
    tree = OPERATIONS["tree"]
    step = prepared(tree, unchanged)
    for change in ({"mode": None}, {"path": None}, {"sha": None}, {"mode": 5}, {"size": "large"}):
        entry = {"path": "a.md", "mode": "100644", "type": "blob", "sha": "a" * 40, "size": 1, **change}
        in_turn(
            unchanged.world.server, tree, step, status=200, body={"tree": [entry], "truncated": False, "sha": "b" * 40}
        )


def test_a_workflow_token_has_no_user_name(connect: Connect, talk: PullRequest, server: GitHubServer) -> None:
    assert connect().login() is None
    assert connect(PERSONAL_TOKEN).login() == "olivia"


def test_a_rate_limit_does_not_turn_a_person_into_a_workflow(
    server: GitHubServer, connect: Connect, pr: PullRequest
) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1900000000"}
    server.fail("GET", "/user$", 403, times=9, headers=headers, body={"message": PRIMARY_LIMIT})
    assert told(connect(PERSONAL_TOKEN).login, OPERATIONS["login"]).status == 403


def test_an_invalid_token_is_an_error(server: GitHubServer, pr: PullRequest) -> None:
    for token in ("stale", "with space", "new\nline", "t\u00f6ken", "\U0001f600"):
        with pytest.raises(ApiError, match="cannot find out whose token this is") as caught:
            GitHub(token, server.url, REPO).login()
        whole = "".join(traceback.format_exception(caught.value)) + caught.value.hint
        assert token not in whole
        assert ascii(token).strip("'") not in whole


def test_without_a_token_requests_are_anonymous(server: GitHubServer, talk: PullRequest, connect: Connect) -> None:
    anybody = connect(None)
    assert not anybody.has_token
    assert OPERATIONS["labels"].prepare(anybody, talk)().labels == ("docs",)
    assert server.ledger[-1].identity is None
    assert told(OPERATIONS["create"].prepare(anybody, talk), OPERATIONS["create"]).status == 401


def test_nothing_is_logged(
    server: GitHubServer, connect: Connect, talk: PullRequest, caplog: pytest.LogCaptureFixture
) -> None:
    for status in (403, 0, 502):
        server.fail("GET", "/pulls/7$", status, times=1)
        labels = OPERATIONS["labels"]
        if status == 403:
            told(labels.prepare(connect(PERSONAL_TOKEN), talk), labels)
        else:
            assert labels.prepare(connect(PERSONAL_TOKEN), talk)().labels == ("docs",)
    assert [record.getMessage() for record in caplog.records] == []
