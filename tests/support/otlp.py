"""An OTLP collector on loopback that decodes requests with the protocol's own messages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue


@dataclass(frozen=True, slots=True)
class Seen:
    """A span, or an event.

    Args:
        name: of the span, or of the event.
        attributes: plain values.
        id, parent, trace: hexadecimal; an event has the id of its span as its parent.
        kind, status: numbers of the protocol.
        events: names of what happened on the span.
        begun, ended: nanoseconds.
    """

    name: str
    attributes: dict[str, Any]
    id: str
    parent: str
    trace: str
    kind: int = 0
    status: int = 0
    events: tuple[str, ...] = ()
    begun: int = 0
    ended: int = 0


@dataclass(slots=True)
class Collector:
    """What was taken.

    Args:
        address: of the server.
        status: that it answers with.
        spans, events: in the order in which they came.
        resources: attributes of whoever sent them.
        headers: of all requests.
        raw: bodies of all requests.
    """

    address: str = ""
    status: int = 200
    spans: list[Seen] = field(default_factory=list)
    events: list[Seen] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)

    def take(self, path: str, body: bytes) -> None:
        """Decode one request."""
        self.raw.append(body)
        if path.endswith("/v1/traces"):
            for one in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(_plain(one.resource.attributes))
                self.spans += [_span(span) for scope in one.scope_spans for span in scope.spans]
        if path.endswith("/v1/logs"):
            for logs in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.events += [_event(log) for scope in logs.scope_logs for log in scope.log_records]

    def named(self, start: str) -> list[Seen]:
        """The spans whose name begins so."""
        return [span for span in self.spans if span.name.startswith(start)]


@contextmanager
def collector(status: int = 200) -> Iterator[Collector]:
    """A collector that answers with one status."""
    found = Collector(status=status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.headers.append(dict(self.headers))
            found.take(self.path, body)
            self.send_response(found.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def _span(span: Any) -> Seen:
    events = tuple(event.name for event in span.events)
    return Seen(
        span.name, _plain(span.attributes), span.span_id.hex(), span.parent_span_id.hex(), span.trace_id.hex(),
        span.kind, span.status.code, events, span.start_time_unix_nano, span.end_time_unix_nano,
    )  # fmt: skip


def _event(log: Any) -> Seen:
    return Seen(log.event_name, _plain(log.attributes), "", log.span_id.hex(), log.trace_id.hex())


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None
