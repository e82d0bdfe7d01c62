"""The keys of the environment as providers take them."""

from gate.providers.factory import Keys
from gate.settings.services import Settings


def keys_of(settings: Settings) -> Keys:
    """Keys and addresses."""
    return Keys(
        settings.openai_api_key,
        settings.anthropic_api_key,
        settings.openai_base_url,
        settings.anthropic_base_url,
        settings.sdk,
    )


def read_keys() -> Keys:
    """Keys and addresses of the environment of whatever process calls this: also that of a Dask worker."""
    return keys_of(Settings.from_environ())
