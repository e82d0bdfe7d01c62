"""The subject of an event, and its two sides: from the checkout if it has the commits, else from GitHub."""

from dataclasses import dataclass, replace
from pathlib import Path

from gate.config.documents import quoted
from gate.environment.action import Inputs, Runner
from gate.errors import CannotEvaluate, GateError
from gate.git.merging import MergedSource
from gate.git.objects import Commits
from gate.git.repository import EitherSource, RefSource, Repo, UntrustedRepository
from gate.github.client import ApiError, GitHub
from gate.github.events import (
    SHA,
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequest,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
)
from gate.github.pulls import PullRequestApi, PullRequests, PullState
from gate.github.source import GitHubSource, GitHubStore
from gate.prompts.files import FileSource
from gate.record.findings.finding import Finding
from gate.record.findings.notes import MergedByGate
from gate.record.findings.skipped import NothingToEvaluate, PullRequestClosed
from gate.record.transcript import Failed
from gate.resolve.pairing import Sides

CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2, or give the token contents: read"


class EventFiles:
    """Finds the sides of an event.

    Args:
        workspace: a checkout of the merge commit or of the head, shallow or whole. Anything else is ignored, and
            everything is read from GitHub. Only commits are read, never files on disk.
    """

    def __init__(self, workspace: Path, github: GitHub) -> None:
        self._repo = _open(workspace)
        self._commits = Commits(self._repo.git) if self._repo else None
        self._store = GitHubStore(github)

    def sides(self, subject: "Subject") -> Sides:
        """Both sides of a subject.

        Raises:
            CannotEvaluate: one of them is not available.
        """
        if subject.pull is not None:
            return self._merge(subject.pull, newest=subject.privileged)
        return Sides(self._source(subject.base, subject.base_sha), self._source(subject.head, subject.commit))

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
                raise GateError(f"there is no branch, tag or commit {quoted(ref)}", "name an existing one") from None
            raise

    def tip(self, branch: str) -> str:
        """The commit of a branch on GitHub now.

        Raises:
            ApiError: GitHub does not say.
        """
        return self._store.commit(f"heads/{branch}")

    def is_ahead(self, sha: str, branch: str) -> bool:
        """Does a branch lack a commit, as far as GitHub or the checkout says?"""
        try:
            tip = self.tip(branch)
            return sha != tip and not self._contains(tip, sha)
        except ApiError:
            return False

    def parents(self, sha: str) -> tuple[str, ...]:
        """The parents of a commit; empty where they are unknown."""
        return self._parents(sha)[0]

    def _merge(self, pull: PullRequest, *, newest: bool) -> Sides:
        """The base, and the pull request as it would be merged.

        Args:
            newest: it must be a merge into the newest commit of the base; GitHub does not renew it with every one.
        """
        merge_sha = pull.merge_sha
        parents, trouble = (
            self._parents(merge_sha) if merge_sha else ((), "GitHub made no merge commit of its newest state")
        )
        if merge_sha and len(parents) == 2 and parents[1] == pull.head_sha:
            # The event's own base may be stale; the merge commit knows what the change was merged into.
            if parents[0] == self._newest(pull, or_here=False) if newest else self._is_on_base(parents[0], pull):
                base = self._source(f"origin/{pull.base_ref}", parents[0])
                return Sides(base, self._source(pull.merge_ref, merge_sha))
            trouble = f"GitHub's merge commit is not one into {pull.base_ref}"
        return self._merged_here(pull, trouble, newest=newest)

    def _is_on_base(self, commit: str, pull: PullRequest) -> bool:
        """Is the first parent of a merge commit on the base branch, and no older than the pull request says?

        After a change of the base GitHub hands out the merge into the old one, for a while.

        Raises:
            CannotEvaluate: it cannot be found out.
        """
        known = pull.base_sha
        if commit == known and not self._store.github.has_token:
            return True
        try:
            tip = self._newest(pull, or_here=True)
        except ApiError:
            if commit == known:
                return True
            raise
        if commit == tip:
            return True
        older = commit != known and self._contains(known, commit)
        return not older and self._contains(tip, commit)

    def _contains(self, newer: str, older: str) -> bool:
        """Does a commit's history have another one?"""
        if self._commits and self._commits.is_ancestor(older, newer):
            return True
        return self._merge_base(older, newer) == older

    def _merge_base(self, one: str, other: str) -> str:
        """The commit from which two began. Raises ApiError: neither GitHub nor a whole clone knows it."""
        try:
            return self._store.merge_base(one, other)
        except ApiError:
            local = self._commits.merge_base(one, other) if self._commits else None
            if local is None:
                raise
            return local

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

    def _merged_here(self, pull: PullRequest, trouble: str, *, newest: bool) -> Sides:
        """Without GitHub's merge commit: git's merge of both in this checkout, or file by file.

        Raises:
            CannotEvaluate: one of them is not available.
        """
        branch = f"origin/{pull.base_ref}"
        why = trouble or "the merge commit of this run does not contain the pull request's newest commit"
        place = "there is no checkout" if self._repo is None else f"the base {branch} is not in this checkout"
        try:
            base_sha = self._newest(pull, or_here=not newest)
        except ApiError as error:
            raise CannotEvaluate(f"{place}, and the base is unknown: {error.message}; {why}", CHECK_OUT) from None
        base = self._source(branch, base_sha)
        head = self._merged_tree(pull, base_sha) or self._merged_files(pull, base, base_sha)
        return Sides(base, head, notes=(MergedByGate(base=branch, reason=why),))

    def _merged_tree(self, pull: PullRequest, base_sha: str) -> FileSource | None:
        tree = self._commits.merged(base_sha, pull.head_sha) if self._commits else None
        return RefSource(pull.merge_ref, tree, self._repo.git) if self._repo and tree else None

    def _merged_files(self, pull: PullRequest, base: FileSource, base_sha: str) -> FileSource:
        try:
            fork = self._source("their common start", self._merge_base(base_sha, pull.head_sha))
        except ApiError as error:
            raise CannotEvaluate(
                f"the gate cannot merge the change into {base.label}: {error.message}", CHECK_OUT
            ) from None
        head = self._source(pull.merge_ref, pull.head_sha)
        return MergedSource(pull.merge_ref, pull.head_sha, fork, base, head)

    def _newest(self, pull: PullRequest, *, or_here: bool) -> str:
        """The newest commit of the base branch.

        Args:
            or_here: where GitHub does not say it, that of the checkout, which may be as old as the event; not with
                secrets.

        Raises:
            ApiError: it is not known.
        """
        try:
            return self.tip(pull.base_ref)
        except ApiError:
            commits = self._commits if or_here else None
            local = commits and (
                commits.commit(f"refs/remotes/origin/{pull.base_ref}") or commits.commit(pull.base_sha)
            )
            if not local:
                raise
            return local


