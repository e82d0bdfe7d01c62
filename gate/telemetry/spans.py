"""OpenTelemetry spans of a run: its suites, samples, model calls and tool calls, with their attributes."""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry._logs import Logger, LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from gate.agents.interface import Toolbox
from gate.calls.endpoints import ANTHROPIC_URL, OPENAI_URL
from gate.calls.interface import BudgetedCalls, ExternalConversation, Request, WorthKeeping, any_reply
from gate.config.models import ModelRef
from gate.engine.schedule import Job
from gate.messages import Message, Tool, ToolCall
from gate.record.run import RunRecord
from gate.record.transcript import ArmName, Dollars, Failed, Reply, Sample, Score, ToolUse, Unscored
from gate.values import JsonValue

AttributeValue: TypeAlias = str | bool | int | float | Sequence[str]
Attributes: TypeAlias = dict[str, AttributeValue]
TextMask: TypeAlias = Callable[[str], str]
"""Replaces keys in a text."""

LONGEST = 20_000
"""Characters of one message, of a tool's result, or of a reason."""
LONGEST_NAME = 100
"""Characters of a name in the name of a span."""
MESSAGES = 100
"""Messages of one request; the newest are recorded."""
_HOSTED = {"openai": OPENAI_URL, "anthropic": ANTHROPIC_URL}
_HERE = ("local", "replay", "fake")
_CLOUDS = {"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "vertex": "gcp.vertex_ai"}
"""The conventions' names for providers that we call otherwise."""
_PORTS = {"http": 80, "https": 443}
_STATUS = re.compile(r"\bHTTP (\d{3})\b")


def request_attributes(request: Request, address: str) -> Attributes:
    """Attributes of a request to a service, without its content; an empty address is its maker's own."""
    params, provider = request.params, request.model.provider
    found: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _CLOUDS.get(provider, provider),
        "gen_ai.request.model": request.model.name,
        "gen_ai.output.type": "text" if request.schema is None else "json",
        **_server(address or _HOSTED.get(provider, ""), remote=provider not in _HERE),
    }
    if str(found.get("server.address", "")).endswith(".openai.azure.com"):
        found["gen_ai.provider.name"] = "azure.ai.openai"
    named = {
        "gen_ai.request.max_tokens": params.max_output_tokens,
        "gen_ai.request.temperature": params.temperature,
        "gen_ai.request.top_p": params.top_p,
        "gen_ai.request.seed": params.seed,
        "gen_ai.request.stop_sequences": params.stop or None,
    }
    return found | {name: value for name, value in named.items() if value is not None}


def _server(address: str, *, remote: bool) -> Attributes:
    """Host and port; neither path nor anything else that an address may hold."""
    if not remote:
        return {}
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return {}
    return {"server.address": host, **({"server.port": port} if port else {})} if host else {}


def reply_attributes(reply: Reply) -> Attributes:
    """Attributes of a reply, without its content."""
    usage = reply.usage
    found: Attributes = {
        "gen_ai.response.model": reply.model_id,
        "gen_ai.usage.input_tokens": usage.total_input,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "prompt_gate.attempts": reply.attempts,
    }
    if reply.stop_reason:
        found["gen_ai.response.finish_reasons"] = [reply.stop_reason]
    if isinstance(reply.cost, Dollars):
        found["prompt_gate.cost_usd"] = reply.cost.amount
    return found


def error_type(failed: Failed | BaseException) -> str:
    """A status code, `timeout`, the name of an exception, or `_OTHER`."""
    if isinstance(failed, BaseException):
        return type(failed).__name__
    if status := _STATUS.search(failed.reason):
        return status[1]
    return "timeout" if "time-out" in failed.reason or "timed out" in failed.reason else "_OTHER"


def request_content(request: Request, mask: TextMask) -> Attributes:
    """The content of a request: instructions apart from the conversation."""
    system = [message for message in request.messages if message.role == "system"]
    others = [message for message in request.messages if message.role != "system"][-MESSAGES:]
    found: Attributes = {"gen_ai.input.messages": json.dumps([_message(one, mask) for one in others])}
    if system:
        found["gen_ai.system_instructions"] = json.dumps([_text(one.content, mask) for one in system])
    return found


def reply_content(reply: Reply, mask: TextMask) -> Attributes:
    thinking = [{"type": "reasoning", "content": cut_text(reply.thinking, mask)}] if reply.thinking else []
    parts = [*thinking, *([_text(reply.text, mask)] if reply.text else []), *_calls(reply.tool_calls, mask)]
    message = {"role": "assistant", "parts": parts, "finish_reason": reply.stop_reason or "stop"}
    return {"gen_ai.output.messages": json.dumps([message])}


