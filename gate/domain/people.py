"""People who use a store together: their accounts and roles, and the log of what they did."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum


class Role(IntEnum):
    """What somebody may do; each may do all that those before it may."""

    NOBODY = 0
    VIEWER = 1
    EDITOR = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        """As people write it."""
        return self.name.lower()


ROLES: tuple[Role, ...] = (Role.VIEWER, Role.EDITOR, Role.ADMIN)
"""Those that an account may have."""


COMMAND_LINE = "command line"
"""From where something was done that no browser and no program asked for."""


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may log in.

    Args:
        id: in the store; never used again.
        name: as authors are named.
        role: what they may do.
        disabled: they may not log in.
        must_change: somebody else knows the password, which has to be changed before anything else.
        made: when.
        seen: when they last logged in; None where they never did.
        has_password: they may log in with one; else another service says who they are.
    """

    id: int
    name: str
    role: Role
    disabled: bool
    must_change: bool
    made: datetime
    seen: datetime | None
    has_password: bool = True


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something that the log remembers.

    Args:
        name: as authors are named; empty where nobody knows.
        where: address of the machine, or what it was done with.
        now: the time.
    """

    name: str
    where: str
    now: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was done.

    Args:
        what: its kind, as `login`.
        about: what it was done to; empty where the kind says all.
    """

    what: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Logged:
    """An event of the log.

    Args:
        id: grows with time.
        by: who did it, where and when.
        event: what.
    """

    id: int
    by: Actor
    event: Event


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are wanted; an empty one wants all.

    Args:
        who: the name of somebody, in full.
        what: a kind.
        about: a part of what it was done to.
    """

    who: str = ""
    what: str = ""
    about: str = ""
