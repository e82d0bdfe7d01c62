"""A repository whose prompt changed a dozen times, and broke a slice twice; and a small one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Outcome, gate
from tests.support.model_server import ModelServer
from tests.support.repository import commit, make

PROMPT = "prompts/support.md"
COURSE = {
    "One": 0.95,
    "Two": 0.95,
    "Break German": 0.65,
    "Four": 0.65,
    "Mend German": 0.95,
    "Six": 0.95,
    "Seven": 0.95,
    "Shorten the prompt": 0.65,
    "Nine": 0.65,
    "Ten": 0.65,
    "Eleven": 0.65,
}
"""The subject of each commit, and how often its prompt is right in German."""
BROKEN = ["Shorten the prompt", "Break German"]
CASES = 200


def case(number: int) -> dict[str, object]:
    lang = "de" if number % 2 else "en"
    text = f"answer=word{number} slice={lang}"
    return {"id": f"c{number}", "input": text, "expected": f"word{number}", "slices": {"lang": lang}}


def cases(count: int) -> str:
    return "".join(json.dumps(case(number)) + "\n" for number in range(count))


def config(model: str, more: str = "") -> str:
    return (
        f"version: 1\n{more}policy: {{early_stop: false}}\nsuites:\n"
        "  - name: support\n    prompt: prompts/support.md\n    cases: cases.jsonl\n    slices: [lang]\n"
        f"    model: {model}\n    samples: 1\n    params: {{seed: 1}}\n    scorers: [contains]\n"
    )


def prompt(number: int, german: float) -> str:
    return f"You help customers, take {number}. quality=0.95 quality[de]={german}\n"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def history(tmp_path: Path, server: ModelServer) -> Path:
    """Twelve versions of a prompt, with commits between them that change none."""
    provider = f"providers: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
    files = {"gate.yaml": config("own:m", provider), "cases.jsonl": cases(CASES), PROMPT: prompt(0, 0.95)}
    make(tmp_path, {**files, ".gitignore": ".gate/\n"})
    for number, (subject, german) in enumerate(COURSE.items(), 1):
        commit(tmp_path, {"README.md": f"Before {number}.\n"}, f"No prompt {number}")
        commit(tmp_path, {PROMPT: prompt(number, german)}, subject)
    return tmp_path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Three versions of a prompt, answered in the process."""
    files = {"gate.yaml": config("fake:oracle"), "cases.jsonl": cases(24), PROMPT: "One. quality=1.0\n"}
    make(tmp_path, {**files, ".gitignore": ".gate/\n"})
    commit(tmp_path, {PROMPT: "Two. quality=1.0\n"}, "Two")
    commit(tmp_path, {PROMPT: "Three. quality=1.0 quality[de]=0.0\n"}, "Three")
    return tmp_path


def backtest(repo: Path, *options: str) -> tuple[Outcome, dict[str, Any]]:
    """The outcome, and what `--json` printed."""
    outcome = gate("backtest", "--json", *options, cwd=repo)
    return outcome, json.loads(outcome.out) if outcome.out else {}


def verdicts(record: dict[str, Any]) -> dict[str, str | None]:
    return {row["subject"]: row["verdict"] for row in record["commits"]}
