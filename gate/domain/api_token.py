"""Tokens by which programs use a server: what they look like, and what one of them allows."""

import re
import secrets
import string
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

PREFIX = "pgate_"
_SIGNS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SECRET_CHARS, _SUM_CHARS = 43, 6
"""Of 62 signs, 43 hold 256 bits, and 6 hold a sum of 32."""
_FORM = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_SECRET_CHARS + _SUM_CHARS}}}")


class Scope(StrEnum):
    """What a token allows; none of them holds another."""

    RUNS_READ = "runs:read"
    RUNS_WRITE = "runs:write"
    CASES_READ = "cases:read"
    CASES_WRITE = "cases:write"
    METRICS_READ = "metrics:read"

    @property
    def writes(self) -> bool:
        """It allows a change."""
        return self.value.endswith(":write")


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token as lists show it; the secret itself is nowhere kept.

    Args:
        id: of the store.
        name: what it is for.
        owner: the name of whoever made it.
        scopes: what it allows.
        created: when.
        expires: from when on it is refused; None for never.
        revoked: since when it is; None where it is not.
        used: when it was last, to the minute; None for never.
    """

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
        """As what it does is signed in a history."""
        return f"{self.owner} (token {self.name})"

    @property
    def told(self) -> str:
        """Which it is and what it allows, for the log of what was done."""
        return f"{self.id}, {self.name}: {' '.join(sorted(self.scopes))}"

    def over(self, now: datetime) -> bool:
        """It is refused: revoked, or expired."""
        return self.revoked is not None or (self.expires is not None and self.expires <= now)


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token, with its secret, which is shown this once.

    Args:
        token: as lists show it from now on.
        secret: what programs send.
    """

    token: ApiToken
    secret: str = field(repr=False)


def new_secret() -> str:
    """A secret that nobody guesses, with a checksum by which a typing mistake, or a leak, is known for what it is."""
    drawn = _spelt(secrets.randbits(256), _SECRET_CHARS)
    return f"{PREFIX}{drawn}{_sum(drawn)}"


def well_formed(secret: str) -> bool:
    """Can it be a token at all? One that was mistyped, or cut, cannot."""
    if not _FORM.fullmatch(secret):
        return False
    drawn = secret[len(PREFIX) : -_SUM_CHARS]
    return secret[-_SUM_CHARS:] == _sum(drawn)


def _sum(drawn: str) -> str:
    return _spelt(zlib.crc32(f"{PREFIX}{drawn}".encode()), _SUM_CHARS)


def _spelt(number: int, length: int) -> str:
    signs = []
    for _ in range(length):
        number, rest = divmod(number, len(_SIGNS))
        signs.append(_SIGNS[rest])
    return "".join(reversed(signs))
