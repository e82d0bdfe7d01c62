"""The keys of the environment as providers take them."""

from gate.providers.endpoints import Keys
from gate.settings.services import Settings


def keys_of(settings: Settings) -> Keys:
    """Keys and addresses."""
    return Keys(
        settings.openai_api_key,
        settings.anthropic_api_key,
        azure=settings.azure_api_key,
        azure_token=settings.azure_ad_token,
        bedrock=settings.bedrock_api_key,
        **addresses_of(settings),
    )


def addresses_of(settings: Settings) -> dict[str, str | None]:
    """The arguments of `Keys` that are no secrets: with these alone nobody can be asked."""
    return {
        "openai_base_url": settings.openai_base_url,
        "anthropic_base_url": settings.anthropic_base_url,
        "azure_endpoint": settings.azure_endpoint,
        "azure_version": settings.azure_api_version,
        "bedrock_region": settings.bedrock_region,
        "bedrock_base_url": settings.bedrock_base_url,
        "vertex_region": settings.vertex_region,
        "vertex_project": settings.vertex_project,
        "vertex_base_url": settings.vertex_base_url,
    }


def read_keys() -> Keys:
    """Keys and addresses of the environment of whatever process calls this: also that of a Dask worker."""
    return keys_of(Settings.from_environ())
