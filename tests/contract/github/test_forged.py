"""What another workflow's bot, which has the gate's name, was made to post: it never outlives a run of the gate."""

import pytest

from gate.domain.comment_state import hidden_line, state_in
from gate.domain.verdict import Verdict
from gate.flows.publish import announce, publish
from gate.github.comments import PullRequestComments
from tests.contract.github.conftest import Connect
from tests.contract.github.talking import MARK, NEW, REPO, REPORT, saying, written
from tests.support.github_server import GitHubServer
from tests.support.github_state import BOT
from tests.support.pull_request import PullRequest

SECRETS = pytest.mark.parametrize("secret", [b"", b"known to runs"])


def forged(head: str, **update: object) -> str:
    """A comment with which no run that believes it would meddle."""
    started = {"started": "9999-12-31T23:59:59Z", "verdict": Verdict.SHIP}
    state = saying("", head).state.model_copy(update=started | update)
    return f"{MARK}\n{hidden_line(state)}\n### Prompt Gate: SHIP: all is well\n"


@SECRETS
@pytest.mark.parametrize("forged_first", [True, False])
def test_the_genuine_comment_is_the_one_that_stays(
    server: GitHubServer, connect: Connect, pr: PullRequest, secret: bytes, forged_first: bool
) -> None:
    if forged_first:
        pr.comment(forged(pr.head_sha), by=BOT)
    assert publish(PullRequestComments(connect(), 7, secret=secret), saying("first", pr.head_sha, 29)).url
    assert written(server) == [(BOT, f"{MARK}\nfirst")]
    pr.comment(forged(pr.head_sha), by=BOT)
    done = publish(PullRequestComments(connect(), 7, secret=secret), saying(REPORT, pr.head_sha))
    assert (done.note, done.counted) == ("", True)
    assert written(server) == [(BOT, NEW)]


def test_with_a_secret_no_word_of_a_forged_comment_is_kept(
    server: GitHubServer, connect: Connect, pr: PullRequest
) -> None:
    lies = {"spent": {"2026-11": 1e9}, "shares": {"30.1": {}}, "started": "2026-11-21T12:00:00Z"}
    pr.comment(forged(pr.head_sha, **lies), by=BOT)
    one = saying(REPORT, pr.head_sha)
    paid = one.state.model_copy(update={"spent": {"2026-11": 0.5}})
    talk = PullRequestComments(connect(), 7, secret=b"known to runs")
    announce(talk, MARK, "Evaluating", paid)
    assert "SHIP" not in server.comments(REPO, 7)[0].body
    publish(talk, type(one)(MARK, one.render, paid))
    state = state_in(server.comments(REPO, 7)[0].body, talk.seal)
    assert state is not None
    assert (state.spent, state.earlier) == ({"2026-11": 0.5}, [])


def test_an_announcement_keeps_the_seal(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    sealed = PullRequestComments(connect(), 7, secret=b"known to runs")
    publish(sealed, saying(REPORT, pr.head_sha))
    # Of a run without the secret, too, as GitHub starts one for Dependabot.
    announce(PullRequestComments(connect(), 7), MARK, "Evaluating", saying("", pr.head_sha, 31).state)
    body = server.comments(REPO, 7)[0].body
    assert "Evaluating" in body
    assert state_in(body, sealed.seal) == saying(REPORT, pr.head_sha).state


@pytest.mark.parametrize("secrets", [(b"", b"k"), (b"k", b""), (b"k", b"l")])
def test_runs_that_do_not_know_each_other_leave_one_comment(
    server: GitHubServer, connect: Connect, pr: PullRequest, secrets: tuple[bytes, bytes]
) -> None:
    for minute in (30, 31, 32, 33):
        secret = secrets[minute % 2]
        done = publish(PullRequestComments(connect(), 7, secret=secret), saying(f"at {minute}", pr.head_sha, minute))
        assert (done.note, done.counted) == ("", True)
        assert written(server) == [(BOT, f"{MARK}\nat {minute}")]
