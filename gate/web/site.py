"""What all pages of one web interface share."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import Request

from gate.store.redaction import Clean
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Suites
from gate.web.jobs.board import Jobs
from gate.web.login import Login
from gate.web.logs import Log, silent


@dataclass(frozen=True, slots=True)
class Site:
    """One web interface over one store.

    Args:
        database: of the store, with the tables of this version.
        hosts: names that a browser may call it by, without ports; any other one is refused.
        now: the time.
        login: how people log in; None where the one person of this machine has to do nothing.
        person: who that is, as authors are named.
        url: the address of the server in browsers; empty where they use that of this machine.
        log: is told of every request.
        clean: takes out of the texts of runs what shall not be kept; None keeps all.
        daily: is done once a day; None where nothing is to be done.
        jobs: what asks models; None where the site only shows.
    """

    database: Database
    hosts: frozenset[str]
    now: Callable[[], datetime]
    login: Login | None = None
    person: str = "local"
    url: str = ""
    log: Log = silent
    clean: Clean | None = None
    daily: Callable[[], None] | None = None
    jobs: Jobs | None = None

    @property
    def suites(self) -> Suites:
        """Eval sets of the store."""
        return Suites(self.database)

    @property
    def runs(self) -> Runs:
        """Runs of the store."""
        return Runs(self.database, self.clean)

    @property
    def audit(self) -> Audit:
        """What was done."""
        return Audit(self.database)


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101
    return site
