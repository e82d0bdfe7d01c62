"""Tokens that an agent of one's own reports are read under every usual name, or refused; never recorded as 0."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Outcome, gate
from tests.support.repository import make

AGENT = """
import json
def agent(text, context):
    return {"text": "Yes.", "usage": json.load(open("usage.json"))}
"""
SUITE = {
    **{"name": "s", "prompt": "p.md", "cases": "c.jsonl", "model": "fake:echo"},
    **{"target": {"python": "agent:agent"}, "scorers": [{"contains": "Yes"}]},
}
READ: list[tuple[str, dict[str, Any], tuple[int, int, int, int]]] = [
    ("ours", {"input_tokens": 5, "cache_read_tokens": 3, "cache_write_tokens": 2, "output_tokens": 7}, (5, 3, 2, 7)),
    ("OpenAI", {"prompt_tokens": 8, "completion_tokens": 7, "total_tokens": 15}, (8, 0, 0, 7)),
    (
        "OpenAI, cached",
        {"prompt_tokens": 8, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}},
        (5, 3, 0, 7),
    ),
    (
        "Responses",
        {"input_tokens": 8, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 3}},
        (5, 3, 0, 7),
    ),
    (
        "Anthropic",
        {
            **{"input_tokens": 5, "output_tokens": 7},
            **{"cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "service_tier": "standard"},
        },
        (5, 3, 2, 7),
    ),
    (
        "LangChain",
        {"input_tokens": 10, "output_tokens": 7, "input_token_details": {"cache_read": 3, "cache_creation": 2}},
        (5, 3, 2, 7),
    ),
    (
        "Gemini",
        {
            **{"promptTokenCount": 8, "cachedContentTokenCount": 3},
            **{"candidatesTokenCount": 4, "thoughtsTokenCount": 3, "totalTokenCount": 15},
        },
        (5, 3, 0, 7),
    ),
    ("Bedrock", {"inputTokens": 5, "outputTokens": 7, "cacheReadInputTokens": 3}, (5, 3, 0, 7)),
    ("AI SDK", {"inputTokens": 8, "outputTokens": 7, "cachedInputTokens": 3}, (5, 3, 0, 7)),
    ("AI SDK 4", {"promptTokens": 8, "completionTokens": 7}, (8, 0, 0, 7)),
    ("none", {}, (0, 0, 0, 0)),
]
REFUSED: list[tuple[str, Any, str]] = [
    ("a total", {"total_tokens": 15}, "usage under names that the gate does not know (total_tokens)"),
    ("names of its own", {"tokens_in": 5, "tokens_out": 7}, "(tokens_in, tokens_out)"),
    ("one side", {"input_tokens": 5, "generated": 7}, "(input_tokens, generated)"),
    ("text", {"prompt_tokens": "8", "completion_tokens": 7}, "usage whose prompt_tokens is not a number of tokens"),
    ("a fraction", {"input_tokens": 5, "output_tokens": 7.5}, "usage whose output_tokens is not a number"),
    ("below zero", {"input_tokens": -5, "output_tokens": 7}, "usage whose input_tokens is not a number"),
    ("a list", [5, 7], "usage that is a list, not a mapping"),
]


def checked(folder: Path, usage: Any) -> tuple[Outcome, dict[str, Any]]:
    config = json.dumps({"version": 1, "defaults": {"samples": 1}, "suites": [SUITE]})
    files = {"gate.yaml": config, "p.md": "Help.", "c.jsonl": '{"id": "1", "input": "Hi"}\n', "agent.py": AGENT}
    make(folder, {**files, "usage.json": json.dumps(usage)})
    done = gate("check", "--out", "out", cwd=folder)
    return done, json.loads((folder / "out/samples.jsonl").read_text().splitlines()[0])["reply"]


@pytest.mark.parametrize(("usage", "tokens"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_tokens_under_every_usual_name_are_read(
    tmp_path: Path, usage: dict[str, Any], tokens: tuple[int, int, int, int]
) -> None:
    done, reply = checked(tmp_path, usage)
    assert done.code == 0, done.out + done.err
    kinds = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    assert tuple(reply["usage"].get(kind, 0) for kind in kinds) == tokens


@pytest.mark.parametrize(("usage", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_other_names_and_numbers_are_refused(tmp_path: Path, usage: Any, said: str) -> None:
    done, reply = checked(tmp_path, usage)
    assert done.code == 3
    assert said in reply["reason"] and "send input_tokens and output_tokens, or leave usage out" in reply["reason"]
