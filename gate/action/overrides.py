"""The override label of what is judged: of one pull request, or of all those that a merge queue tests together."""

from collections.abc import Callable
from dataclasses import dataclass

from gate.action.subject import Subject
from gate.bootstrap.sides import EventFiles, Span
from gate.domain.absence import Failed
from gate.domain.override import Rule
from gate.domain.pull_request import PullRequest
from gate.domain.record import OverrideRecord
from gate.errors import CannotEvaluate
from gate.flows.merge_group import inherited
from gate.flows.override import Facts, Push, Sources, decide, override, spellings
from gate.github.client import GitHub
from gate.github.comments import PullRequestComments
from gate.github.labels import Now, PullRequestLabels
from gate.github.people import PullRequestPeople
from gate.github.pulls import PullRequests

LONGEST_GROUP = 50
"""Commits of a merge group that are looked at."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand now: a workflow can be run again long after its event.

    Args:
        closed: the pull request is.
        override: the label, where it is set.
    """

    closed: bool = False
    override: OverrideRecord | None = None


@dataclass(frozen=True, slots=True)
class Overrides:
    """Looks at labels.

    Args:
        github: the repository.
        files: knows the commits of a merge group.
        rule: which label counts, and when.
        warn: tells about something that did not work and does not decide.
    """

    github: GitHub
    files: EventFiles
    rule: Rule
    warn: Callable[[str], None]

    def of(self, subject: Subject) -> Standing:
        """How things stand with what is judged."""
        if subject.pull is not None:
            return self._pull(subject.pull, subject)
        if isinstance(subject.wanted, Span) and subject.group is not None:
            return self._group(subject.wanted, subject.group)
        return Standing()

    def _pull(self, pull: PullRequest, subject: Subject | None) -> Standing:
        if not self.github.has_token:
            unknown = Facts(Push(pull.head_sha), Failed("there is no github-token to ask who set it"))
            found = spellings(pull.labels, self.rule.label)[:1]
            return Standing(override=next((decide(label, self.rule, unknown) for label in found), None))
        labels = PullRequestLabels(self.github, pull.number)
        try:
            now = labels.now()
        except CannotEvaluate as error:
            # The label may have been taken off since: what cannot be read sets nothing aside.
            self.warn(f"{error.in_full}; an override label would not be seen")
            return Standing()
        if now.state == "closed":
            return Standing(closed=True)
        people, talk = PullRequestPeople(self.github, pull.number), PullRequestComments(self.github, pull.number)
        push = Push(pull.head_sha, _set_on_head(now, subject))
        return Standing(override=override(now.labels, self.rule, push, Sources(labels, people, talk)))

    def _group(self, span: Span, newest: int) -> Standing:
        """All pull requests of the group must have it; one that cannot be found has not."""
        try:
            pulls = self._members(span, newest)
        except CannotEvaluate as error:
            self.warn(f"{error.in_full}; the override labels of the merge group's pull requests do not count")
            return Standing()
        decisions = {pull.number: self._pull(pull, None).override for pull in pulls}
        return Standing(override=inherited(decisions, span.head[1]))

    def _members(self, span: Span, newest: int) -> list[PullRequest]:
        """The pull requests of the group, newest first.

        Raises:
            CannotEvaluate: a commit of it belongs to none that can be found.
        """
        pulls = PullRequests(self.github)
        found: list[PullRequest] = []
        sha, base = span.head[1], span.base[1]
        for _ in range(LONGEST_GROUP):
            parents = self.files.parents(sha)
            first = parents[0] if parents else ""
            if len(parents) == 2:
                of_step = [pull for pull in pulls.of_commit(parents[1]) if pull.head_sha == parents[1]]
                if len(of_step) != 1:
                    break
                found += of_step
            elif not found and first == base:
                # Squashed into one commit: the branch is named for the pull request that it was made of.
                found.append(pulls.get(newest))
            else:
                break
            if first == base:
                return found
            sha = first
        raise CannotEvaluate("it cannot be told which pull requests the merge group is made of")


def _set_on_head(now: Now, subject: Subject | None) -> tuple[str, ...]:
    """The labels that were set while the judged commit was the newest.

    The dates of commits are their authors' own word, so the timeline cannot tell. The event that this run answers can:
    it says which commit was the newest, and which labels were set, at that moment.
    """
    event = subject.event if subject is not None else None
    if event is None or event.pull.head_sha != now.head:
        return ()
    before = {label.casefold() for label in event.pull.labels}
    since = tuple(label for label in now.labels if label.casefold() not in before)
    return (event.label, *since) if event.action == "labeled" else since
