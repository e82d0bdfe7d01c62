"""Which judge is related to which model."""

import pytest

from gate.config.models import ModelRef, parse_model, relation

SAME = "the same model"
DATE = "the same model of another date"
WEAKER = "a weaker model of its family"


@pytest.mark.parametrize(
    ("judge", "judged", "found"),
    [
        ("openai:gpt-5", "openai:gpt-5", SAME),
        ("fake:judge", "fake:judge", SAME),
        ("local:m.gguf", "local:m.gguf", SAME),
        ("openai:gpt-4o-2024-08-06", "openai:gpt-4o", DATE),
        ("openai:gpt-4o-2024-08-06", "openai:gpt-4o-2024-11-20", DATE),
        ("anthropic:claude-opus-4-5-20251101", "anthropic:claude-opus-4-5", DATE),
        ("anthropic:claude-3-5-haiku-latest", "anthropic:claude-3-5-haiku-20241022", DATE),
        ("openai:gpt-4-0613", "openai:gpt-4", DATE),
        ("openai:openai/gpt-4o", "openai:gpt-4o", DATE),
        ("openai:gpt-5-mini", "openai:gpt-5", WEAKER),
        ("openai:gpt-5-nano", "openai:gpt-5-mini", WEAKER),
        ("openai:gpt-5", "openai:gpt-5-pro", WEAKER),
        ("openai:gpt-4o-mini", "openai:gpt-4o", WEAKER),
        ("openai:gpt-4o", "openai:gpt-5", WEAKER),
        ("openai:gpt-4.1", "openai:gpt-5", WEAKER),
        ("openai:gpt-3.5-turbo", "openai:gpt-4o", WEAKER),
        ("openai:gpt-5", "openai:gpt-5.1", WEAKER),
        ("openai:gpt-5-mini-2025-08-07", "openai:gpt-5-2025-08-07", WEAKER),
        ("openai:o1", "openai:o3", WEAKER),
        ("openai:o3-mini", "openai:o3", WEAKER),
        ("openai:o3-mini", "openai:o1", WEAKER),
        ("anthropic:claude-haiku-4-5", "anthropic:claude-sonnet-4-5", WEAKER),
        ("anthropic:claude-sonnet-4-5", "anthropic:claude-opus-4-5", WEAKER),
        ("anthropic:claude-sonnet-4-20250514", "anthropic:claude-sonnet-4-5-20250929", WEAKER),
        ("anthropic:claude-3-5-sonnet-20241022", "anthropic:claude-sonnet-4-5", WEAKER),
        ("openai:gemini-2.5-flash", "openai:gemini-2.5-pro", WEAKER),
        ("openai:gemini-2.5-flash-lite", "openai:gemini-2.5-flash", WEAKER),
        ("openai:google/gemini-2.0-flash", "openai:gemini-2.5-flash", WEAKER),
        ("openai:llama-3.1-8b-instruct", "openai:llama-3.1-70b-instruct", WEAKER),
        ("openai:meta-llama/llama-3.1-70b", "openai:meta-llama/llama-3.3-70b", WEAKER),
        ("openai:qwen2.5-7b", "openai:qwen2.5-72b", WEAKER),
        ("openai:qwen2.5-0.5b-instruct", "openai:qwen3-8b", WEAKER),
        ("openai:mixtral-8x7b", "openai:mixtral-8x22b", WEAKER),
        ("openai:llama3.1:8b", "openai:llama3.1:70b", WEAKER),
        ("openai:gpt-5", "openai:gpt-5-mini", ""),
        ("openai:gpt-5", "openai:gpt-4o", ""),
        ("openai:gpt-5-pro", "openai:gpt-5", ""),
        ("openai:o3", "openai:o3-mini", ""),
        ("openai:o3", "openai:gpt-5", ""),
        ("anthropic:claude-opus-4-5", "openai:gpt-5-mini", ""),
        ("openai:gpt-5-mini", "anthropic:claude-opus-4-5", ""),
        ("anthropic:claude-opus-4-1", "anthropic:claude-sonnet-4-5", ""),
        ("anthropic:claude-sonnet-4-5", "anthropic:claude-3-5-sonnet-20241022", ""),
        ("openai:gemini-2.5-pro", "openai:gemini-2.5-flash", ""),
        ("openai:llama-3.1-70b", "openai:llama-3.1-8b", ""),
        ("openai:qwen2.5-7b", "openai:llama-3.1-70b", ""),
        ("openai:my-own-model", "openai:my-own-model-large", ""),
        ("openai:text-model-7", "openai:text-model-8", ""),
        ("local:gemma-2b.gguf", "local:gemma-7b.gguf", ""),
        ("fake:judge", "fake:oracle", ""),
        ("replay:a.jsonl", "openai:gpt-5", ""),
    ],
)
def test_pairs(judge: str, judged: str, found: str) -> None:
    assert relation(parse_model(judge), parse_model(judged)) == found


@pytest.mark.parametrize("name", ["", "-", "gpt-", "claude-", "b", "8b", "x" * 200, "llama-b", "o", "gpt-5-", "１b"])
def test_strange_names_claim_nothing(name: str) -> None:
    assert relation(ModelRef("openai", name), ModelRef("openai", "gpt-5")) == ""
    assert relation(ModelRef("openai", "gpt-5"), ModelRef("openai", name)) == ""
