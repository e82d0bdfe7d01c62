"""The gate's comment on a pull request: one for each gate, found by its marker and its author, and kept up to date."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.environment.action import CommentPlace
from gate.errors import CannotEvaluate, GateError
from gate.github.client import ApiError, GitHub, Patience
from gate.github.events import SHA, PostedComment, PullRequest
from gate.github.pulls import PullRequestApi, PullRequests
from gate.github.source import GitHubStore
from gate.report.markdown import report
from gate.store.run_folder import load_run

LIMIT = 65_536
"""UTF-16 units of a comment. GitHub documents characters; it also accepts 262,144 bytes of UTF-8, four for each."""
LONGEST_KEY = 100

_MARKER = re.compile(r"<!-- prompt-gate: (\S+) ([0-9a-f]{40}(?:[0-9a-f]{24})?) -->")


@dataclass(frozen=True, slots=True)
class StickyComment:
    """A comment to publish.

    Args:
        key: any text; distinguishes the comments of several gates of one repository.
        render: gives the Markdown below the marker, in at most so many characters.
        only_update: change an existing comment, but create none.
    """

    key: str
    commit: str
    render: Callable[[int], str]
    only_update: bool = False

    @property
    def marker(self) -> str:
        """The hidden first line, by which a gate finds its comment."""
        return f"<!-- prompt-gate: {plain_key(self.key)} {self.commit} -->"

    def text(self) -> str:
        """The whole comment."""
        room = LIMIT - len(self.marker) - 1
        body = self.render(room)
        # An emoji counts twice.
        excess = len(body.encode("utf-16-le", "surrogatepass")) // 2 - room
        return f"{self.marker}\n{self.render(room - excess) if excess > 0 else body}"


@dataclass(frozen=True, slots=True)
class Publication:
    """The result of publishing a comment.

    Args:
        url: empty where there is no comment of this run.
        notes: what did not work, a sentence each.
        refused: the token may not write a comment.
    """

    url: str = ""
    notes: tuple[str, ...] = ()
    refused: bool = False


def plain_key(key: str) -> str:
    """A key that is safe in a marker, where two hyphens would end the HTML comment."""
    plain = re.sub(r"[^A-Za-z0-9._/]+", "-", key).strip("-")[:LONGEST_KEY]
    if plain != key:
        plain += "-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return plain


def publish_comment(comments: PullRequestApi, sticky: StickyComment) -> Publication:
    """Update the comment, and delete its duplicates. What prevents that is a note, never an exception.

    Each attempt begins from the start: a posted comment whose response was lost is found, not duplicated.
    """
    try:
        return comments.github.persist(lambda: _published(comments, sticky))
    except ApiError as error:
        return Publication(notes=(error.in_full,), refused=error.forbidden)


def _published(comments: PullRequestApi, sticky: StickyComment) -> Publication:
    marked = _marked(comments, sticky.key)
    author = comments.writer([one.author for one in marked]) if marked else None
    own = [one for one in marked if author and one.author.casefold() == author.casefold()]
    notes: list[str] = []
    # Read after the comments: a comment on a newer head was written when that was the head.
    try:
        head = comments.head()
    except CannotEvaluate as error:
        head = sticky.commit
        notes.append(f"{error.in_full}; the comment is about {head[:12]}, which may not be the newest commit")
    if head != sticky.commit:
        note = f"this run of {sticky.commit[:12]} does not write the comment, because {head[:12]} is newer"
        return Publication(notes=(note,))
    if own and _is_updated(comments, _best(own, head), sticky.text()):
        kept = _best(own, head)
    elif sticky.only_update and (author or not marked):
        return Publication()
    else:
        made = comments.create(sticky.text())
        own = _by_author(comments, sticky.key, made.author)
        if author == "" and any(one.id < made.id for one in own):
            # Only now it is known whose comments are this gate's.
            kept = min(own, key=lambda one: one.id)
            comments.update(kept, sticky.text())
        elif sticky.only_update:
            return Publication(notes=(*notes, *_deleted(comments, made)))
        else:
            # Another run may have posted one at the same time.
            kept = _best(own, head) if own else made
    for double in own:
        if double.id != kept.id:
            notes += _deleted(comments, double)
    return Publication(kept.url, tuple(notes))


def _is_updated(comments: PullRequestApi, comment: PostedComment, text: str) -> bool:
    """Update a comment; False where it was deleted in between."""
    try:
        comments.update(comment, text)
    except ApiError as error:
        if error.status != 404:
            raise
        return False
    return True


def _by_author(comments: PullRequestApi, key: str, author: str) -> list[PostedComment]:
    """This gate's comments by an author; none where they cannot be read."""
    try:
        return [one for one in _marked(comments, key) if one.author.casefold() == author.casefold()]
    except CannotEvaluate:
        return []


def _marked(comments: PullRequestApi, key: str) -> list[PostedComment]:
    """The comments that begin with the marker of this gate, oldest first; anyone can write that."""
    return [one for one in comments.comments() if (found := _marker_of(one)) and found[1] == plain_key(key)]


def _best(own: list[PostedComment], head: str) -> PostedComment:
    """The comment to keep: about the head if there is one, and of these the newest."""
    return max(own, key=lambda one: ((found := _marker_of(one)) is not None and found[2] == head, one.id))


def _marker_of(comment: PostedComment) -> re.Match[str] | None:
    return _MARKER.fullmatch(comment.body.partition("\n")[0].strip())


def _deleted(comments: PullRequestApi, double: PostedComment) -> list[str]:
    """Delete a duplicate; returns what prevents that."""
    try:
        comments.delete(double)
    except ApiError as error:
        # Another run may have deleted it already.
        return [] if error.status == 404 else [error.in_full]
    return []


def comment_on(path: Path, place: CommentPlace, key: str, wait: Callable[[float], None]) -> tuple[str, str]:
    """Update a pull request's comment from a finished run, without the override label, which only the action knows.

    Args:
        key: distinguishes the comments of several gates of one repository.
        wait: sleeps for seconds, and may say so.

    Returns:
        The address of the comment, and what did not work. Both are empty where the change touches nothing and there is
        no outdated comment.

    Raises:
        GateError: it is not a run, or the run has no commit.
        CannotEvaluate: the comment could not be written, or is left to a newer commit.
    """
    run = load_run(path)
    if run.commit is None or not SHA.fullmatch(run.commit):
        hint = "make the run with: gate diff --base REF --head REF"
        raise GateError(f"{path} has no commit, so it belongs to no pull request", hint)
    github = GitHub(place.token, place.api_url, place.repository, Patience(wait=wait))
    pull = PullRequests(github).get(place.number)
    judged = _judged(run.commit, pull, github)
    context = report.CommentContext(judged, pull.base_ref, place.run_url, skip_label="", pull=False)
    sticky = StickyComment(
        key,
        judged,
        lambda limit: report.render_comment(run, context, limit=limit),
        only_update=run.quiet,
    )
    done = publish_comment(PullRequestApi(github, place.number), sticky)
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
