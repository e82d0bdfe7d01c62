"""Figures about the server, for Prometheus."""

import ipaddress
from collections.abc import Iterator

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.responses import Response

from gate.domain.api_token import Scope
from gate.errors import GateError
from gate.store.sql.engine import Database
from gate.store.sql.info import counted
from gate.web.access import Role, needs, site_of
from gate.web.api.callers import ASKS, BEARER, admits
from gate.web.api.problems import ApiError
from gate.web.logs import Answered, Fault

router = APIRouter()
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_NOWHERE = "none"


class Metrics:
    """What happened since the start, and what the store holds now.

    Args:
        database: of the store.
    """

    def __init__(self, database: Database) -> None:
        self.registry = CollectorRegistry()
        named = ("method", "route", "status")
        self._requests = Counter("gate_requests", "Requests answered.", named, registry=self.registry)
        self._seconds = Histogram(
            "gate_request_seconds", "Time to an answer.", ("method", "route"), buckets=_SECONDS, registry=self.registry
        )
        self.registry.register(_OfStore(database))

    def seen(self, event: Answered | Fault) -> None:
        """A request was answered."""
        if isinstance(event, Answered):
            route = event.route or _NOWHERE
            self._requests.labels(event.method, route, str(event.status)).inc()
            self._seconds.labels(event.method, route).observe(event.ms / 1000)


class _OfStore(Collector):
    """Looked up when somebody asks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Connections, and what the store holds; of a store that does not answer only that."""
        pool = self._database.connections()
        yield GaugeMetricFamily("gate_database_connections_used", "Connections at work.", pool.used)
        yield GaugeMetricFamily("gate_database_connections_idle", "Connections that wait.", pool.idle)
        try:
            found = counted(self._database)
        except GateError:
            yield GaugeMetricFamily("gate_store_up", "The store answers.", 0)
            return
        yield GaugeMetricFamily("gate_store_up", "The store answers.", 1)
        yield GaugeMetricFamily("gate_store_runs", "Runs in the store.", found.runs)
        yield GaugeMetricFamily("gate_store_samples", "Samples in the store.", found.samples)


@router.get("/metrics")
@needs(Role.NOBODY)
def metrics(request: Request) -> Response:
    """For programs on this machine where nobody logs in, else for those with a token."""
    if not _on_this_machine(request):
        if "authorization" not in request.headers:
            raise ApiError(401, "This needs a token with the scope metrics:read.", BEARER, ASKS)
        admits(Scope.METRICS_READ)(request)
    found: Metrics = request.app.state.metrics
    return Response(generate_latest(found.registry), media_type=CONTENT_TYPE_LATEST)


def _on_this_machine(request: Request) -> bool:
    if site_of(request).login is not None or request.client is None:
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
