"""Spans and events of samples, calls and tools, in memory and with the real SDK."""

import asyncio
from dataclasses import replace

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.engine.schedule import Job
from gate.messages import Message
from gate.record.transcript import ArmName, Dollars, Failed, Reply, Sample, Score, ToolUse, Unscored, Usage
from gate.telemetry.spans import ContentTerms, Trace, TracedCalls, TracedToolbox, request_attributes
from tests.support.fake_agents import FakeBox
from tests.support.fakes import ScriptedCalls
from tests.support.runs import suite

REPLY = Reply("yes", "m-1", Usage(3, 2, 1, 4), Dollars(0.5), 0.25, stop_reason="stop")
REQUEST = Request((Message("user", "hello"),), ModelRef("openai", "m"), Params(temperature=0.5, stop=("x",)))


class Kept:
    """A trace whose spans are kept here."""

    def __init__(self, *, content: bool = False) -> None:
        self.kept = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.kept))
        self.trace = Trace(provider.get_tracer("test"), None, ContentTerms(lambda text: text, content, content))

    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.kept.get_finished_spans()}


def told(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_pair_that_is_compared_tells_of_both_when_the_second_is_there() -> None:
    made, memory = suite([{}, {}]), Kept()
    case = made.exam.cases[0]
    with memory.trace.run(None):
        for arm in ArmName:
            with memory.trace.sample(Job(made, case, arm, 0)):
                pass
        assert not memory.spans()
        for arm in ArmName:
            score = Score("pairwise", 0.5)
            memory.trace.finished(Sample(made.name, case.id, arm, 0, REPLY, (score,), 0.5))
    spans = [span for span in memory.kept.get_finished_spans() if span.name == "prompt_gate.sample"]
    assert {told(span)["prompt_gate.arm"] for span in spans} == {"baseline", "candidate"}
    assert [event.name for span in spans for event in span.events] == ["gen_ai.evaluation.result"] * 2


def test_what_never_ends_ends_with_the_run() -> None:
    made, memory = suite([{}]), Kept()
    with pytest.raises(KeyboardInterrupt), memory.trace.run(None):
        with memory.trace.sample(Job(made, made.exam.cases[0], ArmName.CANDIDATE, 0)):
            raise KeyboardInterrupt
    assert {"prompt_gate.run", "prompt_gate.suite", "prompt_gate.sample"} == set(memory.spans())
    assert told(memory.spans()["prompt_gate.run"])["error.type"] == "KeyboardInterrupt"


def called(reply: Reply | Failed, memory: Kept, request: Request = REQUEST) -> dict[str, ReadableSpan]:
    calls = TracedCalls(ScriptedCalls([reply]), memory.trace, "answer", lambda model: "")
    asyncio.run(calls.call(request))
    return memory.spans()


def test_a_call_is_a_span_of_its_own_time() -> None:
    span = called(REPLY, Kept())["chat m"]
    found = told(span)
    assert found["gen_ai.usage.input_tokens"] == 6
    assert found["gen_ai.usage.cache_read.input_tokens"] == 2
    assert found["gen_ai.request.temperature"] == 0.5
    assert found["gen_ai.request.stop_sequences"] == ("x",)
    assert (found["server.address"], found["server.port"]) == ("api.openai.com", 443)
    assert "gen_ai.input.messages" not in found


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("HTTP 429 from api.example.com", "429"), ("time-out after 3 s", "timeout"), ("it broke", "_OTHER")],
)
def test_a_failed_call_says_so(reason: str, kind: str) -> None:
    span = called(Failed(reason), Kept())["chat m"]
    assert told(span)["error.type"] == kind
    assert (span.status.status_code.name, span.status.description) == ("ERROR", reason)


@pytest.mark.parametrize("content", [False, True])
def test_a_tool_is_a_span_whose_content_is_reported_on_request(content: bool) -> None:
    memory = Kept(content=content)
    asyncio.run(TracedToolbox(FakeBox(), memory.trace).call("look", '{"at": 1}', "s"))
    found = told(memory.spans()["execute_tool look"])
    assert found["gen_ai.operation.name"] == "execute_tool"
    assert ("gen_ai.tool.call.arguments" in found) == content


def test_no_name_of_a_fork_keeps_a_batch_from_being_sent() -> None:
    memory = Kept(content=True)
    memory.trace.used(ToolUse("\ud800" * 300, "\ud800", "\ud800", failed=True, missing=True), 0)
    called(replace(REPLY, text="\ud800", model_id="\ud800", stop_reason="\ud800"), memory)
    for span in memory.kept.get_finished_spans():
        assert len(span.name) < 150
        for value in (span.name, *told(span).values()):
            for text in value if isinstance(value, tuple) else (value,):
                str(text).encode()


def test_an_unscored_sample_has_the_reason_only_where_content_is_reported() -> None:
    made, memory = suite([{}]), Kept()
    case = made.exam.cases[0]
    with memory.trace.run(None):
        with memory.trace.sample(Job(made, case, ArmName.CANDIDATE, 0)):
            pass
        score = Score("judge", Unscored("said: the secret answer"))
        memory.trace.finished(Sample(made.name, case.id, ArmName.CANDIDATE, 0, REPLY, (score,)))
    (event,) = memory.spans()["prompt_gate.sample"].events
    assert dict(event.attributes or {}) == {
        "gen_ai.evaluation.name": "judge",
        "prompt_gate.scorer.weight": 1.0,
        "error.type": "unscored",
    }


@pytest.mark.parametrize(
    ("address", "provider", "host", "port"),
    [
        ("https://user:pw@models.example/v1?key=1", "openai", "models.example", 443),
        ("https://acme.openai.azure.com/openai", "azure.ai.openai", "acme.openai.azure.com", 443),
        ("http://localhost:11434/v1", "openai", "localhost", 11434),
        ("http://[", "openai", None, None),
    ],
)
def test_of_an_address_only_host_and_port_are_recorded(
    address: str, provider: str, host: str | None, port: int | None
) -> None:
    found = request_attributes(REQUEST, address)
    assert (found["gen_ai.provider.name"], found.get("server.address"), found.get("server.port")) == (
        provider,
        host,
        port,
    )
    assert "pw" not in str(found)
