"""What all pages of one web interface share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from fastapi import Request

from gate.domain.people import Role
from gate.store.redaction import Clean
from gate.store.sql.accounts import Accounts
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.store.sql.logins import Logins
from gate.store.sql.passwords import Passwords
from gate.store.sql.runs import Runs
from gate.store.sql.sessions import Sessions
from gate.store.sql.suites import Suites
from gate.web.jobs.board import Jobs
from gate.web.logs import Log, silent
from gate.web.oidc import Service

Mode: TypeAlias = Literal["local", "server"]


@dataclass(frozen=True, slots=True)
class Entrance:
    """How people come in, in server mode.

    Args:
        passwords: checks them.
        proxies: addresses and networks of those who speak for others; what anybody else says of that is not believed.
        plain_http: passwords are taken without TLS, too.
        service: that says who people are, besides passwords; None without one.
        newcomers: role of people whom the service knows and nobody here; None turns them away.
    """

    passwords: Passwords = field(default_factory=Passwords)
    proxies: tuple[str, ...] = ()
    plain_http: bool = False
    service: Service | None = None
    newcomers: Role | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """One web interface over one store.

    Args:
        database: of the store, with the tables of this version.
        hosts: names that a browser may call it by, without ports; any other one is refused.
        key: seals forms; 32 bytes or more.
        now: the time.
        mode: `local` needs no login and is for one person; `server` knows accounts.
        person: who the one person of `local` mode is, as authors are named.
        log: is told of every request.
        clean: takes out of the texts of runs what shall not be kept; None keeps all.
        daily: is done once a day; None where nothing is to be done.
        entrance: of `server` mode.
        jobs: what asks models; None where the site only shows.
    """

    database: Database
    hosts: frozenset[str]
    key: bytes = field(repr=False)
    now: Callable[[], datetime]
    mode: Mode = "local"
    person: str = "local"
    log: Log = silent
    clean: Clean | None = None
    daily: Callable[[], None] | None = None
    entrance: Entrance = field(default_factory=Entrance)
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
    def accounts(self) -> Accounts:
        """People who may log in."""
        return Accounts(self.database, self.entrance.passwords)

    @property
    def logins(self) -> Logins:
        """How they do."""
        return Logins(self.database, self.entrance.passwords)

    @property
    def sessions(self) -> Sessions:
        """Who has."""
        return Sessions(self.database)

    @property
    def audit(self) -> Audit:
        """What was done."""
        return Audit(self.database)


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site = request.app.state.site
    assert isinstance(site, Site)  # noqa: S101
    return site