def _open(workspace: Path) -> Repo | None:
    """The checkout; None where there is none. One that git does not trust is an error."""
    if not (workspace / ".git").exists():
        return None
    try:
        return Repo.open(workspace)
    except UntrustedRepository:
        raise
    except GateError:
        return None


@dataclass(frozen=True, slots=True)
class Subject:
    """The change that an event is about: what is compared, and where the outcome is reported.

    Args:
        commit: newest of the change, for comment and check run.
        base: the merge target's name for readers.
        branch: the merge target in the name of a check, so that it does not count for another; empty for the default
            branch.
        base_sha, head: commit of the base, and the change's name for readers; empty for a pull request, whose merge is
            compared.
        pull: None if the event is only about commits.
        group: the newest pull request of a merge queue's group.
        new_label: the label that the event of this run set.
        stranger: the change's author may not push to this repository.
        privileged: the run has secrets and a write token, and the change may come from an untrusted contributor.
        secretless: why GitHub gives this run no secrets; empty if it does.
        baseline: there is no change: the newest commit of a branch is recorded for later runs.
        now: the pull request's state since the event; None where it was not read.
    """

    commit: str
    base: str
    branch: str = ""
    base_sha: str = ""
    head: str = ""
    pull: PullRequest | None = None
    group: int | None = None
    new_label: str = ""
    stranger: bool = False
    privileged: bool = False
    secretless: str = ""
    baseline: bool = False
    now: PullState | Failed | None = None


def waiting_subject(event: Event) -> Subject | None:
    """Where to report why an event is not evaluated, from only the event; None if nothing waits for it."""
    match event:
        case PullRequestEvent():
            return _pull_subject(event.pull, event, privileged=event.privileged)
        case WorkflowRunEvent() if event.head_sha:
            return Subject(event.head_sha, "the merge target", privileged=True)
        case MergeGroupEvent():
            return _group_subject(event, f"origin/{event.base_ref}")
        case _:
            return None


def _pull_subject(pull: PullRequest, event: PullRequestEvent | None, *, privileged: bool) -> Subject:
    return Subject(
        pull.head_sha,
        f"origin/{pull.base_ref}",
        _named_branch(pull.base_ref, pull.default_branch),
        pull=pull,
        new_label=event.label if event is not None and event.action == "labeled" else "",
        stranger=pull.fork or privileged,
        privileged=privileged,
    )


def _group_subject(event: MergeGroupEvent, base: str) -> Subject:
    branch = _named_branch(event.base_ref, event.default_branch)
    return Subject(event.head_sha, base, branch, event.base_sha, "the merge group", group=event.number)


def _named_branch(branch: str, default: str) -> str:
    return "" if branch == default else branch


@dataclass(frozen=True, slots=True)
class NothingToJudge:
    """There is nothing to judge, and why."""

    why: Finding
    commit: str


def nothing_to_judge(reason: str, commit: str) -> NothingToJudge:
    """An event that has nothing to evaluate."""
    return NothingToJudge(NothingToEvaluate(reason=reason), commit)


