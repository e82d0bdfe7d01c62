"""Keys, addresses, folders, store and traces, from the environment; prices, which need no keys."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from gate.calls.budget import PriceList
from gate.calls.endpoints import ADDRESSES, SECRETS, VARIABLES, Keys
from gate.calls.providers.factory import Factory
from gate.config.models import ModelPrice, ModelRef, Params, ProviderServer
from gate.errors import GateError, MissingKey
from gate.record.transcript import Cost, Unpriced, Usage

VARIABLE = "GATE_EXECUTOR"
_HOST = re.compile(r"[A-Za-z0-9:]([A-Za-z0-9._:%-]{0,252})")


def scheduler_address(value: str) -> str | None:
    """The Dask scheduler's `tcp://host:port` from a value `dask://host:port`; None where it is empty.

    Raises:
        GateError: anything else. The message does not repeat the value, which may hold a password.
    """
    if not value:
        return None
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _wrong() from None
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password)
    if not (parts.scheme == "dask" and host and port and bare and _HOST.fullmatch(host)):
        raise _wrong()
    return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


def _wrong() -> GateError:
    return GateError(f"{VARIABLE} is not dask://HOST:PORT", f"set {VARIABLE}=dask://scheduler:8786, or unset it")


_YES = frozenset({"true", "1", "span_and_event"})


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """The environment's settings of OpenTelemetry; its SDK reads headers, time-outs, samplers and queues.

    Args:
        logs: address for events; empty if they are part of their spans.
        content_in_events: also include the reasons of scorers.
        parent: the run's parent span, as W3C Trace Context; empty for none.
    """

    traces: str = ""
    logs: str = ""
    protocol: str = "http/protobuf"
    content_in_spans: bool = False
    content_in_events: bool = False
    parent: str = ""

    @classmethod
    def from_environ(cls, env: Mapping[str, str]) -> "TelemetrySettings":
        """Read the environment; an empty variable counts as absent."""
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
    """The address of one signal; its own variable is taken unchanged."""
    if env.get(f"OTEL_{signal}_EXPORTER", "").strip().lower() == "none":
        return ""
    own = env.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "").strip()
    base = env.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    return own or (f"{base.rstrip('/')}/v1/{signal.lower()}" if base else "")


MOST_CONCURRENT = 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings from the environment.

    Args:
        services: keys and addresses of services, by variable; boto3 and google-auth find their own credentials.
        cache_secret: seals cached answers, with the keys (`GATE_CACHE_SECRET`).
        cache_dir: folder in which the packaged model is assembled.
        dask: address of the Dask scheduler whose workers send requests (`GATE_EXECUTOR`), or None.
        concurrency: calls at the same time (`GATE_CONCURRENCY`).
    """

    services: Mapping[str, str] = field(default_factory=dict, repr=False)
    cache_secret: str | None = field(default=None, repr=False)
    cache_dir: Path = Path(".cache/prompt-gate")
    dask: str | None = None
    concurrency: int = 64
    telemetry: TelemetrySettings = TelemetrySettings()

    @property
    def secrets(self) -> tuple[str | None, ...]:
        """The keys of services, in a fixed order."""
        return tuple(self.services.get(name) for name in SECRETS)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the environment; an empty variable counts as absent.

        Raises:
            GateError: `GATE_EXECUTOR` is not an address, or `GATE_CONCURRENCY` is not a number.
        """
        env = os.environ if environ is None else environ
        home = env.get("XDG_CACHE_HOME") or str(Path(env.get("HOME") or "~").expanduser() / ".cache")
        return cls(
            services={name: env[name] for name in VARIABLES if env.get(name)},
            cache_secret=env.get("GATE_CACHE_SECRET") or None,
            cache_dir=Path(home) / "prompt-gate",
            dask=scheduler_address(env.get(VARIABLE, "")),
            concurrency=_concurrency(env.get("GATE_CONCURRENCY") or "64"),
            telemetry=TelemetrySettings.from_environ(env),
        )


def _concurrency(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_CONCURRENT):
        raise GateError(f"GATE_CONCURRENCY is not a whole number from 1 to {MOST_CONCURRENT}", "set GATE_CONCURRENCY=8")
    return int(text)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The facts that decide whether code of the repository may run.

    Args:
        event: GitHub's, such as `pull_request`; empty outside of a workflow.
    """

    path: str
    event: str
    payload: Path | None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Surroundings":
        """Read the environment; the process's own when None."""
        env = os.environ if environ is None else environ
        event = env.get("GITHUB_EVENT_NAME") or ("unknown" if env.get("GITHUB_ACTIONS") == "true" else "")
        payload = env.get("GITHUB_EVENT_PATH")
        return cls(env.get("PATH") or os.defpath, event, Path(payload) if payload else None)


