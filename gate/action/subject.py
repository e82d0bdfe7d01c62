"""What an event asks to have judged: which pull request or commits, and whose change it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gate.bootstrap.sides import EventFiles, Merge, Span, Wanted
from gate.domain.pull_request import PullRequest
from gate.errors import CannotEvaluate, GateError
from gate.flows.unevaluated import CLOSED
from gate.github.client import GitHub
from gate.github.pulls import PullRequests
from gate.inputs.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
)
from gate.settings.inputs import Inputs
from gate.settings.runner import Runner

_WAITS_S = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each look for the merge commit, which GitHub makes in the background."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged.

    Args:
        commit: the newest commit of the change: what comment and check run are about.
        wanted: where the two sides are.
        base: the merge target, as a reader knows it.
        pull: the pull request; None where the event is about commits alone.
        group: the newest pull request of a merge queue's group.
        event: what happened to the pull request, where this run answers that.
        stranger: the change comes from somebody who may not push to this repository.
        privileged: secrets and a token that can write are near a change that anybody may have made.
        secretless: why GitHub gives this run no secrets; empty where it gives them.
        baseline: there is no change: the newest commit of a branch is to be known to later runs.
    """

    commit: str
    wanted: Wanted
    base: str
    pull: PullRequest | None = None
    group: int | None = None
    event: PullRequestEvent | None = None
    stranger: bool = False
    privileged: bool = False
    secretless: str = ""
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """There is nothing to judge.

    Args:
        why: a sentence.
        commit: that the event is about.
    """

    why: str
    commit: str


Asked: TypeAlias = Subject | Nothing


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds out what an event asks for.

    Args:
        runner, inputs: how the gate was started.
        files: of both sides.
        github: the repository.
        wait: waits for so many seconds.
    """

    runner: Runner
    inputs: Inputs
    files: EventFiles
    github: GitHub
    wait: Callable[[float], None]

    def find(self, event: Event) -> Asked:
        """What the event asks for.

        Raises:
            GateError: it cannot be found out.
        """
        if not isinstance(event, DispatchEvent) and (self.inputs.base or self.inputs.head):
            hint = "leave base and head out; they are for workflow_dispatch"
            raise GateError(f"the event {self.runner.event_name} says by itself what is compared", hint)
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

    def _pull_request(self, event: PullRequestEvent) -> Asked:
        pull = event.pull
        if pull.state == "closed" and not self._open_again(pull):
            return Nothing(CLOSED, pull.head_sha)
        if event.privileged:
            return self._of_stranger(pull, event)
        # The commit that the workflow runs for is the merge of head and base.
        return Subject(
            pull.head_sha,
            Merge(pull, self.runner.sha),
            f"origin/{pull.base_ref}",
            pull,
            event=event,
            stranger=pull.fork,
            secretless=self._secretless(pull),
        )

    def _open_again(self, pull: PullRequest) -> bool:
        """A workflow can be run again long after its event."""
        return self.github.has_token and PullRequests(self.github).get(pull.number).state == "open"

    def _secretless(self, pull: PullRequest) -> str:
        if pull.fork:
            return "GitHub gives no secrets to a pull request of a fork"
        if self.runner.actor == "dependabot[bot]":
            return "GitHub gives a run that Dependabot started only the secrets that are stored for Dependabot"
        return ""

    def _of_stranger(self, told: PullRequest, event: PullRequestEvent | None = None) -> Asked:
        """A pull request beside secrets: its merge commit is GitHub's word alone, and its files are only read."""
        if not self.github.has_token:
            raise CannotEvaluate(
                f"the event {self.runner.event_name} needs a github-token", "pass github-token: ${{ github.token }}"
            )
        pull = self._with_merge(told)
        if pull.head_sha != told.head_sha:
            return Nothing(f"the pull request has moved on to {pull.head_sha[:12]}.", told.head_sha)
        if pull.state == "closed":
            return Nothing(CLOSED, told.head_sha)
        return Subject(
            pull.head_sha,
            Merge(pull, pull.merge_sha),
            f"origin/{pull.base_ref}",
            pull,
            event=event,
            stranger=True,
            privileged=True,
        )

    def _with_merge(self, told: PullRequest) -> PullRequest:
        """The pull request as it is now, once GitHub has made its merge commit, or after a while without one."""
        pulls = PullRequests(self.github)
        pull = told
        for seconds in _WAITS_S:
            self.wait(seconds)
            pull = pulls.get(told.number)
            moved = pull.head_sha != told.head_sha or pull.state == "closed"
            if moved or (pull.merge_sha and pull.head_sha in self.files.parents(pull.merge_sha)[1:]):
                break
        return pull

    def _workflow_run(self, event: WorkflowRunEvent) -> Asked:
        if self.inputs.label_scope == "commit":
            hint = "use label-scope: pull-request here"
            raise GateError("label-scope: commit needs an event that says when a label was set", hint)
        if not event.head_sha:
            why = f"the other workflow ran on {event.event or 'nothing'}, for no pull request."
            return Nothing(why, self.runner.sha)
        if not event.head_owner:
            hint = "open the pull request again, from another"
            raise CannotEvaluate("the repository that the pull request comes from is gone", hint)
        found = PullRequests(self.github).by_head(event.head_owner, event.head_branch, event.head_sha)
        if not found:
            why = f"no open pull request has the commit {event.head_sha[:12]} as its newest."
            return Nothing(why, event.head_sha)
        if len(found) > 1:
            numbers = ", ".join(f"#{pull.number}" for pull in found)
            hint = "close all but one of them, or open them from branches of their own"
            raise CannotEvaluate(f"the commit {event.head_sha[:12]} is the newest of several: {numbers}", hint)
        return self._of_stranger(found[0])

    def _merge_group(self, event: MergeGroupEvent) -> Asked:
        if event.over:
            return Nothing("the merge group was taken apart.", event.head_sha)
        base = f"origin/{event.base_ref}"
        span = Span((base, event.base_sha), ("the merge group", event.head_sha))
        return Subject(event.head_sha, span, base, group=event.number)

    def _push(self, event: PushEvent) -> Asked:
        if event.deleted or not event.branch:
            return Nothing("a tag, or a branch that is gone, is no baseline.", event.sha)
        label = f"origin/{event.branch}"
        return Subject(event.sha, Span((label, event.sha), (label, event.sha)), label, baseline=True)

    def _dispatch(self, event: DispatchEvent) -> Asked:
        base, head = self.inputs.base or event.default_branch, self.inputs.head
        base_sha = self.files.commit(base)
        head_sha = self.files.commit(head) if head else self.runner.sha
        name = head or event.ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
        if base_sha == head_sha:
            return Nothing(f"{base} and {name} are the same commit.", head_sha)
        return Subject(head_sha, Span((base, base_sha), (name, head_sha)), base)
