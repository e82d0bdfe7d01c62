"""The comments of one pull request, and who may change which: what keeps two runs from undoing each other's work.

GitHub knows no conditional write. So a comment is changed or deleted only by a run that holds its claim and has read
it again since. A claim is a test-and-set outside of the text; one that a killed run left behind goes stale. Whoever
finds a comment claimed waits a while, and then writes one of its own. Every run ends with a look at all comments and
leaves only the newest run's. Two things keep the newest run's text: who would overwrite it reads it first, and who
would delete it has seen one that is newer still.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from gate.domain.comment_seal import Seal
from gate.domain.comment_state import CommentState, Spending, lacking, state_in, with_shares
from gate.domain.pull_request import Claim, CommentGone, Posted
from gate.errors import CannotEvaluate
from gate.flows.commenttext import with_state

_WAITS, _WAIT_S = 5, 1.0


class Conversation(Protocol):
    """The comments of one pull request. Everything but `seal` may raise `CannotEvaluate`."""

    @property
    def seal(self) -> Seal:
        """Of this run, on this pull request."""
        ...

    def author(self) -> str:
        """The login under which this token writes."""
        ...

    def head(self) -> str:
        """The commit that is the pull request's head now."""
        ...

    def clock(self) -> datetime | None:
        """GitHub's time when it was asked for the head; None where nobody asked, or it does not say."""
        ...

    def comments(self) -> Sequence[Posted]:
        """All of them, oldest first."""
        ...

    def reread(self, comment: Posted) -> Posted:
        """The comment as it is now; `CommentGone` where it was deleted."""
        ...

    def create(self, body: str) -> Posted:
        """`CommentRefused` where the text is unfit."""
        ...

    def update(self, comment: Posted, body: str) -> Posted:
        """`CommentGone` where it was deleted, `CommentRefused` where the text is unfit."""
        ...

    def delete(self, comment: Posted) -> None: ...

    def hide(self, comment: Posted) -> None:
        """Fold it away as outdated."""
        ...

    def claim(self, comment: Posted) -> Claim:
        """Claim the comment, unless another run holds it; `CommentGone` where it was deleted."""
        ...

    def release(self, comment: Posted) -> None:
        """Give a claim back."""
        ...


@dataclass(frozen=True, slots=True)
class Standing:
    """A comment of this gate.

    Args:
        posted: the comment.
        state: what it keeps; None where a run has only announced itself, or somebody has damaged or forged it.
    """

    posted: Posted
    state: CommentState | None

    @classmethod
    def of(cls, posted: Posted, seal: Seal) -> "Standing":
        return cls(posted, state_in(posted.body, seal, posted.written))

    def rank(self, head: str) -> tuple[bool, datetime, tuple[int, ...], int]:
        """What is about the head ranks highest, then the newer run's, and of one run's the first. No two are equal.

        Args:
            head: the commit; empty where it is not known.
        """
        started, number = (datetime.min.replace(tzinfo=UTC), ()) if self.state is None else self.state.age
        return self.state is not None and self.state.commit == head, started, number, -self.posted.id

    def newer_than(self, state: CommentState) -> bool:
        """Did a run of the same commit write it that started later?

        Of another commit it may say so, too, where one runner's clock is ahead; whoever is about the head comes first.
        """
        return self.state is not None and self.state.commit == state.commit and self.state.age > state.age


def look(conversation: Conversation, marker: str, head: str = "") -> list[Standing]:
    """The comments of this gate, the newest run's first.

    Args:
        conversation: the pull request's.
        marker: first line of the gate's comments.
        head: the newest commit, where it is known.
    """
    # Anybody can write the marker, and a bot can be made to quote it: it must come first, and the author must be ours.
    marked = [one for one in conversation.comments() if one.body.partition("\n")[0].strip() == marker]
    if not marked:
        return []
    author = conversation.author().casefold()
    own = [Standing.of(one, conversation.seal) for one in marked if one.author.casefold() == author]
    return sorted(own, key=lambda one: one.rank(head), reverse=True)


@contextmanager
def claimed(conversation: Conversation, standing: Standing) -> Iterator[Standing | None]:
    """Hold a comment: gives it as it is now, or None where another run holds it."""
    if conversation.claim(standing.posted) is Claim.TAKEN:
        yield None
        return
    try:
        yield Standing.of(conversation.reread(standing.posted), conversation.seal)
    finally:
        # A claim that cannot be given back goes stale.
        with suppress(CannotEvaluate):
            conversation.release(standing.posted)


def settle(
    conversation: Conversation,
    marker: str,
    shares: Mapping[str, Spending],
    pause: Callable[[float], None],
    head: str = "",
) -> Standing | None:
    """Leave the newest run's comment alone on the pull request, with all spending counted in it, and return it.

    Args:
        conversation: the pull request's.
        marker: first line of the gate's comments.
        shares: run to its spending, for what is to be counted besides that of the comments that go.
        pause: waits for seconds while another run holds the comment.
        head: the newest commit, where it is known.
    """
    own = look(conversation, marker, head)
    for _ in range(_WAITS):
        if not own or not _lacking(own, shares):
            break
        with suppress(CommentGone), claimed(conversation, own[0]) as now:
            if now is None:
                pause(_WAIT_S)
            elif now.state is not None:
                state = with_shares(now.state, _lacking([now, *own[1:]], shares))
                conversation.update(now.posted, with_state(now.posted.body, state, conversation.seal))
        own = look(conversation, marker, head)
    for double in own[1:]:
        # One that cannot be deleted now is found again by the next run.
        with suppress(CannotEvaluate), claimed(conversation, double) as now:
            if now is not None and now.rank(head) < own[0].rank(head):
                conversation.delete(double.posted)
    # Two runs with different secrets do not know each other's comments, and may have deleted both.
    own = look(conversation, marker, head) if len(own) > 1 else own
    return own[0] if own else None


def _lacking(own: Sequence[Standing], shares: Mapping[str, Spending]) -> dict[str, Spending]:
    """What the first of the comments has yet to count."""
    if own[0].state is None:
        return {}
    found = dict(shares)
    for one in own[1:]:
        found |= one.state.shares if one.state else {}
    return lacking(own[0].state, found)
