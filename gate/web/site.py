"""What all pages of one web interface share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from gate.store.sql.engine import Database
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Suites
from gate.web.jobs.board import Jobs

Mode: TypeAlias = Literal["local", "server"]


@dataclass(frozen=True, slots=True)
class Site:
    """One web interface over one store.

    Args:
        database: of the store, with the tables of this version.
        hosts: names that a browser may call it by, without ports; any other one is refused.
        key: seals forms and sessions; 32 bytes or more.
        now: the time.
        mode: `local` needs no login and is for one person; `server` knows accounts.
        person: who the one person of `local` mode is, as authors are named.
        jobs: what asks models; None where the site only shows.
    """

    database: Database
    hosts: frozenset[str]
    key: bytes = field(repr=False)
    now: Callable[[], datetime]
    mode: Mode = "local"
    person: str = "local"
    jobs: Jobs | None = None

    @property
    def suites(self) -> Suites:
        """Eval sets of the store."""
        return Suites(self.database)

    @property
    def runs(self) -> Runs:
        """Runs of the store."""
        return Runs(self.database)
