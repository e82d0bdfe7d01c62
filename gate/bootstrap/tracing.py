"""Spans of a run for whoever wants them; without an address nothing of it is loaded."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from gate.bootstrap.plan import Plan
from gate.calls.port import Asking
from gate.domain.record import RunRecord
from gate.domain.sample import Sample
from gate.engine.plan import Job
from gate.errors import with_extra
from gate.flows.ports import Tracing
from gate.providers.factory import Factory
from gate.report.escape import one_line, terminal
from gate.report.secrets import masked
from gate.settings.telemetry import TelemetrySettings
from gate.targets.port import Toolbox

if TYPE_CHECKING:
    from gate.telemetry.spans import Trace

PROTOCOL = "http/protobuf"


class Observer(Tracing, Protocol):
    """Looks at what a run does."""

    def calls(self, calls: Asking, role: str, factory: Factory) -> Asking:
        """Calls that are looked at.

        Args:
            calls: makes them.
            role: `answer`, `aside`, `judge` or `other`.
            factory: knows addresses.
        """
        ...

    def toolbox(self, box: Toolbox) -> Toolbox:
        """Tools that are looked at."""
        ...

    def ended(self, run: RunRecord) -> None:
        """What came of it."""
        ...


class Unobserved:
    """Nobody looks."""

    def sample(self, job: Job) -> AbstractContextManager[None]:
        return nullcontext()

    def finished(self, sample: Sample) -> None:
        return

    def calls(self, calls: Asking, role: str, factory: Factory) -> Asking:
        return calls

    def toolbox(self, box: Toolbox) -> Toolbox:
        return box

    def ended(self, run: RunRecord) -> None:
        return


@dataclass(frozen=True, slots=True)
class _Observed:
    """Everything becomes a span."""

    trace: "Trace"

    def sample(self, job: Job) -> AbstractContextManager[None]:
        return self.trace.sample(job)

    def finished(self, sample: Sample) -> None:
        with suppress(Exception):  # whoever looks must not be in the way
            self.trace.finished(sample)

    def calls(self, calls: Asking, role: str, factory: Factory) -> Asking:
        from gate.telemetry.tracing import TracedCalls

        return TracedCalls(calls, self.trace, role, factory.address)

    def toolbox(self, box: Toolbox) -> Toolbox:
        from gate.telemetry.tracing import TracedToolbox

        return TracedToolbox(box, self.trace)

    def ended(self, run: RunRecord) -> None:
        self.trace.ended(run)


@contextmanager
def observed(plan: Plan, wanted: TelemetrySettings) -> Iterator[Observer]:
    """Whoever looks at a run; what goes wrong with it is a warning, once, and nothing else.

    Args:
        plan: what is carried out; its user is warned.
        wanted: where spans go.
    """
    if not wanted.traces:
        yield Unobserved()
        return
    if wanted.protocol != PROTOCOL:
        named = one_line(wanted.protocol)[:50]
        _warn(plan, f"no spans are sent by {named}; set OTEL_EXPORTER_OTLP_PROTOCOL={PROTOCOL}")
        yield Unobserved()
        return
    try:
        from gate.telemetry.export import Exporter, parent_of
        from gate.telemetry.spans import Terms, Trace
    except ImportError:
        _warn(plan, f"an OTLP endpoint is set, and no spans are sent; {with_extra('otel')}")
        yield Unobserved()
        return
    try:
        exporter = Exporter(wanted.traces, wanted.logs, version("prompt-gate"))
    except Exception as error:  # a variable that the SDK does not understand; the run has nothing to do with it
        # What it says may repeat the variable, and that may be a key.
        _warn(plan, f"no spans are sent: the SDK refuses its settings ({type(error).__name__})")
        yield Unobserved()
        return
    terms = Terms(masked, wanted.content_in_spans, wanted.content_in_events)
    trace = Trace(exporter.tracer, exporter.logger, terms)
    try:
        with trace.run(parent_of(wanted.parent)):
            yield _Observed(trace)
    finally:
        if trouble := exporter.close():
            _warn(plan, f"spans were lost: {trouble}")


def _warn(plan: Plan, said: str) -> None:
    plan.say(terminal(f"warning: OpenTelemetry: {said}"))
