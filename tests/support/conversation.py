"""A conversation in memory, for what is too much for HTTP; `tests/contract/github` holds the real one to the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from gate.domain.comment_seal import NO_SEAL, Seal
from gate.domain.pull_request import Claim, CommentGone, CommentRefused, Posted

BOT = "github-actions[bot]"


@dataclass(slots=True)
class Wall:
    """What several conversations share: the pull request itself.

    Args:
        head: its commit.
        comments: by number, oldest first.
        claims: the comments that are claimed.
        hidden: the comments that were folded away.
    """

    head: str
    comments: dict[int, Posted] = field(default_factory=dict)
    claims: set[int] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)
    last: int = 0
    longest: int = 65_536

    def post(self, body: str, author: str = BOT) -> Posted:
        if len(body) > self.longest:
            raise CommentRefused("too long")
        self.last += 1
        made = Posted(self.last, author, body, f"https://github.test/{self.last}")
        self.comments[self.last] = made
        return made


@dataclass(slots=True)
class MemoryConversation:
    """One run's view of a wall.

    Args:
        before: called before every action with whether it only reads.
        seal: of the run.
    """

    wall: Wall
    before: Callable[[bool], None] = lambda _: None
    seal: Seal = NO_SEAL

    def author(self) -> str:
        return BOT

    def head(self) -> str:
        self.before(True)
        return self.wall.head

    def clock(self) -> datetime | None:
        return None

    def comments(self) -> Sequence[Posted]:
        self.before(True)
        return list(self.wall.comments.values())

    def reread(self, comment: Posted) -> Posted:
        self.before(True)
        return self._known(comment)

    def create(self, body: str) -> Posted:
        self.before(False)
        return self.wall.post(body)

    def update(self, comment: Posted, body: str) -> Posted:
        self.before(False)
        known = self._known(comment)
        self.wall.comments[comment.id] = replace(known, body=body)
        return self.wall.comments[comment.id]

    def delete(self, comment: Posted) -> None:
        self.before(False)
        self.wall.comments.pop(comment.id, None)
        self.wall.claims.discard(comment.id)

    def hide(self, comment: Posted) -> None:
        self.before(False)
        self._known(comment)
        self.wall.hidden.add(comment.id)

    def claim(self, comment: Posted) -> Claim:
        self.before(False)
        self._known(comment)
        if comment.id in self.wall.claims:
            return Claim.TAKEN
        self.wall.claims.add(comment.id)
        return Claim.HELD

    def release(self, comment: Posted) -> None:
        if comment.id in self.wall.comments:
            self.before(False)
            self.wall.claims.discard(comment.id)

    def _known(self, comment: Posted) -> Posted:
        if comment.id not in self.wall.comments:
            raise CommentGone("deleted")
        return self.wall.comments[comment.id]
