"""Keys, addresses and folders, from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import GateError
from gate.settings.executor import VARIABLE, scheduler_address
from gate.settings.telemetry import TelemetrySettings

MOST_CONCURRENT = 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says.

    Args:
        openai_api_key, anthropic_api_key: keys, or None.
        openai_base_url, anthropic_base_url: compatible servers, or None.
        cache_secret: seals the answers that are kept, besides the keys (`GATE_CACHE_SECRET`).
        cache_dir: where the packaged model is assembled.
        price_by_name: a model behind any address costs what its name costs at its maker's (`GATE_PRICE_BY_NAME=1`).
        sdk: requests go through the official SDKs instead of directly (`GATE_SDK=1`).
        dask: address of the Dask scheduler whose workers send requests (`GATE_EXECUTOR`), or None.
        concurrency: calls in flight (`GATE_CONCURRENCY`).
        telemetry: where spans go.
    """

    openai_api_key: str | None = field(default=None, repr=False)
    anthropic_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None
    anthropic_base_url: str | None = None
    cache_secret: str | None = field(default=None, repr=False)
    cache_dir: Path = Path(".cache/prompt-gate")
    price_by_name: bool = False
    sdk: bool = False
    dask: str | None = None
    concurrency: int = 64
    telemetry: TelemetrySettings = TelemetrySettings()

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
            cache_secret=env.get("GATE_CACHE_SECRET") or None,
            cache_dir=Path(home) / "prompt-gate",
            price_by_name=env.get("GATE_PRICE_BY_NAME") == "1",
            sdk=env.get("GATE_SDK") == "1",
            dask=scheduler_address(env.get(VARIABLE, "")),
            concurrency=_concurrency(env.get("GATE_CONCURRENCY") or "64"),
            telemetry=TelemetrySettings.from_environ(env),
        )


def _concurrency(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_CONCURRENT):
        raise GateError(f"GATE_CONCURRENCY is no number from 1 to {MOST_CONCURRENT}", "write GATE_CONCURRENCY=8")
    return int(text)
