"""A repository whose prompt changed twelve times, and broke a slice twice."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.model_server import ModelServer
from tests.support.repository import commit, make

PROMPT = "prompts/support.md"
COURSE = [
    ("One", 0.95, 0.95),
    ("Two", 0.95, 0.95),
    ("Break German", 0.95, 0.65),
    ("Four", 0.95, 0.65),
    ("Mend German", 0.95, 0.95),
    ("Six", 0.95, 0.95),
    ("Seven", 0.95, 0.95),
    ("Shorten the prompt", 0.95, 0.65),
    ("Nine", 0.95, 0.65),
    ("Ten", 0.95, 0.65),
    ("Eleven", 0.95, 0.65),
]
"""Subject of each commit, and the quality of its prompt in English and in German."""
BROKEN = {"Break German", "Shorten the prompt"}
CASES = [
    {"id": f"c{i}", "input": f"answer=word{i} slice={lang}", "expected": f"word{i}", "slices": {"lang": lang}}
    for i, lang in enumerate(["en", "de"] * 100)
]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def config(url: str) -> str:
    return (
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{url}/v1'}}}}\n"
        "policy: {early_stop: false}\nsuites:\n"
        "  - {name: support, prompt: prompts/support.md, cases: cases.jsonl, slices: [lang], model: 'own:m',\n"
        "     samples: 1, params: {seed: 1}, scorers: [contains]}\n"
    )


def prompt(number: int, english: float, german: float) -> str:
    return f"You help customers, take {number}. quality={english} quality[de]={german}\n"


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    cases = "".join(json.dumps(case) + "\n" for case in CASES)
    make(
        tmp_path,
        {
            "gate.yaml": config(server.url),
            "cases.jsonl": cases,
            PROMPT: prompt(0, 0.95, 0.95),
            ".gitignore": ".gate/\n",
        },
    )
    for number, (subject, english, german) in enumerate(COURSE, 1):
        commit(tmp_path, {"README.md": f"Before {number}.\n"}, f"Nothing of a prompt {number}")
        commit(tmp_path, {PROMPT: prompt(number, english, german)}, subject)
    return tmp_path
