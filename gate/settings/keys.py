"""The keys of the environment as providers take them."""

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from gate.domain.model import ProviderServer
from gate.providers.endpoints import Keys, NamedServer
from gate.settings.services import Settings

NONE: Mapping[str, ProviderServer] = MappingProxyType({})


def addresses_of(settings: Settings, servers: Mapping[str, ProviderServer] = NONE) -> Keys:
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


def keys_of(settings: Settings, servers: Mapping[str, ProviderServer] = NONE) -> Keys:
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


def read_keys(servers: Mapping[str, ProviderServer] = NONE) -> Keys:
    """Keys and addresses of the environment of whatever process calls this: also that of a Dask worker."""
    return keys_of(Settings.from_environ(), servers)
