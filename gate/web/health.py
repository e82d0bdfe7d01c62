"""Does the process live, and could it answer with what the store holds? For whoever looks after machines."""

import threading
from dataclasses import dataclass, field
from functools import lru_cache

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from gate.errors import GateError
from gate.store.sql import migrating
from gate.store.sql.engine import Database
from gate.web.access import Role, needs, site_of

router = APIRouter()
LONGEST_S = 2.0
"""For the database."""
_AWAY = "the database does not answer"
_OTHER = "the tables of the store are of another version"


@router.get("/healthz")
@needs(Role.NOBODY)
async def alive() -> JSONResponse:
    """The process lives."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz")
@needs(Role.NOBODY)
async def ready(request: Request) -> JSONResponse:
    """The database answers, and its tables are of this version; what else it is stays unsaid."""
    if reason := await _look(site_of(request).database).reason():
        return JSONResponse({"status": "unavailable", "reason": reason}, 503)
    return JSONResponse({"status": "ok"})


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """One question to the database at a time: one that falls silent shall not take all threads."""

    database: Database
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def reason(self) -> str:
        """Why the store is not ready; empty where it is."""
        with anyio.move_on_after(LONGEST_S):
            return await run_sync(self._asked, abandon_on_cancel=True)
        return _AWAY

    def _asked(self) -> str:
        if not self.lock.acquire(timeout=LONGEST_S):
            return _AWAY
        try:
            return "" if migrating.current(self.database) == migrating.newest() else _OTHER
        except GateError:
            return _AWAY
        finally:
            self.lock.release()


@lru_cache(maxsize=8)
def _look(database: Database) -> _Look:
    return _Look(database)
