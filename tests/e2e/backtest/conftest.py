"""A repository whose prompt changed eight times, and broke a slice twice; and a small one."""

import json
import shutil
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
    "Break German": 0.05,
    "Mend German": 0.95,
    "Four": 0.95,
    "Shorten the prompt": 0.05,
    "Six": 0.05,
    "Seven": 0.05,
}
"""The subject of each commit, and how often its prompt is right in German."""
BROKEN = ["Shorten the prompt", "Break German"]
CASES = 24


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


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory, running: ModelServer) -> Path:
    provider = f"providers: {{own: {{api: openai, base_url: '{running.url}/v1'}}}}\n"
    files = {"gate.yaml": config("own:m", provider), "cases.jsonl": cases(CASES), PROMPT: prompt(0, 0.95)}
    repo = make(tmp_path_factory.mktemp("long"), {**files, ".gitignore": ".gate/\n"})
    for number, (subject, german) in enumerate(COURSE.items(), 1):
        commit(repo, {"README.md": f"Before {number}.\n"}, f"No prompt {number}")
        commit(repo, {PROMPT: prompt(number, german)}, subject)
    return repo


@pytest.fixture(scope="module")
def short_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"gate.yaml": config("fake:oracle"), "cases.jsonl": cases(20), PROMPT: "One. quality=1.0\n"}
    repo = make(tmp_path_factory.mktemp("short"), {**files, ".gitignore": ".gate/\n"})
    commit(repo, {PROMPT: "Two. quality=1.0\n"}, "Two")
    commit(repo, {PROMPT: "Three. quality=1.0 quality[de]=0.0\n"}, "Three")
    return repo


@pytest.fixture
def history(tmp_path: Path, long_history: Path, server: ModelServer) -> Path:
    """Eight versions of a prompt, with commits between them that change none."""
    return shutil.copytree(long_history, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def small(tmp_path: Path, short_history: Path) -> Path:
    """Three versions of a prompt, answered in the process."""
    return shutil.copytree(short_history, tmp_path, dirs_exist_ok=True)


def backtest(repo: Path, *options: str) -> tuple[Outcome, dict[str, Any]]:
    """The outcome, and what `--json` printed."""
    outcome = gate("backtest", "--json", *options, cwd=repo)
    return outcome, json.loads(outcome.out) if outcome.out else {}


def verdicts(record: dict[str, Any]) -> dict[str, str | None]:
    return {row["subject"]: row["verdict"] for row in record["commits"]}
