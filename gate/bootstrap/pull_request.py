"""The two sides of a pull request: from the checkout where it has the commits, else from GitHub."""

from dataclasses import dataclass
from pathlib import Path

from gate.errors import CannotEvaluate, GateError
from gate.flows.pairing import Sides
from gate.git.commits import Commits
from gate.git.repo import Repo, UntrustedOwner
from gate.git.sources import RefSource
from gate.github.client import ApiError, GitHub
from gate.github.source import GitHubSource, GitHubStore
from gate.inputs.event import PullRequestEvent
from gate.inputs.source import FileSource

CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2, or give the token contents: read"


@dataclass(frozen=True, slots=True)
class Found:
    """The sides, and what the reader should know about how they were found."""

    sides: Sides
    notes: tuple[str, ...] = ()


class PullRequestFiles:
    """Finds the merge target and the change as it would be merged.

    Args:
        workspace: a checkout of the merge commit or of the head, shallow or whole; or anything else, then GitHub is
            asked for everything.
        github: the repository on GitHub.
    """

    def __init__(self, workspace: Path, github: GitHub) -> None:
        self._repo = _open(workspace)
        self._commits = Commits(self._repo.git) if self._repo else None
        self._store = GitHubStore(github)

    def sides(self, event: PullRequestEvent, merge_sha: str) -> Found:
        """Both sides.

        Args:
            event: the pull request.
            merge_sha: the commit that GitHub made of head and base for this run.

        Raises:
            CannotEvaluate: one of them cannot be had.
        """
        parents, trouble = self._parents(merge_sha)
        # The event's own base may be stale; the merge commit knows what the change was merged into.
        if len(parents) == 2 and parents[1] == event.head_sha:
            base = self._source(f"origin/{event.base_ref}", parents[0])
            return Found(Sides(base, self._source(event.merge_ref, merge_sha)))
        return self._merged_here(event, trouble)

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
            return RefSource(label, sha, self._repo.git)
        return GitHubSource(label, sha, self._store)

    def _merged_here(self, event: PullRequestEvent, trouble: str) -> Found:
        """Without GitHub's merge commit: the merge that git makes of the two commits in this checkout."""
        why = trouble or "the merge commit of this run is not one of this pull request's head"
        if self._repo is None or self._commits is None:
            raise CannotEvaluate(f"there is no checkout, and {why}", CHECK_OUT)
        branch = f"origin/{event.base_ref}"
        base = self._commits.commit(f"refs/remotes/{branch}") or self._commits.commit(event.base_sha)
        if base is None:
            raise CannotEvaluate(f"the base {branch} is not in this checkout, and {why}", CHECK_OUT)
        tree = self._commits.merged(base, event.head_sha) if self._commits.has(event.head_sha) else None
        if tree is None:
            raise CannotEvaluate(f"the change cannot be merged into {branch} here, and {why}", CHECK_OUT)
        git = self._repo.git
        note = f"Head and {branch} were merged in the checkout, because {why}."
        return Found(Sides(RefSource(branch, base, git), RefSource(event.merge_ref, tree, git)), (note,))


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
