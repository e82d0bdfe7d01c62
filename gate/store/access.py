"""Access to a store: people with roles, API tokens with scopes, and the audit log."""

import re
import secrets
import string
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum

EVERYBODY = "*"
GROUP = "group:"


class Role(IntEnum):
    """A role; each includes those before it."""

    NOBODY = 0
    VIEWER = 1
    EDITOR = 2

    @property
    def label(self) -> str:
        """Name for users."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Person:
    """The person who makes a request."""

    name: str
    role: Role


STRANGER = Person("", Role.NOBODY)
"""Somebody without a login."""


@dataclass(frozen=True, slots=True)
class Members:
    """Editors and viewers. An entry is a name or e-mail address, `@DOMAIN`, `group:NAME`, or `*` for everybody who can
    log in. Each is compared letter by letter with its own kind; only in domains upper and lower case are the same.
    """

    editors: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()

    def role(self, name: str, groups: Iterable[str] = ()) -> Role:
        """The role of a person."""
        own_groups = frozenset(groups)
        for role, entries in ((Role.EDITOR, self.editors), (Role.VIEWER, self.viewers)):
            if any(_admits(entry, name, own_groups) for entry in entries):
                return role
        return Role.NOBODY

    def known_groups(self, groups: Iterable[str]) -> list[str]:
        """The groups that an entry names."""
        return [group for group in groups if f"{GROUP}{group}" in (*self.editors, *self.viewers)]


def _admits(entry: str, name: str, groups: Collection[str]) -> bool:
    """Is the person on the list by this entry?"""
    if entry == EVERYBODY:
        return True
    if entry.startswith(GROUP):
        return entry.removeprefix(GROUP) in groups
    local, domain = _address_parts(name)
    if entry.startswith("@"):
        return bool(local and domain) and domain == _address_parts(entry)[1]
    return bool(name) and (local, domain) == _address_parts(entry)


def _address_parts(name: str) -> tuple[str, str]:
    """What is before and after the last `@`; all of a name without one is its first part."""
    local, at, domain = name.rpartition("@")
    return (local, domain.lower() if domain.isascii() else domain) if at else (name, "")


@dataclass(frozen=True, slots=True)
class Event:
    """An action of a person or program."""

    at: datetime
    who: str
    what: str
    about: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Filter of events; empty fields match all."""

    who: str = ""
    what: str = ""
    about: str = ""


PREFIX = "pgate_"
_SIGNS = string.digits + string.ascii_letters
_SECRET_CHARS = 49
"""Of 62 signs: more than 256 bits."""
_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_SECRET_CHARS}}}")


class Scope(StrEnum):
    """A permission of a token; none includes another."""

    RUNS_READ = "runs:read"
    RUNS_WRITE = "runs:write"
    CASES_READ = "cases:read"
    CASES_WRITE = "cases:write"
    METRICS_READ = "metrics:read"

    @property
    def writes(self) -> bool:
        """Does it allow changes?"""
        return self.value.endswith(":write")


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token as in lists; the secret is not stored."""

    id: int
    name: str
    owner: str
    scopes: frozenset[Scope]
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None
    used: datetime | None = None

    @property
    def author(self) -> str:
        """Author of its changes in the history."""
        return f"{self.owner} (token {self.name})"

    @property
    def description(self) -> str:
        """Name and scopes, for the audit log."""
        return f"{self.id}, {self.name}: {' '.join(sorted(self.scopes))}"

    def is_over(self, now: datetime) -> bool:
        """Is it revoked or expired?"""
        return self.revoked is not None or (self.expires is not None and self.expires <= now)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret, which is shown only once."""

    token: ApiToken
    secret: str = field(repr=False)


def new_secret() -> str:
    """A random secret."""
    return PREFIX + "".join(secrets.choice(_SIGNS) for _ in range(_SECRET_CHARS))


def is_token(secret: str) -> bool:
    """Does the text have the form of a secret? A truncated one does not."""
    return bool(_FORM.fullmatch(secret))
