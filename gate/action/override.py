"""The override label: is it set, who set it and why, does it count; for a pull request and for a merge group."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from gate.action.subject import EventFiles, Subject
from gate.errors import CannotEvaluate
from gate.github.client import GitHub
from gate.github.events import LabelEvent, PostedComment, PullRequest
from gate.github.pulls import PullRequestApi, PullRequests, PullState
from gate.record.parts import Role, Rule
from gate.record.run import OverrideRecord
from gate.record.transcript import Failed
from gate.values import listed

LONGEST_REASON = 500
"""Characters."""

_LINE = re.compile(r"[ \t]{0,20}/gate[ \t]{1,20}override[ \t]{0,20}:(.*)", re.IGNORECASE)


def reason_by(login: str | None, comments: Sequence[PostedComment]) -> str:
    """The newest reason that a person gave; empty if there is none.

    Args:
        login: of who set the label; None for a deleted account, whose comments do not count.
        comments: of all people, oldest first.
    """
    if not login:
        return ""
    own = (one.body for one in reversed(comments) if one.author.casefold() == login.casefold())
    return next((reason for reason in map(_last_line, own) if reason), "")


def encodable(text: str) -> str:
    """Text that can be written as UTF-8: half a surrogate pair, as JSON may contain, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _last_line(body: str) -> str:
    found = [match[1].strip() for line in body.splitlines() if (match := _LINE.match(line))]
    said = next((reason for reason in reversed(found) if reason), "")
    return encodable(said[:LONGEST_REASON])


Known = TypeVar("Known")

NOT_ASKED = Failed("not requested", attempts=0)
NOBODY = LabelEvent("", is_set=True, by=None, at=None)

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)")


@dataclass(frozen=True, slots=True)
class NewestCommit:
    """The newest commit of a pull request.

    Args:
        set_on_head: the label that, by the event of this run, was set while this was the newest commit; empty for none.
        branch: repository and branch that it was pushed to; empty where the repository is gone.
    """

    head: str
    set_on_head: str = ""
    branch: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class OverrideFacts:
    """The facts about one label; `Failed` if one could not be read, or was not requested.

    Args:
        events: oldest first.
        author: of the pull request; None for a deleted account.
        head_author: of the newest commit; None where GitHub knows no account.
        comments: oldest first.
        pushed_at: when the newest commit was pushed, by GitHub's clock, as ISO 8601.
    """

    push: NewestCommit
    events: Sequence[LabelEvent] | Failed = NOT_ASKED
    role: Role | Failed = NOT_ASKED
    author: str | Failed | None = NOT_ASKED
    head_author: str | Failed | None = NOT_ASKED
    comments: Sequence[PostedComment] | Failed = NOT_ASKED
    pushed_at: str | Failed = NOT_ASKED


def spellings(labels: Sequence[str], wanted: str) -> tuple[str, ...]:
    """The override labels among those of a pull request.

    Args:
        wanted: the label's name; case is ignored, as on GitHub, and the name in brackets is also accepted.
    """
    name = wanted.casefold()
    inner = name[1:-1] if re.fullmatch(r"\[[^\[\]]+\]", name) else name
    return tuple(label for label in labels if label.casefold() in (name, inner, f"[{inner}]"))


def override_of(labels: Sequence[str], rule: Rule, push: NewestCommit, api: PullRequestApi) -> OverrideRecord | None:
    """The override of a pull request, with only the requests that the rule needs; None if the label is not set."""
    found = [decide_override(label, rule, look_up(label, rule, push, api)) for label in spellings(labels, rule.label)]
    return next((one for one in found if one.counted), next(iter(found), None))


def look_up(label: str, rule: Rule, push: NewestCommit, api: PullRequestApi) -> OverrideFacts:
    """Read what the rule needs to know about a label that is set; raises nothing."""
    try:
        events = api.events()
    except CannotEvaluate as error:
        return OverrideFacts(push, Failed(error.in_full))
    setting = _setting(label, events)
    if isinstance(setting, Failed) or setting.by is None:
        return OverrideFacts(push, events)
    login = setting.by
    return OverrideFacts(
        push,
        events,
        role=NOT_ASKED if rule.by == "anyone" or setting.bot or setting.app else _asked(lambda: api.role(login)),
        author=_asked(api.author) if rule.by == "not-author" else NOT_ASKED,
        head_author=_asked(lambda: api.commit_author(push.head)) if rule.by == "not-author" else NOT_ASKED,
        comments=_asked(api.comments),
        pushed_at=NOT_ASKED if rule.scope != "commit" else _asked(lambda: api.pushed_at(*push.branch, push.head)),
    )


