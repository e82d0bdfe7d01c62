"""What the tests of the comment say, and what then stands on the pull request."""

import re

from gate.domain.comment_state import CommentState
from gate.domain.verdict import Verdict
from gate.flows.commenttext import marker
from gate.flows.publish import Sticky
from tests.support.github_server import GitHubServer

REPO = "acme/support-bot"
MARK = marker("gate.yaml")
OLD, NEW = f"{MARK}\nold", f"{MARK}\n## Report\n"
REPORT = "## Report\n"


def saying(text: str, commit: str, minute: int = 30, line: str = MARK) -> Sticky:
    """What a run publishes that started at a minute of the hour."""
    state = CommentState(
        commit=commit, started=f"2026-11-21T12:{minute:02}:00Z", run=f"{minute}.1", verdict=Verdict.PASS
    )
    return Sticky(line, lambda *_: text, state)


def written(server: GitHubServer) -> list[tuple[str, str]]:
    """Author and text of every comment, without the hidden states."""
    return [(one.login, _STATE.sub("", one.body)) for one in server.comments(REPO, 7)]


_STATE = re.compile(r"<!-- prompt-gate-state: [^ ]* -->\n")
