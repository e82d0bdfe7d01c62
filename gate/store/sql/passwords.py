"""Passwords: what a good one is, and how it is kept, with argon2 of a strength that may grow."""

import secrets
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from threading import BoundedSemaphore

from argon2 import Parameters, PasswordHasher, profiles
from argon2.exceptions import InvalidHashError, VerificationError

FEWEST = 12
"""Characters of a password."""
MOST = 1_000
_AT_ONCE = BoundedSemaphore(2)
"""Each takes 64 MiB: many logins at once must not fill the memory."""
_GROUPS, _SIGNS = 5, "abcdefghijkmnpqrstuvwxyz23456789"
"""Of a password that is made: 25 bits a group, without signs that look alike."""


@dataclass(frozen=True, slots=True)
class Passwords:
    """Makes and checks hashes.

    Args:
        strength: what a check costs; the second choice of RFC 9106 unless a test wants less.
    """

    strength: Parameters = field(default_factory=lambda: profiles.RFC_9106_LOW_MEMORY)

    def hashed(self, password: str) -> str:
        """As it is kept."""
        with _AT_ONCE:
            return self._hasher.hash(_normal(password))

    def fits(self, password: str, kept: str | None) -> bool:
        """Is it the one that is kept? Where none is, saying no takes as long.

        Args:
            password: that somebody typed.
            kept: a hash; None for nobody's.
        """
        with _AT_ONCE:
            try:
                return self._hasher.verify(kept or self._nobodys, _normal(password)) and kept is not None
            except (VerificationError, InvalidHashError):
                return False

    def outdated(self, kept: str) -> bool:
        """Was it made with another strength?"""
        return self._hasher.check_needs_rehash(kept)

    @property
    def _nobodys(self) -> str:
        return _hash_of_nothing(self.strength.time_cost, self.strength.memory_cost, self.strength.parallelism)

    @property
    def _hasher(self) -> PasswordHasher:
        return PasswordHasher.from_parameters(self.strength)


def complaint(password: str, name: str) -> str:
    """What is wrong with a new password; empty when nothing is.

    Args:
        password: that somebody chose.
        name: of their account.
    """
    if len(_normal(password)) < FEWEST:
        return f"must have at least {FEWEST} characters"
    if len(password) > MOST:
        return f"must not be longer than {MOST:,} characters"
    if len(set(password)) < 5:
        return "must not be a few characters again and again"
    if len(name) > 3 and name.casefold() in password.casefold() and len(password) < len(name) + FEWEST:
        return "must not be little more than the name"
    return ""


def made() -> str:
    """A password that nobody guesses, easy to read out."""
    return "-".join("".join(secrets.choice(_SIGNS) for _ in range(5)) for _ in range(_GROUPS))


def _normal(password: str) -> str:
    """Keyboards write the same letter in several ways; halves of surrogate pairs have no bytes."""
    return unicodedata.normalize("NFKC", password[: MOST + 1].encode(errors="replace").decode())


@cache
def _hash_of_nothing(time_cost: int, memory_cost: int, parallelism: int) -> str:
    """A hash of the same strength, which no password fits."""
    return PasswordHasher(time_cost, memory_cost, parallelism).hash(secrets.token_hex())
