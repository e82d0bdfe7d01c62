"""A repository with two suites on a stateful GitHub, whose prompts say how good a made-up model answers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld

CONFIG = """\
version: 1
defaults: {model: "fake:oracle", samples: 2}
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [contains]
  - name: faq
    prompt: prompts/faq.md
    cases: evals/faq.jsonl
    scorers: [exact]
"""
GOOD = "Help the customer. quality=1.0\n"
BROKEN = "Help. quality=1.0 quality[gold]=0.1\n"
REWORDED = "You help customers. quality=1.0\n"
PROMPT = "prompts/support.md"


def cases(count: int) -> str:
    """Half of the cases are `tier=gold`."""
    rows = []
    for number in range(count):
        tier = "gold" if number % 2 else "free"
        text = f"Question {number} slice={tier} answer=word{number}"
        rows.append({"id": f"c{number}", "input": text, "expected": f"word{number}", "slices": {"tier": tier}})
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {
    "gate.yaml": CONFIG,
    PROMPT: GOOD,
    "prompts/faq.md": "Answer. quality=1.0\n",
    "evals/support.jsonl": cases(40),
    "evals/faq.jsonl": cases(12),
    "README.md": "# Support bot\n",
}


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        yield running
        running.assert_clean()


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, FILES)