def values_of(names: Iterable[str], what: str, example: str = "…") -> dict[str, str]:
    """The values of environment variables.

    Args:
        what: the part that needs them, for the message.
        example: of a value, for the hint.

    Raises:
        MissingKey: some are not set, or empty.
    """
    wanted = list(dict.fromkeys(names))
    if missing := [name for name in wanted if not os.environ.get(name)]:
        message = f"{what} needs environment variables that are not set: {', '.join(missing)}"
        exported = " ".join(f"{name}={example}" for name in missing)
        raise MissingKey(message, f"export {exported}; in a workflow, set them under env in the gate's step")
    return {name: os.environ[name] for name in wanted}


DATABASE = "GATE_DATABASE_URL"
TOKEN = "GATE_TOKEN"  # noqa: S105


def database_url(environ: Mapping[str, str] | None = None) -> str | None:
    """The address of the store's database (`GATE_DATABASE_URL`); None for the repository's file."""
    return (os.environ if environ is None else environ).get(DATABASE) or None


def push_token(environ: Mapping[str, str] | None = None) -> str:
    """The token for a server of runs (`GATE_TOKEN`); empty for none."""
    return (os.environ if environ is None else environ).get(TOKEN, "").strip()


OUTPUTS_DAYS = "GATE_KEEP_OUTPUTS_DAYS"
RUNS_DAYS = "GATE_KEEP_RUNS_DAYS"
REDACT = "GATE_REDACT"
_MOST_DAYS = 36_500
_WORD = re.compile(r"/(?:\\.|[^/\\\n])+/|[^\s,]+")


@dataclass(frozen=True, slots=True)
class Retention:
    """How long a store keeps data; None for no limit.

    Args:
        outputs_days: answers and reasons of runs; their numbers stay.
    """

    outputs_days: int | None = None
    runs_days: int | None = None


def retention(environ: Mapping[str, str] | None = None) -> Retention:
    """How long the store keeps data (`GATE_KEEP_OUTPUTS_DAYS`, `GATE_KEEP_RUNS_DAYS`).

    Raises:
        GateError: one is not a number of days.
    """
    known = os.environ if environ is None else environ
    return Retention(_days(known, OUTPUTS_DAYS), _days(known, RUNS_DAYS))


def redactions(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """What is redacted before texts are stored (`GATE_REDACT`): names of kinds, patterns between slashes."""
    return tuple(_WORD.findall((os.environ if environ is None else environ).get(REDACT, "")))


def _days(environ: Mapping[str, str], name: str) -> int | None:
    told = environ.get(name, "").strip()
    if not told:
        return None
    days = int(told) if told.isascii() and told.isdecimal() and len(told) < 9 else 0
    if not 1 <= days <= _MOST_DAYS:
        # An unreadable value must mean neither 'for ever' nor 'at once'.
        raise GateError(f"{name} is not a number of days", f"set a whole number from 1 to {_MOST_DAYS:,}, or unset it")
    return days


@dataclass(frozen=True, slots=True)
class Push:
    """The push whose hook this process is; its fields are empty where there is none.

    Args:
        remote: by its name in the clone.
    """

    remote: str = ""
    commit: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Push":
        """Read the environment; the process's own when None."""
        env = os.environ if environ is None else environ
        # If the server has nothing of a history, pre-commit gives only the branch.
        commit = env.get("PRE_COMMIT_TO_REF") or env.get("PRE_COMMIT_LOCAL_BRANCH", "")
        return cls(env.get("PRE_COMMIT_REMOTE_NAME", ""), commit)


NO_SERVERS: Mapping[str, ProviderServer] = MappingProxyType({})


def addresses_of(settings: Settings, servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Keys:
    """Addresses without keys: enough to know prices and interfaces, but not to send anything."""
    return Keys({name: value for name, value in settings.services.items() if name in ADDRESSES}, servers)


def keys_of(settings: Settings, servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Keys:
    """Keys and addresses; reads the keys of named servers from the environment."""
    named = {server.api_key_env: os.environ.get(server.api_key_env, "") for server in servers.values()}
    return Keys({**named, **settings.services}, servers)


def read_keys(servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Keys:
    """Keys and addresses from the environment of this process, which may be a Dask worker."""
    return keys_of(Settings.from_environ(), servers)


def keyless_factory(
    settings: Settings,
    servers: Mapping[str, ProviderServer] = NO_SERVERS,
    prices: Mapping[str, ModelPrice] | None = None,
) -> Factory:
    """A factory that knows prices and interfaces; it has no keys, and cannot send anything."""

    def no_text(path: str) -> str:
        raise GateError(f"cannot read {path}", "recorded answers are only read from the machine that asks for them")

    keys = addresses_of(settings, servers)
    return Factory(keys, settings.cache_dir, settings.concurrency, no_text, PriceList(prices))


def pricer(factory: Factory) -> Callable[[ModelRef, Params, Usage], Cost]:
    """Prices the calls of models, which need not be made."""

    def price(model: ModelRef, params: Params, usage: Usage) -> Cost:
        return factory.price(model, params, model.name, usage)

    return price


def is_unpriced(factory: Factory, model: ModelRef, params: Params) -> bool:
    """Is the price of a model unknown?"""
    return factory.price(model, params, model.name, Usage(1, 0, 0, 1)) == Unpriced("unknown")
