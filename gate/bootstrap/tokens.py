"""Tokens of the store of a repository."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.serving import site_here
from gate.domain.api_token import ApiToken, Issued
from gate.domain.people import Event
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.store.sql.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Desk:
    """Where tokens are made.

    Args:
        tokens: of the store.
        store: its address for readers, without a password.
        person: who works on it.
        now: the time.
    """

    tokens: "Tokens"
    store: str
    person: str
    now: datetime

    def create(self, name: str, scopes: Iterable[str], days: int | None) -> Issued:
        """Make a token; see `gate.store.sql.tokens`."""
        from gate.store.sql.tokens import Wish, scopes_of

        issued = self.tokens.create(Wish(name, self.person, scopes_of(scopes), days), self.now)
        self._note("token-made", issued.token.told)
        return issued

    def revoke(self, number: int) -> ApiToken:
        """Refuse a token from now on.

        Raises:
            GateError: there is none of this number that is good.
        """
        found = {one.id: one for one in self.tokens.all()}
        if not self.tokens.revoke(number, self.now):
            raise GateError(f"there is no token {number} that is not revoked", "see gate tokens list")
        self._note("token-revoked", str(number))
        return found[number]

    def _note(self, what: str, about: str) -> None:
        from gate.store.sql.audit import Audit

        Audit(self.tokens.database).add(Event(self.now, self.person, what, about))


@contextmanager
def desk_here(owner: str = "", directory: Path = Path()) -> Iterator[Desk]:
    """The desk of the repository that a folder is in.

    Args:
        owner: whose tokens are made; empty for the name that git knows.
        directory: somewhere in the repository, or anywhere.
    """
    here = site_here(directory, owner)
    with closing(here.database):
        from gate.store.sql.tokens import Tokens

        yield Desk(Tokens(here.database), here.database.label, here.person, here.now())
