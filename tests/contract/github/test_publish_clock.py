"""A runner whose clock is ahead of GitHub's: its comment is believed, written once, and the clock is told of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gate.domain.comment_state import CommentState, state_in
from gate.flows.publish import Mode, Sticky, announce, publish
from gate.github.comments import PullRequestComments
from tests.contract.github.conftest import Connect
from tests.contract.github.talking import MARK, REPO, saying, written
from tests.support.github_server import GitHubServer
from tests.support.github_state import BOT
from tests.support.pull_request import PullRequest

EVERY_MODE = pytest.mark.parametrize("mode", ["update", "recreate", "hide"])
STARTED = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
"""When `talking.saying` says by default that its run started."""


def kept(server: GitHubServer, talk: PullRequestComments) -> CommentState:
    last = server.comments(REPO, 7)[-1]
    state = state_in(last.body, talk.seal, last.updated_at)
    assert state is not None
    return state


@EVERY_MODE
@pytest.mark.parametrize("secret", [b"", b"known to runs"])
@pytest.mark.parametrize("announces", [True, False])
def test_runs_whose_clock_is_ahead_write_one_comment_each_and_tell_once(
    server: GitHubServer, connect: Connect, pr: PullRequest, mode: Mode, secret: bytes, announces: bool
) -> None:
    heads: list[str] = []
    for minute in (30, 31):
        heads.append(pr.push({"README.md": f"{minute}"}))
        one = saying(f"at {minute}", heads[-1], minute)
        spent = one.state.model_copy(update={"spent": {"2026-11": 1.0}})
        server.state.now = STARTED + timedelta(minutes=minute - 30 - 40)
        posts = len(server.requests("POST", "/issues/7/comments$"))
        if announces:
            announce(PullRequestComments(connect(), 7, secret=secret), MARK, "Evaluating", one.state)
        talk = PullRequestComments(connect(), 7, secret=secret)
        done = publish(talk, replace(one, state=spent, mode=mode))
        assert done.note.startswith("the runner's clock is at least ")
        assert done.note.endswith(" minutes ahead of GitHub's, so the comment goes by GitHub's")
        assert done.counted
        assert done.url.endswith(f"-{server.comments(REPO, 7)[-1].id}")
        assert len(server.requests("POST", "/issues/7/comments$")) <= posts + 1
    left = [(BOT, f"{MARK}\nat 31")]
    assert [pair for pair in written(server) if pair[1].startswith(MARK)] == left
    assert len(written(server)) == (2 if mode == "hide" else 1)
    state = kept(server, talk)
    assert ([one.commit for one in state.earlier], state.spent) == (heads[:1], {"2026-11": 2.0})
    assert datetime.fromisoformat(state.started) < STARTED - timedelta(minutes=20)


@pytest.mark.parametrize(("ahead", "told"), [(9, False), (12, True)])
def test_some_minutes_are_nothing_to_tell(
    server: GitHubServer, connect: Connect, sticky: Sticky, ahead: int, told: bool
) -> None:
    server.state.now = STARTED - timedelta(minutes=ahead)
    talk = PullRequestComments(connect(), 7)
    done = publish(talk, sticky)
    assert bool(done.note) is told
    assert (kept(server, talk) == sticky.state) is not told


def test_a_later_run_with_the_right_time_takes_the_comment_over(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky
) -> None:
    server.state.now = STARTED - timedelta(minutes=25)
    assert publish(PullRequestComments(connect(), 7, secret=b"known to runs"), sticky).note
    server.state.now = STARTED
    later = saying("later", pr.head_sha, 20)
    done = publish(PullRequestComments(connect(), 7, secret=b"known to runs"), later)
    assert (done.note, written(server)) == ("", [(BOT, f"{MARK}\nlater")])
