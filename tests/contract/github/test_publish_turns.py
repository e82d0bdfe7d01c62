"""Several runs, one after the other or at once; ways to write; and everything that GitHub may answer to it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from gate.domain.comment_state import CommentState, Told, state_in
from gate.domain.pull_request import Claim
from gate.domain.verdict import Verdict
from gate.flows.publish import Mode, Publication, Sticky, announce, publish, standing_state
from gate.github.comments import PullRequestComments
from tests.contract.github.conftest import Connect
from tests.contract.github.talking import MARK, NEW, OLD, REPO, REPORT, saying, written
from tests.support.github_server import GitHubServer
from tests.support.github_state import APP_TOKEN, BOT
from tests.support.pull_request import PullRequest


def spending(one: Sticky, **spent: float) -> Sticky:
    months = {f"2026-{name.removeprefix('m')}": dollars for name, dollars in spent.items()}
    return replace(one, state=one.state.model_copy(update={"spent": months}))


def kept(server: GitHubServer) -> CommentState:
    state = state_in(server.comments(REPO, 7)[0].body)
    assert state is not None
    return state


def test_a_run_that_started_earlier_leaves_the_comment_but_counts_its_spending(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky
) -> None:
    publish(PullRequestComments(connect(), 7), spending(sticky, m11=2.0))
    earlier = spending(saying("earlier", pr.head_sha, 29), m10=1.0, m11=0.5)
    done = publish(PullRequestComments(connect(), 7), earlier)
    left = "the comment is left to a run that started later, at 2026-11-21 12:30:00 UTC"
    assert done == Publication(note=left, counted=True)
    publish(PullRequestComments(connect(), 7), earlier)
    assert written(server) == [(BOT, NEW)]
    assert kept(server).spent == {"2026-10": 1.0, "2026-11": 2.5}


def test_a_run_of_an_older_commit_counts_its_spending_too(
    server: GitHubServer, talk: PullRequestComments, pr: PullRequest, sticky: Sticky
) -> None:
    publish(talk, sticky)
    assert publish(talk, spending(saying("older", "b" * 40, 29), m11=0.5)).url == ""
    assert (kept(server).commit, kept(server).spent) == (pr.head_sha, {"2026-11": 0.5})


def test_what_a_run_of_an_older_commit_spent_is_kept_where_nobody_has_written(
    server: GitHubServer, connect: Connect, pr: PullRequest
) -> None:
    old = spending(saying("old\n", pr.head_sha, minute=10), m11=0.5)
    pr.push({"README.md": "x\n"})
    done = publish(PullRequestComments(connect(), 7), old)
    assert (done.counted, done.note.startswith("the comment is left to the newer commit")) == (True, True)
    assert written(server) == [(BOT, f"{MARK}\nold\n")]
    publish(PullRequestComments(connect(), 7), saying("new\n", pr.head_sha, minute=5))
    assert written(server) == [(BOT, f"{MARK}\nnew\n")]
    assert kept(server).spent == {"2026-11": 0.5}


def test_a_clock_that_is_ahead_does_not_keep_an_older_commit_on_top(
    server: GitHubServer, connect: Connect, pr: PullRequest
) -> None:
    first = saying("old\n", pr.head_sha, minute=50)
    assert publish(PullRequestComments(connect(), 7), first).url
    pr.push({"README.md": "x\n"})
    done = publish(PullRequestComments(connect(), 7), saying("new\n", pr.head_sha, minute=10))
    assert (done.note, written(server)) == ("", [(BOT, f"{MARK}\nnew\n")])


def test_earlier_verdicts_are_handed_to_the_report(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    seen: list[list[str]] = []

    def render(earlier: tuple[Told, ...], _: int) -> str:
        seen.append([f"{one.verdict.value} {one.commit[:4]}" for one in earlier])
        return REPORT

    def run(minute: int, verdict: Verdict) -> None:
        state = CommentState(
            commit=pr.head_sha, started=f"2026-11-21T12:0{minute}:00Z", run=f"{minute}", verdict=verdict
        )
        publish(PullRequestComments(connect(), 7), Sticky(MARK, render, state))

    first = pr.head_sha[:4]
    for minute, verdict in ((1, Verdict.BLOCK), (2, Verdict.BLOCK), (3, Verdict.HOLD)):
        run(minute, verdict)
    pr.push({"README.md": "x"})
    run(9, Verdict.PASS)
    assert seen == [[], [], [f"BLOCK {first}"], [f"BLOCK {first}", f"HOLD {first}"]]


@pytest.mark.parametrize("mode", ["recreate", "hide"])
def test_a_new_comment_stands_at_the_end(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky, mode: Mode
) -> None:
    def run(one: Sticky) -> Publication:
        return publish(PullRequestComments(connect(), 7), replace(one, mode=mode))

    run(sticky)
    pr.comment("a remark")
    run(saying("again", pr.head_sha, 31))
    assert written(server) == [(BOT, f"{MARK}\nagain"), ("olivia", "a remark")]
    pr.push({"README.md": "x"})
    done = run(saying("third", pr.head_sha, 32))
    assert written(server)[-1] == (BOT, f"{MARK}\nthird")
    assert done.url.endswith(f"-{server.comments(REPO, 7)[-1].id}")
    old = [one for one in server.comments(REPO, 7)[:-1] if one.login == BOT]
    assert [one.hidden for one in old] == ([] if mode == "recreate" else ["OUTDATED"])
    run(saying("fourth", pr.push({"a.md": "y"}), 33))
    shown = [body for (_, body), one in zip(written(server), server.comments(REPO, 7), strict=True) if not one.hidden]
    assert shown == ["a remark", f"{MARK}\nfourth"]


@pytest.mark.parametrize("status", [0, 401, 403, 502])
def test_where_hiding_is_refused_the_comment_is_updated(
    server: GitHubServer, connect: Connect, pr: PullRequest, sticky: Sticky, status: int
) -> None:
    publish(PullRequestComments(connect(), 7), sticky)
    pr.push({"README.md": "x"})
    talk = PullRequestComments(connect(), 7)
    talk.author()
    server.fail("POST", "/graphql$", status, times=9)
    done = publish(talk, replace(saying("second", pr.head_sha, 31), mode="hide"))
    assert "instead of hidden" in done.note
    assert done.url
    assert written(server) == [(BOT, f"{MARK}\nsecond")]


@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize("status", [0, 502])
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/reactions$"), ("PATCH", "/comments/"), ("DELETE", "/reactions/"), ("GET", "/comments/")],
)
def test_one_fault_on_the_way_to_an_update_leaves_one_comment(
    server: GitHubServer, talk: PullRequestComments, pr: PullRequest, method: str, path: str, status: int, after: bool
) -> None:
    pr.comment(OLD, by=BOT)
    server.fail(method, path, status, after=after)
    assert publish(talk, saying(REPORT, pr.head_sha)).note == ""
    assert written(server) == [(BOT, NEW)]
    assert not any(one.reactions for one in server.comments(REPO, 7))


def test_a_claim_that_a_killed_run_left_goes_stale(
    server: GitHubServer, connect: Connect, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    pr.comment(OLD, by=BOT)
    assert PullRequestComments(connect(), 7).claim(talk.comments()[0]) is Claim.HELD
    assert talk.claim(talk.comments()[0]) is Claim.TAKEN
    server.state.now += timedelta(minutes=4)
    publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]
    assert server.requests("POST", "/issues/7/comments$") == []


def test_a_comment_that_another_run_holds_is_replaced(
    server: GitHubServer, connect: Connect, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    pr.comment(OLD, by=BOT)
    PullRequestComments(connect(), 7).claim(talk.comments()[0])
    waits: list[float] = []
    assert publish(talk, sticky, pause=waits.append).url.endswith(f"-{server.comments(REPO, 7)[1].id}")
    assert waits == [1.0, 1.0, 1.0]
    # The other run was killed, so that its comment stands beside until the claim is stale.
    assert len(written(server)) == 2
    server.state.now += timedelta(minutes=4)
    publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]


def test_a_comment_that_another_run_holds_for_a_moment_is_waited_for(
    server: GitHubServer, connect: Connect, pr: PullRequest, talk: PullRequestComments, sticky: Sticky
) -> None:
    pr.comment(OLD, by=BOT)
    other = PullRequestComments(connect(), 7)
    other.claim(talk.comments()[0])
    done = publish(talk, sticky, pause=lambda _: other.release(talk.comments()[0]))
    # No run that ended before has told people the address of a comment that is gone.
    assert done.url.endswith(f"-{server.comments(REPO, 7)[0].id}")
    assert written(server) == [(BOT, NEW)]
    assert server.requests("POST", "/issues/7/comments$") == []


def test_a_token_that_may_not_react_updates_all_the_same(
    server: GitHubServer, talk: PullRequestComments, pr: PullRequest, sticky: Sticky
) -> None:
    pr.comment(OLD, by=BOT)
    server.fail("POST", "/reactions$", 403, times=9)
    assert publish(talk, sticky).url
    assert written(server) == [(BOT, NEW)]


@pytest.mark.parametrize("graphql", [True, False])
def test_the_token_of_an_app_finds_its_own_comment(
    server: GitHubServer, connect: Connect, pr: PullRequest, graphql: bool
) -> None:
    pr.comment(OLD, by="mallory")
    for minute, text in ((1, "first"), (2, "second")):
        if not graphql:
            server.fail("POST", "/graphql$", 404)
        publish(PullRequestComments(connect(APP_TOKEN), 7), saying(text, pr.head_sha, minute))
    assert written(server) == [("mallory", OLD), ("acme-gate[bot]", f"{MARK}\nsecond")]


@pytest.mark.parametrize(
    ("status", "headers"),
    [(403, {}), (404, {}), (409, {}), (410, {}), (422, {}), (429, {}), (429, {"Retry-After": "3600"}), (500, {})],
)
@pytest.mark.parametrize("with_comment", [True, False])
def test_a_conversation_that_takes_nothing_is_a_note(
    server: GitHubServer, connect: Connect, pr: PullRequest, status: int, headers: dict[str, str], with_comment: bool
) -> None:
    if with_comment:
        pr.comment(OLD, by=BOT)
    before = written(server)
    for method in ("POST", "PATCH", "DELETE"):
        server.fail(method, "/repos/", status, times=99, headers=headers)
    talk = PullRequestComments(connect(), 7, deadline_s=2)
    done = publish(talk, saying(REPORT, pr.head_sha), pause=lambda _: None)
    assert done.url == ""
    assert done.note
    assert written(server) == before


@pytest.mark.parametrize("status", [403, 429])
def test_a_post_waits_as_long_as_github_asks(
    server: GitHubServer, connect: Connect, sticky: Sticky, status: int
) -> None:
    waits: list[float] = []
    server.fail("POST", "/issues/7/comments$", status, headers={"Retry-After": "7"})
    assert publish(PullRequestComments(connect(), 7, pause=waits.append), sticky).url
    assert waits == [7]
    assert written(server) == [(BOT, NEW)]


def test_there_is_an_end_to_publishing(server: GitHubServer, connect: Connect, sticky: Sticky) -> None:
    note = publish(PullRequestComments(connect(), 7, deadline_s=0), sticky).note
    assert "0 s are over" in note
    assert server.ledger == []


def test_an_announcement_stands_above_the_report_until_the_next_one(
    server: GitHubServer, talk: PullRequestComments, pr: PullRequest, sticky: Sticky
) -> None:
    announce(talk, MARK, "Evaluating", sticky.state)
    assert written(server) == [(BOT, f"{MARK}\n<!-- prompt-gate-progress -->\nEvaluating\n\n")]
    publish(talk, sticky)
    assert written(server) == [(BOT, NEW)]
    later = saying("later", pr.head_sha, 31)
    for word in ("Evaluating", "Evaluating again"):
        announce(talk, MARK, word, later.state)
        assert written(server) == [(BOT, f"{MARK}\n<!-- prompt-gate-progress -->\n{word}\n\n{REPORT}")]
    assert standing_state(talk, MARK) == sticky.state
    publish(talk, later)
    announce(talk, MARK, "Evaluating", sticky.state)
    assert written(server) == [(BOT, f"{MARK}\nlater")]
