"""The two sides of what an event is about: from the checkout where it has the commits, else from GitHub."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from gate.domain.pull_request import PullRequest
from gate.errors import CannotEvaluate, GateError
from gate.flows.pairing import Sides
from gate.git.commits import Commits
from gate.git.either import EitherSource
from gate.git.repo import Repo, UntrustedOwner
from gate.git.sources import RefSource
from gate.github.client import ApiError, GitHub
from gate.github.source import GitHubSource, GitHubStore
from gate.inputs.event import SHA
from gate.inputs.problems import quoted
from gate.inputs.source import FileSource

CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2, or give the token contents: read"


@dataclass(frozen=True, slots=True)
class Merge:
    """A pull request as it would be merged.

    Args:
        pull: which.
        sha: the commit that GitHub made of head and base; None where it made none.
    """

    pull: PullRequest
    sha: str | None


@dataclass(frozen=True, slots=True)
class Span:
    """Two commits.

    Args:
        base, head: each as a reader knows it, and its commit.
    """

    base: tuple[str, str]
    head: tuple[str, str]


Wanted: TypeAlias = Merge | Span


@dataclass(frozen=True, slots=True)
class Found:
    """The sides, and what the reader should know about how they were found."""

    sides: Sides
    notes: tuple[str, ...] = ()


class EventFiles:
    """Finds the sides.

    Args:
        workspace: a checkout of the merge commit or of the head, shallow or whole; or anything else, then GitHub is
            asked for everything. Only commits are read, never the files that lie there.
        github: the repository on GitHub.
    """

    def __init__(self, workspace: Path, github: GitHub) -> None:
        self._repo = _open(workspace)
        self._commits = Commits(self._repo.git) if self._repo else None
        self._store = GitHubStore(github)

    def sides(self, wanted: Wanted) -> Found:
        """Both sides.

        Raises:
            CannotEvaluate: one of them cannot be had.
        """
        if isinstance(wanted, Merge):
            return self._merge(wanted.pull, wanted.sha)
        return Found(Sides(self._source(*wanted.base), self._source(*wanted.head)))

    def commit(self, ref: str) -> str:
        """The commit of a branch, a tag, or a commit id, here or else on GitHub.

        Raises:
            GateError: there is none.
        """
        if SHA.fullmatch(ref):
            return ref
        plain = ref.removeprefix("refs/heads/").removeprefix("refs/tags/").removeprefix("origin/")
        if self._commits:
            for place in ("refs/remotes/origin/", "refs/tags/"):
                if found := self._commits.commit(place + plain):
                    return found
        try:
            return self._store.commit(plain)
        except ApiError as error:
            if error.status in (404, 422):
                raise GateError(f"there is no branch, tag or commit {quoted(ref)}", "name one that is there") from None
            raise

    def tip(self, branch: str) -> str:
        """Where a branch is on GitHub now.

        Raises:
            ApiError: GitHub does not say.
        """
        return self._store.commit(f"heads/{branch}")

    def parents(self, sha: str) -> tuple[str, ...]:
        """The parents of a commit; empty where nobody can name them."""
        return self._parents(sha)[0]

    def _merge(self, pull: PullRequest, merge_sha: str | None) -> Found:
        parents, trouble = self._parents(merge_sha) if merge_sha else ((), "GitHub made no merge commit of it")
        # The event's own base may be stale; the merge commit knows what the change was merged into.
        if merge_sha and len(parents) == 2 and parents[1] == pull.head_sha:
            base = self._source(f"origin/{pull.base_ref}", parents[0])
            return Found(Sides(base, self._source(pull.merge_ref, merge_sha)))
        return self._merged_here(pull, trouble)

    def _parents(self, sha: str) -> tuple[tuple[str, ...], str]:
        """The parents of a commit, and why GitHub could not name them."""
        local = self._commits.parents(sha) if self._commits else ()
        if local:
            return local, ""
        try:
            return self._store.parents(sha), ""
        except ApiError as error:
            return (), error.message

    def _source(self, label: str, sha: str) -> FileSource:
        if self._repo and self._commits and self._commits.has(sha):
            # A partial clone has the commit and not all of its files.
            return EitherSource(RefSource(label, sha, self._repo.git), GitHubSource(label, sha, self._store))
        return GitHubSource(label, sha, self._store)

    def _merged_here(self, pull: PullRequest, trouble: str) -> Found:
        """Without GitHub's merge commit: the merge that git makes of the two commits in this checkout."""
        why = trouble or "the merge commit of this run is not one of this pull request's head"
        if self._repo is None or self._commits is None:
            raise CannotEvaluate(f"there is no checkout, and {why}", CHECK_OUT)
        branch = f"origin/{pull.base_ref}"
        base = self._commits.commit(f"refs/remotes/{branch}") or self._commits.commit(pull.base_sha)
        if base is None:
            raise CannotEvaluate(f"the base {branch} is not in this checkout, and {why}", CHECK_OUT)
        tree = self._commits.merged(base, pull.head_sha) if self._commits.has(pull.head_sha) else None
        if tree is None:
            raise CannotEvaluate(f"the change cannot be merged into {branch} here, and {why}", CHECK_OUT)
        git = self._repo.git
        note = f"Head and {branch} were merged in the checkout, because {why}."
        return Found(Sides(RefSource(branch, base, git), RefSource(pull.merge_ref, tree, git)), (note,))


def _open(workspace: Path) -> Repo | None:
    """The checkout; None where there is none. One that git does not trust is a mistake to be told."""
    if not (workspace / ".git").exists():
        return None
    try:
        return Repo.open(workspace)
    except UntrustedOwner:
        raise
    except GateError:
        return None
