"""What becomes of an announcement: the report takes its place, whichever way the comment is written."""

from dataclasses import replace

import pytest

from gate.flows.publish import Mode, Publication, Sticky, announce, publish
from gate.github.comments import PullRequestComments
from tests.contract.github.conftest import Connect
from tests.contract.github.talking import MARK, NEW, REPO, REPORT, saying, written
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest

EVERY_MODE = pytest.mark.parametrize("mode", ["update", "recreate", "hide"])


def run(connect: Connect, one: Sticky, mode: Mode, *, announces: bool = True) -> Publication:
    if announces:
        announce(PullRequestComments(connect(), 7), MARK, "Evaluating", one.state)
    return publish(PullRequestComments(connect(), 7), replace(one, mode=mode))


def shown(server: GitHubServer) -> list[tuple[str, str | None]]:
    """Text of every comment, and why it is hidden."""
    return [(text, one.hidden) for (_, text), one in zip(written(server), server.comments(REPO, 7), strict=True)]


@EVERY_MODE
def test_the_first_report_goes_over_the_run_s_own_announcement(
    server: GitHubServer, connect: Connect, sticky: Sticky, mode: Mode
) -> None:
    done = run(connect, sticky, mode)
    assert shown(server) == [(NEW, None)]
    assert done.url.endswith(f"-{server.comments(REPO, 7)[0].id}")
    assert len(server.requests("POST", "/issues/7/comments$")) == 1


@EVERY_MODE
@pytest.mark.parametrize("announces", [True, False])
def test_an_announcement_that_a_cancelled_run_left_is_gone(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky, mode: Mode, announces: bool
) -> None:
    announce(PullRequestComments(connect(), 7), MARK, "Evaluating", sticky.state)
    # GitHub may take the blanks off the end of a text.
    server.comments(REPO, 7)[0].body = server.comments(REPO, 7)[0].body.rstrip()
    run(connect, saying(REPORT, pr.push({"README.md": "x"}), 31), mode, announces=announces)
    assert shown(server) == [(NEW, None)]
    assert len(server.requests("POST", "/issues/7/comments$")) == 1


@pytest.mark.parametrize(
    ("mode", "left"),
    [
        ("update", [("second", None)]),
        ("recreate", [("second", None)]),
        ("hide", [("first", "OUTDATED"), ("second", None)]),
    ],
)
def test_an_announcement_on_top_of_an_older_report_leaves_the_report_as_it_was(
    server: GitHubServer, connect: Connect, pr: PullRequest, mode: Mode, left: list[tuple[str, str | None]]
) -> None:
    run(connect, saying("first", pr.head_sha, 30), mode)
    cancelled = saying("", pr.push({"README.md": "x"}), 31)
    announce(PullRequestComments(connect(), 7), MARK, "Evaluating", cancelled.state)
    run(connect, saying("second", pr.push({"README.md": "y"}), 32), mode)
    assert [(text.partition("\n")[2], hidden) for text, hidden in shown(server)] == left


@EVERY_MODE
def test_an_announcement_on_top_of_the_same_report_is_taken_off(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky, mode: Mode
) -> None:
    first = run(connect, sticky, mode)
    assert run(connect, saying(REPORT, pr.head_sha, 31), mode) == first
    assert shown(server) == [(NEW, None)]
