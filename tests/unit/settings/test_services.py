from pathlib import Path

from gate.settings.services import Settings


def test_an_empty_variable_counts_as_absent() -> None:
    assert Settings.from_environ({"OPENAI_API_KEY": "", "HOME": "/home/u"}).openai_api_key is None


def test_keys_addresses_and_the_cache() -> None:
    settings = Settings.from_environ(
        {"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b", "OPENAI_BASE_URL": "http://x/v1", "HOME": "/home/u"}
    )
    assert (settings.openai_api_key, settings.anthropic_api_key) == ("a", "b")
    assert settings.openai_base_url == "http://x/v1"
    assert settings.cache_dir == Path("/home/u/.cache/prompt-gate")
    assert Settings.from_environ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}).cache_dir == Path("/c/prompt-gate")


def test_keys_do_not_show() -> None:
    assert "secret" not in repr(Settings(openai_api_key="secret-1", anthropic_api_key="secret-2"))