def decide_override(label: str, rule: Rule, facts: OverrideFacts) -> OverrideRecord:
    """Does a label that is set now count?"""
    found = _setting(label, facts.events)
    setting = NOBODY if isinstance(found, Failed) else found
    if isinstance(found, Failed):
        why_not = f"The label {label} does not count: {found.reason}."
    else:
        why_not = _objection(label, rule, facts, found)
    given = () if isinstance(facts.comments, Failed) else facts.comments
    return OverrideRecord(
        label=encodable(label),
        by=None if setting.by is None else encodable(setting.by),
        at=None if setting.at is None else encodable(setting.at),
        commit=facts.push.head,
        role=encodable(facts.role.name or facts.role.permission) if isinstance(facts.role, Role) else "",
        reason=reason_by(setting.by, given),
        counted=not why_not,
        why_not=encodable(why_not),
    )


def _setting(label: str, events: Sequence[LabelEvent] | Failed) -> LabelEvent | Failed:
    """The last time that the label was set, unless it was removed since.

    The timeline has the old names: a label that was renamed since is not found, so it does not count.
    """
    if isinstance(events, Failed):
        return events
    of_label = [event for event in events if event.label.casefold() == label.casefold()]
    if of_label and of_label[-1].is_set:
        return of_label[-1]
    return Failed("the timeline of the pull request does not show who set it")


def _objection(label: str, rule: Rule, facts: OverrideFacts, setting: LabelEvent) -> str:
    """Why the label does not count; empty where it does."""
    was_set = f"The label {label} was set by"
    if not setting.by:
        return f"{was_set} an account that no longer exists, and does not count."
    if setting.at is None or not _MOMENT.fullmatch(setting.at):
        return f"{was_set} {setting.by} and does not count: the timeline of the pull request does not show when."
    who = _wrong_person(rule, facts, setting, setting.by)
    if who:
        return f"{was_set} {setting.by}{who}"
    return _outlived(label, facts, setting.at) if rule.scope == "commit" else ""


def _outlived(label: str, facts: OverrideFacts, at: str) -> str:
    """Why a label that counts for one commit does not count for the newest; empty where it does.

    Authors choose the dates of their commits, so the timeline of a pull request does not show it. An event is only
    asked where the record of pushes is missing: its run can be repeated after the branch went back to its commit.
    """
    if isinstance(facts.pushed_at, Failed):
        if label.casefold() == facts.push.set_on_head.casefold():
            return ""
        return f"The label {label} does not count: {facts.pushed_at.reason}. Set it again to override."
    if datetime.fromisoformat(at) <= datetime.fromisoformat(facts.pushed_at):
        return f"The label {label} was set before the last push; set it again to override."
    return ""


def _wrong_person(rule: Rule, facts: OverrideFacts, setting: LabelEvent, login: str) -> str:
    """Why this person may not override, as the rest of a sentence after the name; empty if they may."""
    if rule.by == "anyone":
        return ""
    if setting.bot:
        return ", a bot, and does not count."
    if setting.app:
        return f" through the app {setting.app}, and does not count."
    if isinstance(facts.role, Failed):
        return f" and does not count: {facts.role.reason}."
    if not facts.role.may_triage:
        name = facts.role.name or facts.role.permission
        return f", who has the role {name} here, and does not count: the role triage or above is needed."
    return _author(facts, login) if rule.by == "not-author" else ""


def _author(facts: OverrideFacts, login: str) -> str:
    for author, wrote in ((facts.author, "opened this pull request"), (facts.head_author, "wrote its newest commit")):
        if isinstance(author, Failed):
            return f" and does not count: {author.reason}."
        if author is not None and author.casefold() == login.casefold():
            return f", who {wrote}, and does not count."
    return ""


def _asked(ask: Callable[[], Known]) -> Known | Failed:
    try:
        return ask()
    except CannotEvaluate as error:
        return Failed(error.in_full)


def group_override(decisions: Mapping[int, OverrideRecord | None], commit: str) -> OverrideRecord | None:
    """The override of a merge group; None where no pull request of it has the label.

    Args:
        decisions: by pull request number; None where the label is not set.
    """
    by_number = sorted(decisions.items())
    found = [(number, one) for number, one in by_number if one is not None]
    if not found:
        return None
    missing = [number for number, one in by_number if one is None or not one.counted]
    label = found[0][1].label
    if missing:
        return OverrideRecord(label=label, by=None, at=None, commit=commit, counted=False, why_not=_why(label, missing))
    return OverrideRecord(
        label=label,
        by=_each(found, lambda one: one.by or ""),
        at=max(one.at or "" for _, one in found) or None,
        commit=commit,
        role=_each(found, lambda one: one.role),
        reason="; ".join(f"#{number}: {one.reason}" for number, one in found if one.reason)[:LONGEST_REASON],
    )