def run_attributes(run: RunRecord) -> Attributes:
    """The result of a run."""
    found: Attributes = {
        "prompt_gate.verdict": run.verdict.value,
        "prompt_gate.exit_code": run.exit_code,
        "prompt_gate.findings": [finding.code for finding in run.findings],
        "prompt_gate.kind": run.kind or "diff",
        "prompt_gate.calls.made": run.calls.made,
        "prompt_gate.calls.cached": run.calls.cached,
        "prompt_gate.calls.failed": run.calls.failed,
    }
    if run.waived:
        found["prompt_gate.waived"] = run.waived
    if run.commit:
        found["vcs.ref.head.revision"] = run.commit
    if run.spent_usd is not None:
        found["prompt_gate.cost_usd"] = run.spent_usd
    return found


def safe_attributes(found: Attributes) -> Attributes:
    """The same with texts that can be sent: half a surrogate pair would lose the whole batch."""
    return {name: _sendable(value) for name, value in found.items()}


def span_name(what: str, name: str) -> str:
    """The name of a span: the operation and a name, which may be anything."""
    return f"{what} {name.encode('utf-8', 'replace').decode()[:LONGEST_NAME]}"


def _sendable(value: AttributeValue) -> AttributeValue:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value if isinstance(value, int | float) else [text.encode("utf-8", "replace").decode() for text in value]


def cut_text(text: str, mask: TextMask) -> str:
    """A text of bounded length, without keys."""
    told = mask(text)
    return told if len(told) <= LONGEST else f"{told[:LONGEST]} […{len(told) - LONGEST:,} characters left out]"


def _message(message: Message, mask: TextMask) -> JsonValue:
    if message.role == "tool":
        given: JsonValue = {
            "type": "tool_call_response",
            "id": message.answers,
            "response": cut_text(message.content, mask),
        }
        return {"role": "tool", "parts": [given]}
    said = [_text(message.content, mask)] if message.content else []
    return {"role": message.role, "parts": [*said, *_calls(message.tool_calls, mask)]}


def _text(text: str, mask: TextMask) -> JsonValue:
    return {"type": "text", "content": cut_text(text, mask)}


def _calls(calls: Iterable[ToolCall], mask: TextMask) -> list[JsonValue]:
    return [
        {"type": "tool_call", "id": call.id, "name": call.name, "arguments": cut_text(call.arguments, mask)}
        for call in calls
    ]


ServerAddress: TypeAlias = Callable[[ModelRef], str]
_Key: TypeAlias = tuple[str, str, ArmName, int]
_NS = 1_000_000_000
EVALUATION = "gen_ai.evaluation.result"


@dataclass(frozen=True, slots=True)
class ContentTerms:
    """What may be recorded: in spans prompts, answers, arguments and results of tools; in events the reasons
    of scorers."""

    mask: TextMask
    content_in_spans: bool = False
    content_in_events: bool = False


@dataclass(slots=True)
class _Taken:
    """A sample under way, and the context of its evaluations: the span of its last answer, or its own."""

    span: Span
    context: Context


