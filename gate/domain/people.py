"""People who use a store together: what each may do, and the log of what they did."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

EVERYBODY = "*"
GROUP = "group:"


class Role(IntEnum):
    """What somebody may do; each may do all that those before it may."""

    NOBODY = 0
    VIEWER = 1
    EDITOR = 2

    @property
    def label(self) -> str:
        """As people write it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Person:
    """Who makes a request.

    Args:
        name: as the history shows it.
        role: what they may do.
    """

    name: str
    role: Role


STRANGER = Person("", Role.NOBODY)
"""Somebody without a login."""


@dataclass(frozen=True, slots=True)
class Members:
    """Who may edit and who may only look. An entry is a name or an e-mail address, `@` with a domain, `group:` with
    the name of a group, or `*` for everybody who can log in; upper and lower case are the same.
    """

    editors: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()

    def role(self, name: str, groups: Iterable[str] = ()) -> Role:
        """The role of somebody.

        Args:
            name: their name or e-mail address, which somebody has proved; empty where nobody has.
            groups: that they are in.
        """
        is_in = {EVERYBODY, *(f"{GROUP}{group}".casefold() for group in groups)}
        if name:
            is_in.add(name.casefold())
        if "@" in name:
            is_in.add(f"@{name.rpartition('@')[2]}".casefold())
        for role, entries in ((Role.EDITOR, self.editors), (Role.VIEWER, self.viewers)):
            if any(entry.casefold() in is_in for entry in entries):
                return role
        return Role.NOBODY

    def known_groups(self, groups: Iterable[str]) -> list[str]:
        """Those of the groups that an entry names."""
        named = {entry.casefold() for entry in (*self.editors, *self.viewers)}
        return [group for group in groups if f"{GROUP}{group}".casefold() in named]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that somebody did.

    Args:
        at: when.
        who: the name of the person or the program.
        what: its kind, as `case-edited`.
        about: what it was done to; empty where the kind says all.
        id: of the log; grows with time. 0 before it is in the log.
    """

    at: datetime
    who: str
    what: str
    about: str = ""
    id: int = 0


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
