"""One trace for each run: the run, its suites, their samples, and what models and tools were asked for each."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from opentelemetry import trace
from opentelemetry._logs import Logger, LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from gate.domain.absence import Failed, Unscored
from gate.domain.model import ModelRef
from gate.domain.record import RunRecord
from gate.domain.sample import ArmName, Reply, Sample, Score
from gate.domain.transcript import ToolUse
from gate.engine.plan import Job
from gate.providers.base import Request
from gate.telemetry import attributes
from gate.telemetry.attributes import Attributes, Mask

Address: TypeAlias = Callable[[ModelRef], str]
_Key: TypeAlias = tuple[str, str, ArmName, int]
_NS = 1_000_000_000
EVALUATION = "gen_ai.evaluation.result"


@dataclass(frozen=True, slots=True)
class Terms:
    """What may be told.

    Args:
        mask: takes keys out of texts.
        content_in_spans: prompts, answers, arguments and results of tools.
        content_in_events: what scorers say of an answer.
    """

    mask: Mask
    content_in_spans: bool = False
    content_in_events: bool = False


@dataclass(slots=True)
class _Taken:
    """A sample under way.

    Args:
        span: of the sample.
        context: under which what was evaluated is told of: the span of the last answer, or that of the sample.
    """

    span: Span
    context: Context


@dataclass(slots=True)
class Trace:
    """Makes the spans of one run; all of it happens in the thread of the event loop.

    Args:
        tracer: makes spans.
        logger: takes events; None where they become part of their spans.
        terms: what may be told.
    """

    tracer: Tracer
    logger: Logger | None
    terms: Terms
    _suites: dict[str, Span] = field(default_factory=dict, init=False)
    _open: dict[_Key, _Taken] = field(default_factory=dict, init=False)
    _by_span: dict[int, _Taken] = field(default_factory=dict, init=False)

    @contextmanager
    def run(self, parent: Context | None) -> Iterator[None]:
        """The span of the run; what is still open at its end ends with it.

        Args:
            parent: that the run belongs to; None for a trace of its own.
        """
        begun = self.tracer.start_as_current_span(
            "prompt_gate.run", parent, record_exception=False, set_status_on_exception=False
        )
        with begun as span:
            try:
                yield
            except BaseException as error:
                self._failed(span, error)
                raise
            finally:
                for taken in self._open.values():
                    taken.span.end()
                for suite in self._suites.values():
                    suite.end()

    def ended(self, run: RunRecord) -> None:
        """Tell the verdict on the span of the run."""
        trace.get_current_span().set_attributes(attributes.safe(attributes.verdict(run)))

    @contextmanager
    def sample(self, job: Job) -> Iterator[None]:
        """A sample is taken: what is asked within belongs to it, until `finished` is told what came of it."""
        about: Attributes = {
            "prompt_gate.suite": job.suite.name,
            "prompt_gate.case.id": job.case.id,
            "prompt_gate.arm": job.arm.value,
            "prompt_gate.sample.index": job.index,
            "prompt_gate.warmup": job.warmup,
        }
        above = trace.set_span_in_context(self._suite(job.suite.name))
        span = self.tracer.start_span("prompt_gate.sample", above, attributes=attributes.safe(about))
        taken = _Taken(span, trace.set_span_in_context(span))
        key = job.suite.name, job.case.id, job.arm, job.index
        if (earlier := self._open.pop(key, None)) is not None:
            self._by_span.pop(earlier.span.get_span_context().span_id, None)
            earlier.span.end()
        self._open[key] = taken
        self._by_span[span.get_span_context().span_id] = taken
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            yield

    def finished(self, sample: Sample) -> None:
        """What came of a sample: its score, and what each scorer says."""
        taken = self._open.pop((sample.suite, sample.case_id, sample.arm, sample.index), None)
        if taken is None:
            return
        self._by_span.pop(taken.span.get_span_context().span_id, None)
        for score in sample.scores:
            self._evaluated(taken, score)
        if not isinstance(sample.score, Unscored):
            taken.span.set_attribute("prompt_gate.score", sample.score)
        if isinstance(sample.reply, Failed):
            self._failed(taken.span, sample.reply)
        else:
            taken.span.set_attribute("prompt_gate.reused", sample.reply.origin.reused)
        taken.span.end()

    def called(self, request: Request, reply: Reply | Failed | BaseException, begun: int, about: Attributes) -> None:
        """A model was called; one span, however often the request was sent.

        Args:
            request: what was asked.
            reply: what came of it; a known answer was not asked for, and is not told.
            begun: nanoseconds since 1970.
            about: attributes of the request.
        """
        if isinstance(reply, Reply) and reply.origin.reused:
            return
        now = time.time_ns()
        if isinstance(reply, Reply) and reply.latency_s is not None and reply.attempts == 1:
            # Without the wait for a turn.
            begun = max(begun, now - round(reply.latency_s * _NS))
        kind = SpanKind.CLIENT if "server.address" in about else SpanKind.INTERNAL
        name = attributes.named("chat", request.model.name)
        span = self.tracer.start_span(name, kind=kind, attributes=attributes.safe(about), start_time=begun)
        if self.terms.content_in_spans and span.is_recording():
            span.set_attributes(attributes.sent(request, self.terms.mask))
        if isinstance(reply, Reply):
            span.set_attributes(attributes.safe(attributes.answered(reply)))
            if self.terms.content_in_spans and span.is_recording():
                span.set_attributes(attributes.came(reply, self.terms.mask))
        else:
            self._failed(span, reply)
        span.end(now)
        self._answers(span, about)

    def used(self, tool: ToolUse, begun: int) -> None:
        """A tool was called.

        Args:
            tool: and what came of it.
            begun: nanoseconds since 1970.
        """
        about: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool.name,
            "gen_ai.tool.type": "function",
        }
        if self.terms.content_in_spans:
            about["gen_ai.tool.call.arguments"] = attributes.cut(tool.arguments, self.terms.mask)
            about["gen_ai.tool.call.result"] = attributes.cut(tool.result, self.terms.mask)
        name = attributes.named("execute_tool", tool.name)
        span = self.tracer.start_span(name, attributes=attributes.safe(about), start_time=begun)
        if tool.failed:
            span.set_attribute("error.type", "missing_tool" if tool.missing else "tool_error")
            span.set_status(Status(StatusCode.ERROR))
        span.end()

    def _suite(self, name: str) -> Span:
        if name not in self._suites:
            about: Attributes = {"prompt_gate.suite": name}
            self._suites[name] = self.tracer.start_span("prompt_gate.suite", attributes=attributes.safe(about))
        return self._suites[name]

    def _answers(self, span: Span, about: Attributes) -> None:
        """What is evaluated is the answer, so that is what evaluations belong to."""
        taken = self._by_span.get(trace.get_current_span().get_span_context().span_id)
        if taken is not None and about["prompt_gate.role"] == "answer":
            taken.context = trace.set_span_in_context(span)

    def _evaluated(self, taken: _Taken, score: Score) -> None:
        about: Attributes = {"gen_ai.evaluation.name": score.scorer, "prompt_gate.scorer.weight": score.weight}
        value = score.value
        if isinstance(value, Unscored):
            about["error.type"] = "unscored"
        else:
            about["gen_ai.evaluation.score.value"] = value
            if score.required:
                about["gen_ai.evaluation.score.label"] = "pass" if value > 0.0 else "fail"
        if self.terms.content_in_events:
            said = value.reason if isinstance(value, Unscored) else score.reason
            about["gen_ai.evaluation.explanation"] = attributes.cut(said, self.terms.mask)
        about = attributes.safe(about)
        if self.logger is None:
            taken.span.add_event(EVALUATION, about)
            return
        now, level = time.time_ns(), SeverityNumber.INFO
        self.logger.emit(
            LogRecord(
                timestamp=now, context=taken.context, severity_number=level, attributes=about, event_name=EVALUATION
            )
        )

    def _failed(self, span: Span, failed: Failed | BaseException) -> None:
        span.set_attribute("error.type", attributes.error_type(failed))
        told = attributes.cut(failed.reason, self.terms.mask)[:500] if isinstance(failed, Failed) else ""
        span.set_status(Status(StatusCode.ERROR, told.encode("utf-8", "replace").decode() or None))
