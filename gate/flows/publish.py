"""One comment per gate on a pull request: found again, brought up to date, never doubled, never set back."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from gate.domain.comment_seal import CLOCKS_DIFFER
from gate.domain.comment_state import CommentState, following, lacking, share_of
from gate.domain.pull_request import CommentGone, CommentRefused, Posted
from gate.errors import CannotEvaluate
from gate.flows import commenttext
from gate.flows.commenttext import LIMIT, Render, without_report
from gate.flows.conversation import Conversation, Standing, claimed, look, settle

Mode = Literal["update", "recreate", "hide"]

_TURNS, _WAITS, _WAIT_S = 6, 3, 1.0
"""How often what others do at the same time may send a run back to its start, and how often of these it waits."""


@dataclass(frozen=True, slots=True)
class Sticky:
    """What is to be published.

    Args:
        marker: first line of the comment, which finds it again; see `gate.flows.commenttext.marker`.
        render: makes the Markdown below it.
        state: of this run: commit, start, verdict; `spent` is its own spending. Its `run` is what keeps that from being
            counted twice.
        mode: `update` edits the comment in place; `recreate` posts a new one and deletes the old; `hide` posts a new
            one and folds the old away. What says the same of the same commit is edited in place in every mode, and
            so is an announcement with no report below it.
        only_update: change a comment that exists, and post none where there is none.
    """

    marker: str
    render: Render
    state: CommentState
    mode: Mode = "update"
    only_update: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """What became of it.

    Args:
        url: of the comment; empty where this run has none.
        note: what did not go as it was meant to, in one sentence; empty where all did.
        counted: a comment counts what this run spent, be it this run's or a newer one's.
    """

    url: str = ""
    note: str = ""
    counted: bool = False


def publish(conversation: Conversation, sticky: Sticky, pause: Callable[[float], None] = time.sleep) -> Publication:
    """Bring the comment up to date, and delete its doubles. What hinders that is a note, never an exception.

    Args:
        conversation: the pull request's.
        sticky: what to say.
        pause: waits for seconds while another run holds the comment.
    """
    # Once more from the start: a comment that was posted while only the answer was lost is found, not doubled.
    with suppress(CannotEvaluate):
        return _published(conversation, sticky, pause)
    try:
        return _published(conversation, sticky, pause)
    except CannotEvaluate as error:
        return _noted(error)


def announce(conversation: Conversation, marker: str, note: str, state: CommentState) -> Publication:
    """Say on top of the comment that an evaluation is under way; `publish` takes it off again.

    A run that is killed leaves its announcement to the next one.

    Args:
        conversation: the pull request's.
        marker: first line of the comment.
        note: one paragraph of Markdown.
        state: of this run, as far as it is known; only commit, start and run count.
    """
    try:
        return _announced(conversation, marker, note, state)
    except CannotEvaluate as error:
        return _noted(error)


def standing_state(conversation: Conversation, marker: str) -> CommentState | None:
    """What the gate's comment keeps; None where there is none.

    Args:
        conversation: the pull request's.
        marker: first line of the comment.

    Raises:
        CannotEvaluate: the comments cannot be read.
    """
    own = look(conversation, marker)
    return own[0].state if own else None


def _noted(error: CannotEvaluate) -> Publication:
    return Publication(note=f"{error.message} ({error.hint})" if error.hint else error.message)


def _published(conversation: Conversation, sticky: Sticky, pause: Callable[[float], None]) -> Publication:
    late = ""
    for turn in range(_TURNS):
        own = look(conversation, sticky.marker, sticky.state.commit)
        best = own[0] if own else None
        # Asked after the comments were read: whoever wrote about a newer head did so when it was the head.
        head = conversation.head()
        if head != sticky.state.commit:
            whose = f"the newer commit {head[:12]}; this one is about {sticky.state.commit[:12]}"
            return _left(conversation, sticky, whose, pause, head)
        sticky, late = _by_githubs_clock(sticky, conversation.clock(), late)
        if best is not None and best.newer_than(sticky.state):
            return _left(conversation, sticky, f"a run that started later, at {_started(best)}", pause, head)
        if best is None and sticky.only_update:
            return Publication()
        try:
            note = _written(conversation, sticky, best, may_wait=turn < _WAITS)
        except CommentGone:
            continue
        if note is None:
            pause(_WAIT_S)
            continue
        best = settle(conversation, sticky.marker, {}, pause, head)
        if best is not None and best.state is not None and best.state.age == sticky.state.age:
            return Publication(best.posted.url, "; ".join(filter(None, (late, note))), counted=True)
    raise CannotEvaluate("the comment is changed by others all the time")


def _by_githubs_clock(sticky: Sticky, now: datetime | None, note: str) -> tuple[Sticky, str]:
    """The run by GitHub's clock: where its own is far ahead nobody, itself included, would believe what it wrote."""
    started, _ = sticky.state.age
    if now is None or started <= now + CLOCKS_DIFFER:
        return sticky, note
    minutes = (started - now) // timedelta(minutes=1)
    note = f"the runner's clock is at least {minutes} minutes ahead of GitHub's, so the comment goes by GitHub's"
    return replace(sticky, state=sticky.state.model_copy(update={"started": now.astimezone(UTC).isoformat()})), note


