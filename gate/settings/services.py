"""Keys, addresses and folders, from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import GateError
from gate.settings.executor import VARIABLE, scheduler_address
from gate.settings.telemetry import TelemetrySettings

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
