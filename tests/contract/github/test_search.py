"""What a month has cost is read from the gate's own comments, and from nobody else's."""

from datetime import UTC, datetime

import pytest

from gate.domain.comment_seal import NO_SEAL, Seal
from gate.domain.comment_state import CommentState, hidden_line
from gate.domain.verdict import Verdict
from gate.flows.commenttext import marker
from gate.github.client import ApiError
from gate.github.search import spent_in
from tests.contract.github.conftest import PROMPT, Connect
from tests.contract.github.talking import REPO
from tests.support.github_server import GitHubServer
from tests.support.github_state import BOT
from tests.support.pull_request import PullRequest, PullRequestWorld


def costing(line: str = marker("gate.yaml"), seal: Seal = NO_SEAL, **months: float) -> str:
    spent = {f"2026-{name.removeprefix('m')}": dollars for name, dollars in months.items()}
    state = CommentState(commit="a" * 40, started="2026-11-01T12:00:00Z", verdict=Verdict.PASS, spent=spent)
    return f"{line}\n{hidden_line(state, line, seal)}\nreport"


def test_all_gates_of_all_pull_requests_count(
    server: GitHubServer, world: PullRequestWorld, connect: Connect, pr: PullRequest
) -> None:
    server.state.now = datetime(2026, 10, 31, tzinfo=UTC)
    pr.comment(costing(m11=50.0), by=BOT)
    server.state.now = datetime(2026, 11, 3, tzinfo=UTC)
    pr.comment(costing(m10=7.0, m11=1.5), by=BOT)
    pr.comment(costing(marker("b.yaml"), m11=0.25), by=BOT)
    pr.comment(costing(m11=99.0), by="mallory")
    pr.comment("> " + costing(m11=99.0), by=BOT)
    pr.comment(f"{marker('gate.yaml')}\n<!-- prompt-gate-state: e30= -->", by=BOT)
    for number in range(250):
        pr.comment(f"remark {number}")
    world.open({PROMPT: "Be rude.\n"}).comment(costing(m11=2.0), by=BOT)
    # The first was written in another month and not touched since, whatever it says of this one.
    assert spent_in(connect(), "2026-11") == {7: 1.75, 8: 2.0}
    assert spent_in(connect(), "2026-12") == {}


def test_only_what_is_sealed_for_its_own_pull_request_counts(
    server: GitHubServer, world: PullRequestWorld, connect: Connect, pr: PullRequest
) -> None:
    other, mark = world.open({PROMPT: "Be rude.\n"}), marker("gate.yaml")
    genuine = costing(seal=Seal(b"k", REPO, 7), m11=3.0)
    pr.comment(genuine, by=BOT)
    for body in (
        costing(m11=1e9),
        costing(seal=Seal(b"guessed", REPO, 8), m11=1e9),
        genuine,
        genuine.replace(mark, marker("b.yaml")),
        genuine.replace("=", "A", 1),
    ):
        other.comment(body, by=BOT)
    # Of the pull request itself a copy can be posted, but it adds nothing.
    pr.comment(genuine, by=BOT)
    assert spent_in(connect(), "2026-11", b"k") == {7: 3.0}
    assert spent_in(connect(), "2026-11", b"another") == {}
    assert spent_in(connect(), "2026-11")[8] >= 1e9


def test_an_error_is_an_error(server: GitHubServer, connect: Connect, pr: PullRequest) -> None:
    server.fail("GET", "/issues/comments$", 403, times=9)
    with pytest.raises(ApiError, match="cannot read the comments of the repository"):
        spent_in(connect(), "2026-11")


@pytest.mark.parametrize("month", ["", "2026", "2026-13", "2026-1", "november"])
def test_what_is_no_month(connect: Connect, month: str) -> None:
    with pytest.raises(ValueError, match="is not a month"):
        spent_in(connect(), month)
