"""The override label: is it set, who set it when and for which commit, and does it count.

What cannot be read never counts: the gate fails closed, and says why.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gate.domain.absence import Failed
from gate.domain.override import Role, Rule
from gate.domain.pull_request import LabelEvent, Posted
from gate.domain.record import OverrideRecord
from gate.errors import CannotEvaluate
from gate.flows.override_reason import plain, reason_by

Known = TypeVar("Known")

NOT_ASKED = Failed("nobody asked", attempts=0)
NOBODY = LabelEvent("", is_set=True, by=None, at=None)

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)")


class Labels(Protocol):
    """The labels of one pull request. Everything here may raise `CannotEvaluate`."""

    def events(self) -> Sequence[LabelEvent]:
        """Every time that a label was set or taken off, oldest first."""
        ...


class People(Protocol):
    """The people around one pull request. Everything here may raise `CannotEvaluate`."""

    def role(self, login: str) -> Role: ...

    def author(self) -> str | None:
        """Login of who opened it; None where that account is gone."""
        ...

    def commit_author(self, sha: str) -> str | None:
        """Login of who wrote a commit; None where GitHub knows no account."""
        ...


class Talk(Protocol):
    """The comments of one pull request. Everything here may raise `CannotEvaluate`."""

    def comments(self) -> Sequence[Posted]:
        """All of them, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the facts about one pull request are read."""

    labels: Labels
    people: People
    talk: Talk


@dataclass(frozen=True, slots=True)
class Push:
    """What is known about the newest commit.

    Args:
        head: the commit that is judged.
        set_on_head: labels of which GitHub says that they were set while this was the newest commit.
    """

    head: str
    set_on_head: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one label; `Failed` where it could not be read, or where nobody asked.

    Args:
        push: the newest commit.
        events: of the labels, oldest first.
        role: of who set it.
        author: of the pull request; None where that account is gone.
        head_author: of the newest commit; None where GitHub knows no account.
        comments: oldest first.
    """

    push: Push
    events: Sequence[LabelEvent] | Failed = NOT_ASKED
    role: Role | Failed = NOT_ASKED
    author: str | Failed | None = NOT_ASKED
    head_author: str | Failed | None = NOT_ASKED
    comments: Sequence[Posted] | Failed = NOT_ASKED


def spellings(labels: Sequence[str], wanted: str) -> tuple[str, ...]:
    """The override labels among those of a pull request.

    Args:
        labels: names, in any case, as GitHub takes them.
        wanted: the label's name; the same name in brackets is accepted, too.
    """
    name = wanted.strip("[]").casefold()
    return tuple(label for label in labels if name and label.casefold() in (name, f"[{name}]"))


def override(labels: Sequence[str], rule: Rule, push: Push, sources: Sources) -> OverrideRecord | None:
    """The override of a pull request; None where the label is not set.

    Args:
        labels: that are set now.
        rule: which one counts, and when.
        push: the newest commit.
        sources: asked only for what the rule needs.
    """
    found = [decide(label, rule, look_up(label, rule, push, sources)) for label in spellings(labels, rule.label)]
    return next((one for one in found if one.counted), next(iter(found), None))


def look_up(label: str, rule: Rule, push: Push, sources: Sources) -> Facts:
    """Read what the rule needs to know about a label that is set; raises nothing.

    Args:
        label: as it is spelt on the pull request.
        rule, push, sources: see `override`.
    """
    try:
        events = sources.labels.events()
    except CannotEvaluate as error:
        return Facts(push, Failed(error.in_full))
    setting = _setting(label, events)
    if isinstance(setting, Failed) or setting.by is None:
        return Facts(push, events)
    people, login = sources.people, setting.by
    return Facts(
        push,
        events,
        role=NOT_ASKED if rule.by == "anyone" or setting.bot or setting.app else _asked(lambda: people.role(login)),
        author=_asked(people.author) if rule.by == "not-author" else NOT_ASKED,
        head_author=_asked(lambda: people.commit_author(push.head)) if rule.by == "not-author" else NOT_ASKED,
        comments=_asked(sources.talk.comments),
    )


def decide(label: str, rule: Rule, facts: Facts) -> OverrideRecord:
    """Does the label count?

    Args:
        label: that is set now, as it is spelt on the pull request.
        rule: when it does.
        facts: what is known.
    """
    found = _setting(label, facts.events)
    setting = NOBODY if isinstance(found, Failed) else found
    if isinstance(found, Failed):
        why_not = f"The label {label} does not count: {found.reason}."
    else:
        why_not = _objection(label, rule, facts, found)
    given = () if isinstance(facts.comments, Failed) else facts.comments
    return OverrideRecord(
        label=plain(label),
        by=None if setting.by is None else plain(setting.by),
        at=None if setting.at is None else plain(setting.at),
        commit=facts.push.head,
        role=plain(facts.role.name or facts.role.permission) if isinstance(facts.role, Role) else "",
        reason=reason_by(setting.by, given),
        counted=not why_not,
        why_not=plain(why_not),
    )


def _setting(label: str, events: Sequence[LabelEvent] | Failed) -> LabelEvent | Failed:
    """The last time that the label was set, if it was not taken off since.

    The timeline keeps the names of then: a label that was renamed since is not found, which fails closed.
    """
    if isinstance(events, Failed):
        return events
    of_label = [event for event in events if event.label.casefold() == label.casefold()]
    if of_label and of_label[-1].is_set:
        return of_label[-1]
    return Failed("the timeline of the pull request does not say who set it")


def _objection(label: str, rule: Rule, facts: Facts, setting: LabelEvent) -> str:
    """Why the label does not count; empty where it does."""
    was_set = f"The label {label} was set by"
    if not setting.by:
        return f"{was_set} an account that is gone, and does not count."
    if setting.at is None or not _MOMENT.fullmatch(setting.at):
        return f"{was_set} {setting.by} and does not count: the timeline of the pull request does not say when."
    who = _wrong_person(rule, facts, setting, setting.by)
    if who:
        return f"{was_set} {setting.by}{who}"
    on_head = {name.casefold() for name in facts.push.set_on_head}
    if rule.scope == "commit" and label.casefold() not in on_head:
        return f"The label {label} was set before the last push; set it again to override."
    return ""


def _wrong_person(rule: Rule, facts: Facts, setting: LabelEvent, login: str) -> str:
    """What follows the name of somebody who may not; empty for anybody who may."""
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
        return f", who has the role {name} here, and does not count; it takes triage rights."
    return _author(facts, login) if rule.by == "not-author" else ""


def _author(facts: Facts, login: str) -> str:
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
