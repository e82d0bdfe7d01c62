"""Where spans go, from OpenTelemetry's own environment variables."""

from collections.abc import Mapping
from dataclasses import dataclass

_YES = frozenset({"true", "1", "span_and_event"})


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """What the environment says of OpenTelemetry; headers, time-outs, samplers and queues are read by its SDK.

    Args:
        traces: the address that spans are sent to; empty where none are wanted.
        logs: the address that events are sent to; empty where they are to be part of their spans.
        protocol: how both are sent.
        content_in_spans: prompts and answers, too.
        content_in_events: what scorers say of them, too.
        parent: the span that the run belongs to, in the form of W3C Trace Context; empty where there is none.
    """

    traces: str = ""
    logs: str = ""
    protocol: str = "http/protobuf"
    content_in_spans: bool = False
    content_in_events: bool = False
    parent: str = ""

    @classmethod
    def from_environ(cls, env: Mapping[str, str]) -> "TelemetrySettings":
        """Read the environment; an empty variable counts as absent.

        Args:
            env: the variables.
        """
        prefix = "OTEL_EXPORTER_OTLP"
        off = env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
        content = env.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").strip().lower()
        named = env.get(f"{prefix}_TRACES_PROTOCOL") or env.get(f"{prefix}_PROTOCOL")
        return cls(
            traces="" if off else _address(env, "TRACES"),
            logs="" if off else _address(env, "LOGS"),
            protocol=(named or "http/protobuf").strip().lower(),
            content_in_spans=content in _YES | {"span_only"},
            content_in_events=content in _YES | {"event_only"},
            parent=env.get("TRACEPARENT", "").strip(),
        )


def _address(env: Mapping[str, str], signal: str) -> str:
    """The address of one signal; one that is named for it alone is taken as it stands."""
    if env.get(f"OTEL_{signal}_EXPORTER", "").strip().lower() == "none":
        return ""
    own = env.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "").strip()
    base = env.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    return own or (f"{base.rstrip('/')}/v1/{signal.lower()}" if base else "")
