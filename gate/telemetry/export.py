"""Sends spans to a collector over OTLP/HTTP, without holding up the run or failing it."""

import io
import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests
from opentelemetry._logs import Logger
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

LONGEST = 64 * 1024
"""Bytes of an answer; the SDK would read one without end until memory is full."""


class Session(requests.Session):
    """Requests as the SDK sends them, with answers of bounded size.

    A redirect is no success: spans and their headers go to the address that was set, or nowhere.
    """

    def request(self, method: str, url: str | bytes, *args: Any, **options: Any) -> requests.Response:
        """See `requests.Session`."""
        answer = super().request(method, url, *args, **(options | {"allow_redirects": False, "stream": True}))
        start = answer.raw.read(LONGEST, decode_content=False)
        answer.close()
        answer.raw = io.BytesIO(start)
        if answer.is_redirect or 300 <= answer.status_code < 400:
            # To the SDK anything below 400 is a success.
            answer.reason, answer.status_code = f"redirect {answer.status_code}", 421
        return answer


NAME = "prompt-gate"
PATIENCE_S = 3.0
"""Seconds that the end of a run waits for the collector."""
_LOGGER = "opentelemetry"
_CAUSES = (
    (re.compile(r"redirect (\d{3})"), "the collector redirects (HTTP {}), which is not followed"),
    (re.compile(r"code: (\d{3})"), "the collector answers HTTP {}"),
    (re.compile(r"Invalid URL|No host supplied|No connection adapters"), "the address is not a URL"),
    (re.compile(r"(?i)timed out|timeout"), "the collector does not respond in time"),
    (re.compile(r"(?i)connection|resolve"), "the collector cannot be reached"),
    (re.compile(r"(?i)dropping"), "the queue was full"),
    (re.compile(r"Transient error ([A-Z][A-Za-z ]{2,40}) encountered"), "the collector answers {}"),
)
"""The SDK's messages, which may repeat an address with a password, or a header, and what replaces them."""


class _Trouble(logging.Handler):
    """Stores the SDK's complaints, which would otherwise go to the screen.

    A request that is sent again is a warning, and nothing is lost if it succeeds then.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.first = ""
        self.lost = ""

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        cause = _cause(said)
        self.first = self.first or cause
        if record.levelno >= logging.ERROR or "dropping" in said.lower():
            self.lost = self.lost or cause or "the collector did not take them"


@dataclass(slots=True)
class Exporter:
    """Sends the spans and events of one run to two addresses; without one for logs there is no logger.

    Queues are bounded, and what does not fit is dropped; a thread of the SDK sends them.
    """

    traces: str
    logs: str
    version: str
    tracer: Tracer = field(init=False)
    logger: Logger | None = field(init=False, default=None)
    _closing: list[Callable[[], None]] = field(init=False, default_factory=list)
    _trouble: _Trouble = field(init=False, default_factory=_Trouble)
    _propagated: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        sdk = logging.getLogger(_LOGGER)
        self._propagated, sdk.propagate = sdk.propagate, False
        sdk.addHandler(self._trouble)
        own = Resource({"service.name": NAME, "service.version": self.version})
        resource = Resource.get_empty().merge(own).merge(OTELResourceDetector().detect())
        spans = TracerProvider(resource=resource, shutdown_on_exit=False)
        spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=self.traces, session=Session())))
        self.tracer = spans.get_tracer(NAME, self.version)
        self._closing.append(spans.shutdown)
        if self.logs:
            events = LoggerProvider(resource=resource, shutdown_on_exit=False)
            events.add_log_record_processor(
                BatchLogRecordProcessor(OTLPLogExporter(endpoint=self.logs, session=Session()))
            )
            self.logger = events.get_logger(NAME, self.version)
            self._closing.append(events.shutdown)

    def close(self) -> str:
        """Send what is left, for `PATIENCE_S` seconds at most; returns the error in one line, if any."""
        # Daemons: an address that never answers must not keep the process alive.
        threads = [threading.Thread(target=one, daemon=True) for one in self._closing]
        for thread in threads:
            thread.start()
        until = time.monotonic() + PATIENCE_S
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        if any(thread.is_alive() for thread in threads):
            # The handler stays, or the SDK would complain on the screen after the verdict.
            return self._trouble.lost or self._trouble.first or f"sending them took longer than {PATIENCE_S:g} s"
        sdk = logging.getLogger(_LOGGER)
        sdk.removeHandler(self._trouble)
        sdk.propagate = self._propagated
        return self._trouble.lost


def _cause(said: str) -> str:
    """Why something was lost, in our own words; empty for other messages."""
    for form, cause in _CAUSES:
        if found := form.search(said):
            return cause.format(*found.groups())
    return ""


def parent_of(traceparent: str) -> Context | None:
    """The span that a run belongs to, from a W3C Trace Context `traceparent`; None where that is empty or invalid."""
    return TraceContextTextMapPropagator().extract({"traceparent": traceparent}) if traceparent else None
