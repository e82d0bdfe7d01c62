"""API keys and addresses as environment variables."""

from gate.calls.endpoints import Keys

_NAMES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")


def service_keys(*values: str | None) -> Keys:
    """OpenAI's key, Anthropic's, and where they are asked, as far as given."""
    return Keys({name: value for name, value in zip(_NAMES, values, strict=False) if value})
