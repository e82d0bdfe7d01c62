"""Keys, addresses, folders, store and traces, from the environment."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from gate.calls.endpoints import Keys, NamedServer
from gate.config.models import ProviderServer
from gate.errors import GateError, MissingKey

VARIABLE = "GATE_EXECUTOR"
_HOST = re.compile(r"[A-Za-z0-9:]([A-Za-z0-9._:%-]{0,252})")


def scheduler_address(value: str) -> str | None:
    """The address of a Dask scheduler as Dask writes it, `tcp://host:port`; None where this process sends.

    Args:
        value: of the variable: empty, or `dask://host:port`.

    Raises:
        GateError: anything else. It does not repeat the value, which may hold a password.
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
    return GateError(f"{VARIABLE} is not dask://HOST:PORT", f"write {VARIABLE}=dask://scheduler:8786, or unset it")


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


MOST_CONCURRENT = 1024
_AWS = ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says.

    Args:
        openai_api_key, anthropic_api_key: keys, or None.
        openai_base_url, anthropic_base_url: compatible servers, or None.
        azure_api_key, azure_ad_token, azure_endpoint, azure_api_version: of Azure OpenAI, as its SDK names them.
        bedrock_api_key, bedrock_region, bedrock_base_url: of Amazon Bedrock; AWS credentials are found by boto3.
        vertex_region, vertex_project, vertex_base_url: of Google Vertex; credentials are found by google-auth.
        aws_credentials, google_credentials: does the environment name any?
        cache_secret: seals the answers that are kept, besides the keys (`GATE_CACHE_SECRET`).
        cache_dir: where the packaged model is assembled.
        price_by_name: a model behind any address costs what its name costs at its maker's (`GATE_PRICE_BY_NAME=1`).
        dask: address of the Dask scheduler whose workers send requests (`GATE_EXECUTOR`), or None.
        concurrency: calls in flight (`GATE_CONCURRENCY`).
        telemetry: where spans go.
    """

    openai_api_key: str | None = field(default=None, repr=False)
    anthropic_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None
    anthropic_base_url: str | None = None
    azure_api_key: str | None = field(default=None, repr=False)
    azure_ad_token: str | None = field(default=None, repr=False)
    azure_endpoint: str | None = None
    azure_api_version: str | None = None
    bedrock_api_key: str | None = field(default=None, repr=False)
    bedrock_region: str | None = None
    bedrock_base_url: str | None = None
    vertex_region: str | None = None
    vertex_project: str | None = None
    vertex_base_url: str | None = None
    aws_credentials: bool = False
    google_credentials: bool = False
    cache_secret: str | None = field(default=None, repr=False)
    cache_dir: Path = Path(".cache/prompt-gate")
    price_by_name: bool = False
    dask: str | None = None
    concurrency: int = 64
    telemetry: TelemetrySettings = TelemetrySettings()

    @property
    def secrets(self) -> tuple[str | None, ...]:
        """The keys of services, in a fixed order."""
        return (
            self.openai_api_key,
            self.anthropic_api_key,
            self.azure_api_key,
            self.azure_ad_token,
            self.bedrock_api_key,
        )

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the environment; an empty variable counts as absent.

        Args:
            environ: the variables; the process's own when None.

        Raises:
            GateError: `GATE_EXECUTOR` is not an address, or `GATE_CONCURRENCY` is not a number.
        """
        env = os.environ if environ is None else environ
        home = env.get("XDG_CACHE_HOME") or str(Path(env.get("HOME") or "~").expanduser() / ".cache")
        return cls(
            openai_api_key=env.get("OPENAI_API_KEY") or None,
            anthropic_api_key=env.get("ANTHROPIC_API_KEY") or None,
            openai_base_url=env.get("OPENAI_BASE_URL") or None,
            anthropic_base_url=env.get("ANTHROPIC_BASE_URL") or None,
            azure_api_key=env.get("AZURE_OPENAI_API_KEY") or None,
            azure_ad_token=env.get("AZURE_OPENAI_AD_TOKEN") or None,
            azure_endpoint=env.get("AZURE_OPENAI_ENDPOINT") or None,
            azure_api_version=env.get("OPENAI_API_VERSION") or None,
            bedrock_api_key=env.get("AWS_BEARER_TOKEN_BEDROCK") or None,
            bedrock_region=env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or None,
            bedrock_base_url=env.get("ANTHROPIC_BEDROCK_BASE_URL") or None,
            vertex_region=env.get("CLOUD_ML_REGION") or None,
            vertex_project=env.get("ANTHROPIC_VERTEX_PROJECT_ID") or None,
            vertex_base_url=env.get("ANTHROPIC_VERTEX_BASE_URL") or None,
            aws_credentials=any(env.get(name) for name in _AWS),
            google_credentials=bool(env.get("GOOGLE_APPLICATION_CREDENTIALS")),
            cache_secret=env.get("GATE_CACHE_SECRET") or None,
            cache_dir=Path(home) / "prompt-gate",
            price_by_name=env.get("GATE_PRICE_BY_NAME") == "1",
            dask=scheduler_address(env.get(VARIABLE, "")),
            concurrency=_concurrency(env.get("GATE_CONCURRENCY") or "64"),
            telemetry=TelemetrySettings.from_environ(env),
        )