@dataclass(frozen=True, slots=True)
class SubjectFinder:
    """Finds the subject of an event."""

    runner: Runner
    inputs: Inputs
    files: EventFiles
    github: GitHub

    def find(self, event: Event) -> Subject | NothingToJudge:
        """The subject of the event.

        Raises:
            GateError: it cannot be found out.
        """
        if not isinstance(event, DispatchEvent) and self.inputs.range:
            hint = "remove the input range; it only works with workflow_dispatch"
            raise GateError(f"the event {self.runner.event_name} already defines which commits are compared", hint)
        match event:
            case PullRequestEvent():
                return self._pull_request(event)
            case WorkflowRunEvent():
                return self._workflow_run(event)
            case MergeGroupEvent():
                return self._merge_group(event)
            case PushEvent():
                return self._push(event)
            case DispatchEvent():
                return self._dispatch(event)

    def _pull_request(self, event: PullRequestEvent) -> Subject | NothingToJudge:
        pull = event.pull
        if pull.state == "closed" and not self._open_again(pull):
            return NothingToJudge(PullRequestClosed(), pull.head_sha)
        if event.privileged:
            return self._of_stranger(pull, event)
        now = self._now(pull)
        if isinstance(now, PullState) and now.base_ref != pull.base_ref:
            pull = replace(pull, base_ref=now.base_ref, base_sha=now.base_sha)
        # The commit that the workflow runs for is the merge of head and base.
        pull = replace(pull, merge_sha=self.runner.sha)
        return replace(_pull_subject(pull, event, privileged=False), secretless=self._secretless(pull), now=now)

    def _now(self, pull: PullRequest) -> PullState | Failed | None:
        """A workflow can be run again long after its event."""
        if not self.github.has_token:
            return None
        try:
            return PullRequestApi(self.github, pull.number).now()
        except CannotEvaluate as error:
            return Failed(error.in_full)

    def _open_again(self, pull: PullRequest) -> bool:
        """A workflow can be run again long after its event."""
        return self.github.has_token and PullRequests(self.github).get(pull.number).state == "open"

    def _secretless(self, pull: PullRequest) -> str:
        if pull.fork:
            return "GitHub gives no secrets to a pull request from a fork"
        if self.runner.actor == "dependabot[bot]":
            return "GitHub gives a run that Dependabot started only the Dependabot secrets"
        return ""

    def _of_stranger(self, told: PullRequest, event: PullRequestEvent | None = None) -> Subject | NothingToJudge:
        """A pull request in a run with secrets: the merge commit only comes from GitHub, and files are only read."""
        if not self.github.has_token:
            raise CannotEvaluate(
                f"the event {self.runner.event_name} needs a github-token", "pass github-token: ${{ github.token }}"
            )
        pull = PullRequests(self.github).get(told.number)
        if pull.head_sha != told.head_sha:
            return nothing_to_judge(f"the pull request has a newer commit, {pull.head_sha[:12]}", told.head_sha)
        if pull.state == "closed":
            return NothingToJudge(PullRequestClosed(), told.head_sha)
        return _pull_subject(pull, event, privileged=True)

    def _workflow_run(self, event: WorkflowRunEvent) -> Subject | NothingToJudge:
        if not event.head_sha:
            why = f"the other workflow ran on {event.event or 'no event'}, not for a pull request"
            return nothing_to_judge(why, self.runner.sha)
        if not event.head_owner:
            hint = "open the pull request again from an existing repository"
            raise CannotEvaluate("the repository of the pull request's branch no longer exists", hint)
        found = PullRequests(self.github).by_head(event.head_owner, event.head_branch, event.head_sha)
        if not found:
            why = f"the commit {event.head_sha[:12]} is not the newest commit of any open pull request"
            return nothing_to_judge(why, event.head_sha)
        if len(found) > 1:
            numbers = ", ".join(f"#{pull.number}" for pull in found)
            hint = "close all but one of them, or open each from its own branch"
            raise CannotEvaluate(
                f"the commit {event.head_sha[:12]} is the newest commit of several pull requests: {numbers}", hint
            )
        return self._of_stranger(found[0])

    def _merge_group(self, event: MergeGroupEvent) -> Subject | NothingToJudge:
        if event.over:
            return nothing_to_judge("the merge group was dissolved", event.head_sha)
        base = f"origin/{event.base_ref}"
        if self.files.is_ahead(event.base_sha, event.base_ref):
            # Where the queue also merges what failed, each entry is tested against the one before it.
            base = f"the entry {event.base_sha[:12]} before it in the queue"
        return _group_subject(event, base)

    def _push(self, event: PushEvent) -> Subject | NothingToJudge:
        if event.deleted or not event.branch:
            return nothing_to_judge("a tag or a deleted branch cannot be a baseline", event.sha)
        label = f"origin/{event.branch}"
        branch = _named_branch(event.branch, event.default_branch)
        return Subject(event.sha, label, branch, event.sha, label, baseline=True)

    def _dispatch(self, event: DispatchEvent) -> Subject | NothingToJudge:
        base, head = self.inputs.ends
        base = base or event.default_branch
        base_sha = self.files.commit(base)
        head_sha = self.files.commit(head) if head else self.runner.sha
        name = head or event.ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
        if base_sha == head_sha:
            return nothing_to_judge(f"{base} and {name} are the same commit", head_sha)
        return Subject(head_sha, base, _named_branch(base, event.default_branch), base_sha, name)
