"""From how many tokens on a prefix is cached, and by whose wish.

OpenAI caches of itself, `gpt-4o` and newer, from 1,024 tokens on
(https://developers.openai.com/api/docs/guides/prompt-caching). Anthropic caches what carries a mark, from a length on
that depends on the model (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "Cache limitations";
LiteLLM's documentation of 2026-10-07 repeats the table, and the pages of Claude Opus 5, Opus 5.5 and Fable 5.1 name
512). Left out, and so unknown: models whose figure was not found (Sonnet 5.5, Haiku 5.5), and Opus 4.7, on which the
sources differ (2,048 or 4,096).
"""

import re

from gate.domain.caching import CacheTerms
from gate.domain.model import ModelRef, Params
from gate.providers.servers import INTERFACES, Api

_OPENAI = re.compile(r"(ft:)?(gpt-4o|chatgpt-4o|gpt-4\.[1-9]|gpt-[5-9]|o[1-9])")
_OPENAI_MINIMUM = 1024

_ANTHROPIC = (
    (512, ("claude-opus-5", "claude-opus-5-5", "claude-fable-5", "claude-fable-5-1", "claude-mythos-5")),
    (
        1024,
        (
            "claude-opus-4-8",
            "claude-opus-4-1",
            "claude-opus-4-0",
            "claude-opus-4",
            "claude-3-opus",
            "claude-sonnet-5",
            "claude-sonnet-4-6",
            "claude-sonnet-4-5",
            "claude-sonnet-4-0",
            "claude-sonnet-4",
            "claude-3-7-sonnet",
            "claude-3-5-sonnet",
        ),
    ),
    (2048, ("claude-3-5-haiku", "claude-3-haiku")),
    (4096, ("claude-opus-4-6", "claude-opus-4-5", "claude-haiku-4-5")),
)
_DATE = re.compile(r"-(\d{8}|latest)$")


def terms(model: ModelRef, params: Params, *, known: bool, interface: Api | None = None) -> CacheTerms:
    """On what terms the requests of an arm are cached; its price is left open.

    Args:
        model: who is asked.
        params: `prompt_cache` asks for caching where it must be asked for.
        known: the requests go to the model's own seller, so that its figures hold.
        interface: that the provider speaks; None for what its name says.
    """
    if (interface or INTERFACES.get(model.provider)) == "anthropic":
        return CacheTerms(_anthropic(model.name) if known else None, asked=params.prompt_cache, marked=True)
    if model.provider == "openai" and known and _OPENAI.match(model.name):
        return CacheTerms(_OPENAI_MINIMUM)
    return CacheTerms()


def _anthropic(name: str) -> int | None:
    bare = _DATE.sub("", name)
    return next((minimum for minimum, names in _ANTHROPIC if bare in names), None)