def _concurrency(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_CONCURRENT):
        raise GateError(f"GATE_CONCURRENCY is no number from 1 to {MOST_CONCURRENT}", "write GATE_CONCURRENCY=8")
    return int(text)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a process needs to know before it runs code of the repository.

    Args:
        path: where programs are looked for (`PATH`).
        event: of GitHub, such as `pull_request`; empty where no workflow runs.
        payload: the file that says more about it.
    """

    path: str
    event: str
    payload: Path | None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Surroundings":
        """Read the environment.

        Args:
            environ: the variables; the process's own when None.
        """
        env = os.environ if environ is None else environ
        event = env.get("GITHUB_EVENT_NAME") or ("unknown" if env.get("GITHUB_ACTIONS") == "true" else "")
        payload = env.get("GITHUB_EVENT_PATH")
        return cls(env.get("PATH") or os.defpath, event, Path(payload) if payload else None)


def values_of(names: Iterable[str], what: str, example: str = "…") -> dict[str, str]:
    """The values of variables.

    Args:
        names: as the configuration has them.
        what: needs them, for a reader.
        example: of a value, for the hint.

    Raises:
        MissingKey: some are not set, or empty.
    """
    wanted = list(dict.fromkeys(names))
    if missing := [name for name in wanted if not os.environ.get(name)]:
        message = f"environment variables that {what} needs are not set: {', '.join(missing)}"
        exported = " ".join(f"{name}={example}" for name in missing)
        raise MissingKey(message, f"export {exported}, or name them under env in the gate's step of a workflow")
    return {name: os.environ[name] for name in wanted}


DATABASE = "GATE_DATABASE_URL"
TOKEN = "GATE_TOKEN"  # noqa: S105


def database_url(environ: Mapping[str, str] | None = None) -> str | None:
    """The address of the store's database (`GATE_DATABASE_URL`); None where it is the file of the repository.

    Args:
        environ: the variables; the process's own when None.
    """
    return (os.environ if environ is None else environ).get(DATABASE) or None


def push_token(environ: Mapping[str, str] | None = None) -> str:
    """The token that a server of runs is shown (`GATE_TOKEN`); empty where there is none.

    Args:
        environ: the variables; the process's own when None.
    """
    return (os.environ if environ is None else environ).get(TOKEN, "").strip()


OUTPUTS_DAYS = "GATE_KEEP_OUTPUTS_DAYS"
RUNS_DAYS = "GATE_KEEP_RUNS_DAYS"
REDACT = "GATE_REDACT"
_MOST_DAYS = 36_500
_WORD = re.compile(r"/(?:\\.|[^/\\\n])+/|[^\s,]+")


@dataclass(frozen=True, slots=True)
class Retention:
    """For how long a store keeps what; None is for ever.

    Args:
        outputs_days: answers and reasons of runs; their figures stay.
        runs_days: whole runs.
    """

    outputs_days: int | None = None
    runs_days: int | None = None


def retention(environ: Mapping[str, str] | None = None) -> Retention:
    """For how long the store keeps what (`GATE_KEEP_OUTPUTS_DAYS`, `GATE_KEEP_RUNS_DAYS`).

    Args:
        environ: the variables; the process's own when None.

    Raises:
        GateError: one is no number of days.
    """
    known = os.environ if environ is None else environ
    return Retention(_days(known, OUTPUTS_DAYS), _days(known, RUNS_DAYS))


def redactions(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """What is taken out of texts before the store keeps them (`GATE_REDACT`): names of kinds, patterns between slashes.

    Args:
        environ: the variables; the process's own when None.
    """
    return tuple(_WORD.findall((os.environ if environ is None else environ).get(REDACT, "")))


def _days(environ: Mapping[str, str], name: str) -> int | None:
    told = environ.get(name, "").strip()
    if not told:
        return None
    days = int(told) if told.isascii() and told.isdecimal() and len(told) < 9 else 0
    if not 1 <= days <= _MOST_DAYS:
        # What cannot be read must not mean 'for ever', nor 'at once'.
        raise GateError(
            f"{name} is no number of days", f"write a whole number from 1 to {_MOST_DAYS:,}, or leave it out"
        )
    return days


@dataclass(frozen=True, slots=True)
class Push:
    """A push whose hook this process is.

    Args:
        remote: it goes to, by the name that the clone has for it; empty where nothing is pushed.
        commit: that is pushed; empty where nothing is.
    """

    remote: str = ""
    commit: str = ""

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] | None = None) -> "Push":
        """Read the environment.

        Args:
            environ: the variables; the process's own when None.
        """
        env = os.environ if environ is None else environ
        # Of a history of which the server has nothing pre-commit names the branch alone.
        commit = env.get("PRE_COMMIT_TO_REF") or env.get("PRE_COMMIT_LOCAL_BRANCH", "")
        return cls(env.get("PRE_COMMIT_REMOTE_NAME", ""), commit)


NO_SERVERS: Mapping[str, ProviderServer] = MappingProxyType({})


def addresses_of(settings: Settings, servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Keys:
    """Addresses without a key: enough to know prices and interfaces, and to ask nobody.

    Args:
        settings: of the environment.
        servers: that a configuration names.
    """
    return Keys(
        openai_base_url=settings.openai_base_url,
        anthropic_base_url=settings.anthropic_base_url,
        azure_endpoint=settings.azure_endpoint,
        azure_version=settings.azure_api_version,
        bedrock_region=settings.bedrock_region,
        bedrock_base_url=settings.bedrock_base_url,
        vertex_region=settings.vertex_region,
        vertex_project=settings.vertex_project,
        vertex_base_url=settings.vertex_base_url,
        servers={name: NamedServer(server) for name, server in servers.items()},
    )


def keys_of(settings: Settings, servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Keys:
    """Keys and addresses; the keys of named servers are read from the environment here."""
    return replace(
        addresses_of(settings),
        openai=settings.openai_api_key,
        anthropic=settings.anthropic_api_key,
        azure=settings.azure_api_key,
        azure_token=settings.azure_ad_token,
        bedrock=settings.bedrock_api_key,
        servers={name: NamedServer(server, os.environ.get(server.api_key_env)) for name, server in servers.items()},
    )


def read_keys(servers: Mapping[str, ProviderServer] = NO_SERVERS) -> Keys:
    """Keys and addresses of the environment of whatever process calls this: also that of a Dask worker."""
    return keys_of(Settings.from_environ(), servers)