def _why(label: str, missing: list[int]) -> str:
    named = listed([f"#{number}" for number in missing])
    return (
        f"The label {label} does not count for this merge group: these pull requests lack a label that counts: {named}."
    )


def _each(found: list[tuple[int, OverrideRecord]], get: Callable[[OverrideRecord], str]) -> str:
    return ", ".join(dict.fromkeys(said for _, one in found if (said := get(one))))


_UNKNOWN_MEMBERS = "cannot find out which pull requests are in the merge group"
LONGEST_GROUP = 50
"""Commits of a merge group that are read."""


@dataclass(frozen=True, slots=True)
class CurrentState:
    """The current state of a pull request: a workflow can be run again long after its event.

    Args:
        override: None where the label is not set.
    """

    closed: bool = False
    override: OverrideRecord | None = None


@dataclass(frozen=True, slots=True)
class OverrideReader:
    """Reads the override label.

    Args:
        files: knows the commits of a merge group.
    """

    github: GitHub
    files: EventFiles
    rule: Rule
    warn: Callable[[str], None]

    def of(self, subject: Subject) -> CurrentState:
        """The current state of a subject."""
        if subject.pull is not None:
            return self._pull(subject.pull, subject)
        if subject.group is not None:
            return self._group(subject, subject.group)
        return CurrentState()

    def _pull(self, pull: PullRequest, subject: Subject | None) -> CurrentState:
        if not self.github.has_token:
            unknown = OverrideFacts(
                NewestCommit(pull.head_sha), Failed("without github-token, nobody can check who set it")
            )
            found = spellings(pull.labels, self.rule.label)[:1]
            return CurrentState(override=next((decide_override(label, self.rule, unknown) for label in found), None))
        api = PullRequestApi(self.github, pull.number)
        known = subject.now if subject is not None else None
        now = known or _asked(api.now)
        if isinstance(now, Failed):
            # The label may have been removed since: what cannot be read overrides nothing.
            self.warn(f"{now.reason}; an override label cannot be read and does not count")
            return CurrentState()
        if now.state == "closed":
            return CurrentState(closed=True)
        push = NewestCommit(pull.head_sha, _set_on_head(now, subject), (pull.head_repository, pull.head_ref))
        return CurrentState(override=override_of(now.labels, self.rule, push, api))

    def _group(self, subject: Subject, newest: int) -> CurrentState:
        """All pull requests of the group need the label; one that cannot be found does not have it."""
        try:
            pulls = self._members(subject, newest)
        except CannotEvaluate as error:
            self.warn(f"{error.in_full}; the override labels of the merge group's pull requests do not count")
            return CurrentState()
        decisions = {pull.number: self._pull(pull, None).override for pull in pulls}
        return CurrentState(override=group_override(decisions, subject.commit))

    def _members(self, subject: Subject, newest: int) -> list[PullRequest]:
        """The pull requests of the group, newest first."""
        pulls = PullRequests(self.github)
        merged: list[PullRequest] = []
        chain: list[str] = []
        sha = subject.commit
        for _ in range(LONGEST_GROUP):
            parents = self.files.parents(sha)
            first = parents[0] if parents else ""
            if len(parents) == 2 and not chain:
                of_step = [pull for pull in pulls.of_commit(parents[1]) if pull.head_sha == parents[1]]
                if len(of_step) != 1:
                    break
                merged += of_step
            elif first and not merged:
                chain.append(sha)
            else:
                break
            if first == subject.base_sha:
                return merged or [self._squashed_or_rebased(newest, chain)]
            sha = first
        raise CannotEvaluate(_UNKNOWN_MEMBERS)

    def _squashed_or_rebased(self, newest: int, chain: Sequence[str]) -> PullRequest:
        """The pull request that the group's branch is named after, if all commits since the base are its own.

        Args:
            chain: newest first; one commit where the queue squashes.
        """
        pulls = PullRequests(self.github)
        if len(chain) > 1 and pulls.commits(newest) != [pulls.commit(sha) for sha in reversed(chain)]:
            raise CannotEvaluate(_UNKNOWN_MEMBERS)
        return pulls.get(newest)


def _set_on_head(now: PullState, subject: Subject | None) -> str:
    """The label that was set while the evaluated commit was the newest, by the event of this run."""
    return subject.new_label if subject is not None and subject.commit == now.head else ""