def _written(conversation: Conversation, sticky: Sticky, best: Standing | None, *, may_wait: bool) -> str | None:
    """Put the comment there, unless a newer one turns up; returns a note, or None where to wait for another run."""
    if best is None or (sticky.mode == "recreate" and not _in_place(sticky, best)):
        _put(conversation, sticky, best)
        return ""
    with claimed(conversation, best) as now:
        if now is None and may_wait:
            return None
        if now is None:
            # Another run is about to write it. It deletes the older of the two, or we do.
            _put(conversation, sticky, best)
            return ""
        if now.newer_than(sticky.state) or conversation.head() != sticky.state.commit:
            return ""
        note = ""
        if sticky.mode == "hide" and not _in_place(sticky, now):
            try:
                conversation.hide(best.posted)
            except CannotEvaluate as error:
                note = f"the earlier comment is brought up to date instead of hidden: {error.message}"
            else:
                _put(conversation, sticky, now)
                conversation.update(best.posted, commenttext.retired(now.posted.body))
                return ""
        _put(conversation, sticky, now, over=now.posted)
        return note


def _in_place(sticky: Sticky, standing: Standing) -> bool:
    """May the comment go over this one in every mode? It says the same, or nothing yet."""
    if standing.state is None:
        return without_report(standing.posted.body)
    return standing.state.told == sticky.state.told


def _put(conversation: Conversation, sticky: Sticky, before: Standing | None, over: Posted | None = None) -> None:
    """Write the comment, a new one where it does not go over another."""
    state = following(before.state if before else None, sticky.state)
    for limit in (LIMIT, LIMIT // 2):
        text = commenttext.whole(sticky.marker, state, sticky.render, limit, conversation.seal)
        try:
            if over is None:
                conversation.create(text)
            elif text != over.body:
                conversation.update(over, text)
        except CommentRefused:
            if limit < LIMIT:
                raise
        else:
            return


def _left(
    conversation: Conversation, sticky: Sticky, whose: str, pause: Callable[[float], None], head: str
) -> Publication:
    """Leave the comment to another run, but see to it that this one's spending is counted."""
    note, shares, counted, url = f"the comment is left to {whose}", share_of(sticky.state), False, ""
    if shares:
        with suppress(CannotEvaluate):
            best = settle(conversation, sticky.marker, shares, pause, head)
            if best is None:
                # Nobody has written, and perhaps nobody will: who pushes during each run must not spend uncounted.
                _put(conversation, sticky, None)
                best = settle(conversation, sticky.marker, shares, pause, head)
                url = best.posted.url if best else ""
            counted = best is not None and best.state is not None and not lacking(best.state, shares)
    return Publication(url, note, counted=counted)


def _announced(conversation: Conversation, marker: str, note: str, state: CommentState) -> Publication:
    own = look(conversation, marker, state.commit)
    if conversation.head() != state.commit or (own and own[0].newer_than(state)):
        return Publication()
    if not own:
        conversation.create(commenttext.announced(marker, note))
        best = settle(conversation, marker, {}, time.sleep, state.commit)
        return Publication(best.posted.url if best else "")
    with claimed(conversation, own[0]) as now:
        if now is not None and not now.newer_than(state):
            # Of what is damaged or forged nothing is repeated below the announcement.
            body = marker if now.state is None else now.posted.body
            conversation.update(now.posted, commenttext.announced(body, note))
    return Publication(own[0].posted.url)


def _started(standing: Standing) -> str:
    return f"{standing.state.age[0].astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if standing.state else ""
