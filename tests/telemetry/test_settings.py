"""When a run is followed, and what its user is told where it cannot be."""

import sys
from pathlib import Path

import pytest

from gate.app.run_order import RunOrder
from gate.app.run_tools import NoObserver, observed_run
from gate.environment.settings import TelemetrySettings
from tests.support.fakes import Memory
from tests.support.run_records import resolved

BASE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"}


@pytest.mark.parametrize(
    ("env", "traces", "logs"),
    [
        ({}, "", ""),
        (BASE, "http://c:4318/v1/traces", "http://c:4318/v1/logs"),
        ({**BASE, "OTEL_LOGS_EXPORTER": "none"}, "http://c:4318/v1/traces", ""),
        ({**BASE, "OTEL_SDK_DISABLED": "TRUE"}, "", ""),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x"}, "http://t/x", ""),
    ],
)
def test_addresses(env: dict[str, str], traces: str, logs: str) -> None:
    found = TelemetrySettings.from_environ(env)
    assert (found.traces, found.logs) == (traces, logs)


@pytest.mark.parametrize(
    ("value", "spans", "events"),
    [
        ("", False, False),
        ("no_content", False, False),
        ("true", True, True),
        ("SPAN_ONLY", True, False),
        ("EVENT_ONLY", False, True),
        ("SPAN_AND_EVENT", True, True),
    ],
)
def test_content(value: str, spans: bool, events: bool) -> None:
    found = TelemetrySettings.from_environ({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": value})
    assert (found.content_in_spans, found.content_in_events) == (spans, events)


def warned(wanted: TelemetrySettings, folder: Path) -> list[str]:
    said: list[str] = []
    plan = RunOrder(resolved([]), 1, 1, folder, Memory(), say=said.append)
    with observed_run(plan, wanted) as observer:
        assert isinstance(observer, NoObserver)
    return said


def test_a_protocol_that_is_not_spoken_is_one_warning(tmp_path: Path) -> None:
    (said,) = warned(TelemetrySettings("http://c/v1/traces", protocol="grpc"), tmp_path)
    assert said.startswith("warning: OpenTelemetry: spans cannot be sent by grpc")


def test_without_the_extra_there_is_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("gate.telemetry.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    (said,) = warned(TelemetrySettings("http://c/v1/traces"), tmp_path)
    assert "pip install '.[otel]'" in said


def test_what_the_sdk_complains_of_is_reported_in_words_that_repeat_no_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from gate.telemetry.export import Exporter

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization sesame")
    exporter = Exporter("http://user:sesame@[/v1/traces", "", "1")
    exporter.tracer.start_span("x").end()
    said = exporter.close()
    assert said
    assert "sesame" not in said
