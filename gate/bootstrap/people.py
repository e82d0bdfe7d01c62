"""The accounts of the store of this repository, for whoever works on the machine."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.bootstrap.serving import site_here
from gate.domain.people import COMMAND_LINE, Actor
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.store.sql.accounts import Accounts


@dataclass(frozen=True, slots=True)
class People:
    """Accounts, and who manages them.

    Args:
        accounts: of the store.
        person: who that is, for the log.
    """

    accounts: "Accounts"
    person: str

    def actor(self) -> Actor:
        """For the log."""
        return Actor(self.person, COMMAND_LINE, datetime.now(UTC))

    def id(self, name: str) -> int:
        """Whose name it is.

        Raises:
            GateError: nobody's.
        """
        found = self.accounts.find(name)
        if found is None:
            raise GateError(f"there is no account {name!r}", "gate users list names them all")
        return found.id


def people_here(directory: Path) -> People:
    """The accounts of the store that a folder's repository has, or that the environment names.

    Args:
        directory: somewhere in a repository, or anywhere.
    """
    here = site_here(directory, "")
    from gate.store.sql.accounts import Accounts

    return People(Accounts(here.database), here.person)