@dataclass(slots=True)
class Trace:
    """Makes the spans of one run, all in the event loop's thread; without a logger, events become part of their
    spans."""

    tracer: Tracer
    logger: Logger | None
    terms: ContentTerms
    _suites: dict[str, Span] = field(default_factory=dict, init=False)
    _open: dict[_Key, _Taken] = field(default_factory=dict, init=False)
    _by_span: dict[int, _Taken] = field(default_factory=dict, init=False)

    @contextmanager
    def run(self, parent: Context | None) -> Iterator[None]:
        """The span of the run, a new trace without a parent; spans that are still open at its end end with it."""
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
        """Record the verdict on the span of the run."""
        trace.get_current_span().set_attributes(safe_attributes(run_attributes(run)))

    @contextmanager
    def sample(self, job: Job) -> Iterator[None]:
        """A sample is taken: calls within belong to it, until `finished` records its result."""
        about: Attributes = {
            "prompt_gate.suite": job.suite.name,
            "prompt_gate.case.id": job.case.id,
            "prompt_gate.arm": job.arm.value,
            "prompt_gate.sample.index": job.index,
            "prompt_gate.warmup": job.warmup,
        }
        above = trace.set_span_in_context(self._suite(job.suite.name))
        span = self.tracer.start_span("prompt_gate.sample", above, attributes=safe_attributes(about))
        taken = _Taken(span, trace.set_span_in_context(span))
        key = job.suite.name, job.case.id, job.arm, job.index
        if (earlier := self._open.pop(key, None)) is not None:
            self._by_span.pop(earlier.span.get_span_context().span_id, None)
            earlier.span.end()
        self._open[key] = taken
        self._by_span[span.get_span_context().span_id] = taken
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            yield

    def calls(self, calls: BudgetedCalls, role: str, address: ServerAddress) -> "TracedCalls":
        """Calls that are recorded; the role is `answer`, `aside`, `judge` or `other`."""
        return TracedCalls(calls, self, role, address)

    def toolbox(self, box: Toolbox) -> "TracedToolbox":
        """Tools whose calls are recorded."""
        return TracedToolbox(box, self)

    def finished(self, sample: Sample) -> None:
        """Record the score of a sample, and that of each scorer."""
        with suppress(Exception):  # an error in tracing must not fail the sample
            self._finished(sample)

    def _finished(self, sample: Sample) -> None:
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
        """Record a call of a model in one span, however often it was sent; a known answer is not recorded. `begun` is
        in nanoseconds since 1970."""
        if isinstance(reply, Reply) and reply.origin.reused:
            return
        now = time.time_ns()
        if isinstance(reply, Reply) and reply.latency_s is not None and reply.attempts == 1:
            # Without the wait for a turn.
            begun = max(begun, now - round(reply.latency_s * _NS))
        kind = SpanKind.CLIENT if "server.address" in about else SpanKind.INTERNAL
        name = span_name("chat", request.model.name)
        span = self.tracer.start_span(name, kind=kind, attributes=safe_attributes(about), start_time=begun)
        if self.terms.content_in_spans and span.is_recording():
            span.set_attributes(request_content(request, self.terms.mask))
        if isinstance(reply, Reply):
            span.set_attributes(safe_attributes(reply_attributes(reply)))
            if self.terms.content_in_spans and span.is_recording():
                span.set_attributes(reply_content(reply, self.terms.mask))
        else:
            self._failed(span, reply)
        span.end(now)
        self._answers(span, about)

    def used(self, tool: ToolUse, begun: int) -> None:
        """Record a call of a tool, begun at so many nanoseconds since 1970."""
        about: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool.name,
            "gen_ai.tool.type": "function",
        }
        if self.terms.content_in_spans:
            about["gen_ai.tool.call.arguments"] = cut_text(tool.arguments, self.terms.mask)
            about["gen_ai.tool.call.result"] = cut_text(tool.result, self.terms.mask)
        name = span_name("execute_tool", tool.name)
        span = self.tracer.start_span(name, attributes=safe_attributes(about), start_time=begun)
        if tool.failed:
            span.set_attribute("error.type", "missing_tool" if tool.missing else "tool_error")
            span.set_status(Status(StatusCode.ERROR))
        span.end()

    def _suite(self, name: str) -> Span:
        if name not in self._suites:
            about: Attributes = {"prompt_gate.suite": name}
            self._suites[name] = self.tracer.start_span("prompt_gate.suite", attributes=safe_attributes(about))
        return self._suites[name]

    def _answers(self, span: Span, about: Attributes) -> None:
        """Attach evaluations to this answer."""
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
            about["gen_ai.evaluation.explanation"] = cut_text(said, self.terms.mask)
        about = safe_attributes(about)
        if self.logger is None:
            taken.span.add_event(EVALUATION, about)
            return
        now, level = time.time_ns(), SeverityNumber.INFO
        self.logger.emit(
            LogRecord(  # pyrefly: ignore[direct-abstract-base-instantiation]
                timestamp=now, context=taken.context, severity_number=level, attributes=about, event_name=EVALUATION
            )
        )

    def _failed(self, span: Span, failed: Failed | BaseException) -> None:
        span.set_attribute("error.type", error_type(failed))
        told = cut_text(failed.reason, self.terms.mask)[:500] if isinstance(failed, Failed) else ""
        span.set_status(Status(StatusCode.ERROR, told.encode("utf-8", "replace").decode() or None))


@dataclass(frozen=True, slots=True)
class TracedCalls:
    calls: BudgetedCalls
    trace: Trace
    role: str
    address: ServerAddress

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        begun = time.time_ns()
        try:
            reply = await self.calls.call(request, fresh=fresh, worth=worth)
        except BaseException as error:
            self._told(request, error, begun)
            raise
        self._told(request, reply, begun)
        return reply

    def outside(self, messages: int) -> AbstractAsyncContextManager[ExternalConversation]:
        return self.calls.outside(messages)

    def _told(self, request: Request, reply: Reply | Failed | BaseException, begun: int) -> None:
        with suppress(Exception):  # an error in tracing must not fail the call
            about = request_attributes(request, self.address(request.model))
            self.trace.called(request, reply, begun, {**about, "prompt_gate.role": self.role})


@dataclass(frozen=True, slots=True)
class TracedToolbox:
    """Tools whose calls are recorded."""

    box: Toolbox
    trace: Trace

    @property
    def notes(self) -> tuple[str, ...]:
        return self.box.notes

    async def tools(self) -> tuple[Tool, ...]:
        return await self.box.tools()

    async def call(self, name: str, arguments: str, session: str) -> ToolUse:
        begun = time.time_ns()
        use = await self.box.call(name, arguments, session)
        with suppress(Exception):
            self.trace.used(use, begun)
        return use

    async def close(self) -> None:
        await self.box.close()
