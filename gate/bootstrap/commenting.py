"""Publishes a finished run as the sticky comment of a pull request."""

from pathlib import Path

from gate.domain.pull_request import PullRequest
from gate.domain.verdict import Verdict
from gate.errors import CannotEvaluate, GateError
from gate.flows.sticky_comment import StickyComment, publish
from gate.github.client import GitHub
from gate.github.comments import PullRequestComments
from gate.github.pulls import PullRequests
from gate.github.source import GitHubStore
from gate.inputs.event import SHA
from gate.report.markdown import comment
from gate.settings.commenting import CommentPlace
from gate.store.load import load_run


def comment_on(path: Path, place: CommentPlace, key: str) -> tuple[str, str]:
    """Bring the comment of a pull request up to date with a finished run.

    The label that sets the gate aside is the action's: who publishes by hand says nothing of it.

    Args:
        path: a `run.json`, or the folder that holds one.
        place: the pull request.
        key: tells the comments of several gates of one repository apart.

    Returns:
        The address of the comment, and what did not go as it was meant to. Both are empty where nothing was touched
        and there is no comment that would go on saying what was.

    Raises:
        GateError: it is no run, or one that is of no commit.
        CannotEvaluate: the comment could not be written, or is left to a newer commit.
    """
    run = load_run(path)
    if run.commit is None or not SHA.fullmatch(run.commit):
        raise GateError(f"{path} is about no commit, and so about no pull request", "gate diff --base REF --head REF")
    github = GitHub(place.token, place.api_url, place.repository)
    pull = PullRequests(github).get(place.number)
    judged = _judged(run.commit, pull, github)
    context = comment.Context(judged, pull.base_ref, place.run_url, skip_label="", pull=False)
    sticky = StickyComment(
        key,
        judged,
        lambda limit: comment.render(run, context, limit=limit),
        only_update=run.verdict is Verdict.SKIPPED and not run.notes,
    )
    done = publish(PullRequestComments(github, place.number), sticky)
    note = "; ".join(done.notes)
    if note and not done.url:
        raise CannotEvaluate(f"there is no comment: {note}")
    return done.url, note


def _judged(commit: str, pull: PullRequest, github: GitHub) -> str:
    """The head that was judged: workflows check out a test merge of it."""
    if commit in (pull.head_sha, pull.merge_sha):
        return pull.head_sha
    # The merge target may have moved on since, so that GitHub made another merge of the same head.
    parents = GitHubStore(github).parents(commit)
    return parents[1] if len(parents) == 2 and parents[1] == pull.head_sha else commit
