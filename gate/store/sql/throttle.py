"""How often a password may be tried: after some failures each one doubles the wait, up to a limit."""

import hashlib
import ipaddress
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from gate.store.sql import people_tables as tables
from gate.store.sql.account_rows import folded
from gate.store.sql.engine import Database

_FORGOTTEN = timedelta(hours=1)
"""After so long without a failure everything is as it was."""
_RACES = 5
_ROW = tables.login_failures.c


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where failures are counted together.

    Args:
        key: which one.
        free: failures before anybody has to wait.
        longest: wait, in seconds.
        forgives: a login that works forgets them all, and not just its own try.
    """

    key: str
    free: int
    longest: int
    forgives: bool

    def wait_s(self, failures: int) -> int:
        """How long after so many failures."""
        over = failures - self.free
        return 0 if over < 0 else min(self.longest, 2 ** min(over, 20))


def of_account(name: str) -> Bucket:
    """All tries of a name, whoever makes them. The wait is short: strangers could make the owner wait."""
    return Bucket(_key("account", folded(name)), 5, 60, forgives=True)


def of_address(address: str) -> Bucket:
    """All tries from a place. Whoever has an account there must not wash their guesses clean with it."""
    return Bucket(_key("address", _network(address)), 20, 900, forgives=False)


def of_browser(name: str) -> Bucket:
    """All tries from a browser that somebody has logged in with before: what strangers do does not matter to it."""
    return Bucket(_key("browser", name), 5, 900, forgives=True)


@dataclass(frozen=True, slots=True)
class Throttle:
    """Failures of a store, for all its servers.

    Args:
        database: which has its tables.
    """

    database: Database

    def take(self, buckets: Sequence[Bucket], now: datetime) -> int:
        """Begin a try, which counts as a failure until `worked`: of many at once none slips through.

        Args:
            buckets: that it counts in.
            now: the time.

        Returns:
            Seconds to wait first; 0 if it may be made. Only then it counts.
        """
        for _ in range(_RACES):
            try:
                return self.database.write(lambda db: _taken(db, buckets, now))
            except IntegrityError:
                continue  # Somebody else counted the first failure of the same bucket.
        return 1

    def worked(self, buckets: Sequence[Bucket], now: datetime) -> None:
        """The try was none that failed."""

        def work(db: Connection) -> None:
            for bucket in sorted(buckets, key=lambda one: one.key):
                if bucket.forgives:
                    db.execute(delete(tables.login_failures).where(_ROW.bucket == bucket.key))
                else:
                    less = update(tables.login_failures).where(_ROW.bucket == bucket.key)
                    db.execute(less.values(failures=_ROW.failures - 1, until=now))

        self.database.write(work)


def _taken(db: Connection, buckets: Sequence[Bucket], now: datetime) -> int:
    db.execute(delete(tables.login_failures).where(_ROW.last < now - _FORGOTTEN))
    keys = [bucket.key for bucket in buckets]
    rows = select(tables.login_failures).where(_ROW.bucket.in_(keys)).order_by(_ROW.bucket).with_for_update()
    known = {row.bucket: row for row in db.execute(rows)}
    wait_s: float = max(((row.until - now).total_seconds() for row in known.values()), default=0.0)
    if wait_s > 0:
        return math.ceil(wait_s)
    for bucket in sorted(buckets, key=lambda one: one.key):
        failures = known[bucket.key].failures + 1 if bucket.key in known else 1
        values = {"failures": failures, "last": now, "until": now + timedelta(seconds=bucket.wait_s(failures))}
        if bucket.key in known:
            db.execute(update(tables.login_failures).where(_ROW.bucket == bucket.key).values(**values))
        else:
            db.execute(insert(tables.login_failures).values(bucket=bucket.key, **values))
    return 0


def _key(kind: str, name: str) -> str:
    return hashlib.sha256(f"{kind}:{name}".encode(errors="replace")).hexdigest()


def _network(address: str) -> str:
    """One customer has a whole network of version 6."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
