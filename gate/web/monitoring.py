"""Probes of the server's health, and metrics for Prometheus."""

import ipaddress
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.responses import JSONResponse, Response

from gate.errors import GateError
from gate.store.access import Scope
from gate.store.sql import maintenance
from gate.store.sql.database import Database
from gate.store.sql.maintenance import count_runs
from gate.web.api.http import ASKS, BEARER, ApiError, authorize
from gate.web.logs import AnsweredRequest, Fault
from gate.web.site import site_of

router = APIRouter()
READY_WITHIN_S = 2.0
"""Seconds for the database."""
_AWAY = "the database does not answer"
_OTHER = "the store's tables have another version"


@router.get("/healthz")
async def alive() -> JSONResponse:
    """The process is alive."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz")
async def ready(request: Request) -> JSONResponse:
    """The database answers and its tables have the current version; no details."""
    if reason := await _check_database(site_of(request).database).reason():
        return JSONResponse({"status": "unavailable", "reason": reason}, 503)
    return JSONResponse({"status": "ok"})


@dataclass(frozen=True, slots=True, eq=False)
class _DatabaseCheck:
    """One query at a time: a hanging database must not block all threads."""

    database: Database
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def reason(self) -> str:
        """Why the store is not ready; empty if it is."""
        with anyio.move_on_after(READY_WITHIN_S):
            return await run_sync(self._asked, abandon_on_cancel=True)
        return _AWAY

    def _asked(self) -> str:
        if not self.lock.acquire(timeout=READY_WITHIN_S):
            return _AWAY
        try:
            return "" if maintenance.current_revision(self.database) == maintenance.newest_revision() else _OTHER
        except GateError:
            return _AWAY
        finally:
            self.lock.release()


@lru_cache(maxsize=8)
def _check_database(database: Database) -> _DatabaseCheck:
    return _DatabaseCheck(database)


_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_NOWHERE = "none"


class Metrics:
    """Metrics of requests since the start, and of the store."""

    def __init__(self, database: Database) -> None:
        self.registry = CollectorRegistry()
        named = ("method", "route", "status")
        self._requests = Counter("gate_requests", "Requests answered.", named, registry=self.registry)
        self._seconds = Histogram(
            "gate_request_seconds", "Time to an answer.", ("method", "route"), buckets=_SECONDS, registry=self.registry
        )
        self.registry.register(_OfStore(database))

    def seen(self, event: AnsweredRequest | Fault) -> None:
        """Count a request."""
        if isinstance(event, AnsweredRequest):
            route = event.route or _NOWHERE
            self._requests.labels(event.method, route, str(event.status)).inc()
            self._seconds.labels(event.method, route).observe(event.ms / 1000)


class _OfStore(Collector):
    """Metrics of the store, queried on demand."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Connections, and the content of the store if it answers."""
        used, idle = self._database.connections()
        yield GaugeMetricFamily("gate_database_connections_used", "Connections in use.", used)
        yield GaugeMetricFamily("gate_database_connections_idle", "Idle connections.", idle)
        try:
            runs, samples = count_runs(self._database)
        except GateError:
            yield GaugeMetricFamily("gate_store_up", "The store answers.", 0)
            return
        yield GaugeMetricFamily("gate_store_up", "The store answers.", 1)
        yield GaugeMetricFamily("gate_store_runs", "Runs in the store.", runs)
        yield GaugeMetricFamily("gate_store_samples", "Samples in the store.", samples)


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Open on this machine if there is no login; otherwise needs a token."""
    if not _on_this_machine(request):
        if "authorization" not in request.headers:
            raise ApiError(401, "This needs a token with the scope metrics:read.", BEARER, ASKS)
        authorize(request, Scope.METRICS_READ)
    found: Metrics = request.app.state.metrics
    return Response(generate_latest(found.registry), media_type=CONTENT_TYPE_LATEST)


def _on_this_machine(request: Request) -> bool:
    if site_of(request).login is not None or request.client is None:
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
