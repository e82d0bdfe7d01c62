"""The relation between a judge and the model that it judges."""

import pytest

from gate.config.models import ModelRef, parse_model, relation

SAME = "the same model"
DATE = "the same model of another date"
WEAKER = "a weaker model of its family"


@pytest.mark.parametrize(
    ("judge", "judged", "found"),
    [
        ("openai:gpt-5", "openai:gpt-5", SAME),
        ("openai:gpt-4o-2024-08-06", "openai:gpt-4o", DATE),
        ("anthropic:claude-3-5-haiku-latest", "anthropic:claude-3-5-haiku-20241022", DATE),
        ("openai:openai/gpt-4o", "openai:gpt-4o", DATE),
        ("openai:gpt-5-mini", "openai:gpt-5", WEAKER),
        ("openai:gpt-4o", "openai:gpt-5", WEAKER),
        ("openai:gpt-5-mini-2025-08-07", "openai:gpt-5-2025-08-07", WEAKER),
        ("openai:o3-mini", "openai:o3", WEAKER),
        ("anthropic:claude-haiku-4-5", "anthropic:claude-sonnet-4-5", WEAKER),
        ("anthropic:claude-3-5-sonnet-20241022", "anthropic:claude-sonnet-4-5", WEAKER),
        ("openai:gemini-2.5-flash-lite", "openai:gemini-2.5-flash", WEAKER),
        ("openai:llama-3.1-8b-instruct", "openai:llama-3.1-70b-instruct", WEAKER),
        ("openai:mixtral-8x7b", "openai:mixtral-8x22b", WEAKER),
        ("openai:gpt-5", "openai:gpt-5-mini", ""),
        ("openai:o3", "openai:gpt-5", ""),
        ("anthropic:claude-opus-4-5", "openai:gpt-5-mini", ""),
        ("anthropic:claude-sonnet-4-5", "anthropic:claude-3-5-sonnet-20241022", ""),
        ("openai:my-own-model", "openai:my-own-model-large", ""),
        ("local:gemma-2b.gguf", "local:gemma-7b.gguf", ""),
    ],
)
def test_pairs(judge: str, judged: str, found: str) -> None:
    assert relation(parse_model(judge), parse_model(judged)) == found


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpt-",
        "b",
        "x" * 200,
        "１b",
    ],
)
def test_unknown_model_names_have_no_relation(name: str) -> None:
    assert relation(ModelRef("openai", name), ModelRef("openai", "gpt-5")) == ""
    assert relation(ModelRef("openai", "gpt-5"), ModelRef("openai", name)) == ""
