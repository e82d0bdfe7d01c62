"""One comment per gate on a pull request: found again by its marker and author, updated in place, never doubled."""

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from gate.domain.pull_request import Posted
from gate.errors import CannotEvaluate


class Conversation(Protocol):
    """The comments of one pull request. Everything may raise `CannotEvaluate`."""

    def author(self) -> str:
        """The login under which this token writes."""
        ...

    def head(self) -> str:
        """The commit that is the pull request's head now."""
        ...

    def comments(self) -> Sequence[Posted]:
        """All of them, oldest first."""
        ...

    def create(self, body: str) -> Posted: ...

    def update(self, comment: Posted, body: str) -> Posted: ...

    def delete(self, comment: Posted) -> None: ...


LONGEST_KEY = 100


@dataclass(frozen=True, slots=True)
class Sticky:
    """What is to be published.

    Args:
        marker: first line of the comment, which finds it again; see `marker`.
        body: Markdown without the marker.
        commit: the head that this is about.
        only_update: change a comment that exists, and post none where there is none.
    """

    marker: str
    body: str
    commit: str
    only_update: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """What became of it.

    Args:
        url: of the comment; empty where there is none.
        note: why nothing was published, in one sentence; empty where something was, or nothing had to be.
    """

    url: str = ""
    note: str = ""


def marker(key: str) -> str:
    """The hidden line by which a gate finds its comment.

    Args:
        key: tells several gates of one repository apart; any text.
    """
    # Two hyphens would end the HTML comment. A key that cannot stand as it is keeps apart from others by its hash.
    plain = re.sub(r"[^A-Za-z0-9._/]+", "-", key).strip("-")[:LONGEST_KEY]
    if plain != key:
        plain += "-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"<!-- prompt-gate: {plain} -->"


def publish(conversation: Conversation, sticky: Sticky) -> Publication:
    """Create or update the comment, and delete its doubles.

    Args:
        conversation: the pull request's.
        sticky: what to say.

    Raises:
        CannotEvaluate: it cannot be published.
    """
    try:
        return _publish(conversation, sticky)
    except CannotEvaluate:
        # Once more from the start: a comment that was posted while only the answer was lost is found, not doubled.
        return _publish(conversation, sticky)


def _publish(conversation: Conversation, sticky: Sticky) -> Publication:
    head = conversation.head()
    if head != sticky.commit:
        note = f"the comment is left to the run of the newer commit {head[:12]}; this one is about {sticky.commit[:12]}"
        return Publication(note=note)
    own = _own(conversation, sticky.marker)
    text = f"{sticky.marker}\n{sticky.body}"
    if own:
        kept = conversation.update(own[0], text)
        for double in own[1:]:
            # One that cannot be deleted now is found again by the next run.
            with suppress(CannotEvaluate):
                conversation.delete(double)
        return Publication(kept.url)
    return Publication() if sticky.only_update else Publication(conversation.create(text).url)


def _own(conversation: Conversation, line: str) -> list[Posted]:
    """The comments of this gate, oldest first."""
    # Anybody can write the marker, and a bot can be made to quote it: it must come first, and the author must be ours.
    marked = [one for one in conversation.comments() if one.body.partition("\n")[0].strip() == line]
    if not marked:
        return []
    author = conversation.author().casefold()
    return [one for one in marked if one.author.casefold() == author]
