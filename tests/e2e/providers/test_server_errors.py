"""What a service said is what the user reads, also where a budget or the time ends first."""

import json
from pathlib import Path

import pytest

from tests.e2e.providers.test_servers import FILES, KEY, config
from tests.support.command import Outcome, gate
from tests.support.example import PROMPT, REWORDED
from tests.support.model_server import Behaviour, ModelServer, Raw
from tests.support.repository import make, write

SAID = "no adapter named colours is loaded"


def compared(tmp_path: Path, raw: Raw, budget: str = "") -> tuple[Outcome, int]:
    with ModelServer(Behaviour(raw=raw)) as models:
        repo = make(tmp_path, {**FILES, "gate.yaml": config(f"{models.url}/v1") + budget})
        write(repo, {PROMPT: REWORDED})
        outcome = gate(
            "diff", "--base", "main", "--quiet", cwd=repo, env={"GROQ_API_KEY": KEY, "GATE_CONCURRENCY": "1"}
        )
        return outcome, models.requests


@pytest.mark.parametrize(
    "body",
    [
        SAID.encode(),
        json.dumps({"detail": [{"type": "missing", "loc": ["body", "lora"], "msg": SAID}]}).encode(),
        json.dumps([{"error": {"code": 400, "message": SAID}}]).encode(),
        json.dumps({"success": False, "errors": [{"code": 7, "message": SAID}]}).encode(),
    ],
)
def test_the_words_of_a_service_are_in_the_report(tmp_path: Path, body: bytes) -> None:
    outcome, _ = compared(tmp_path, Raw(400, body))
    assert outcome.code == 3
    assert SAID in " ".join((outcome.out + outcome.err).split())


@pytest.mark.parametrize("budget", ["budget: {max_calls: 2}\n", "budget: {max_minutes: 0.02}\n"])
@pytest.mark.parametrize(
    "raw",
    [Raw(500, json.dumps({"error": {"message": SAID}}).encode()), Raw(200, json.dumps({"detail": SAID}).encode())],
)
def test_a_budget_that_ends_first_does_not_hide_the_cause(tmp_path: Path, raw: Raw, budget: str) -> None:
    outcome, _ = compared(tmp_path, raw, budget)
    assert outcome.code == 3
    assert SAID in " ".join((outcome.out + outcome.err).split())


def test_a_judge_that_never_answered_is_the_cause(tmp_path: Path) -> None:
    """The prompts were answered, so the budget alone would be believed."""
    with ModelServer() as models, ModelServer(Behaviour(raw=Raw(400, SAID.encode()))) as broken:
        text = config(f"{models.url}/v1").replace("[contains]", "[{judge: {model: 'own:j', criteria: Is right.}}]")
        text = text.replace("providers: {", f"providers: {{own: {{api: openai, base_url: '{broken.url}/v1'}}, ")
        repo = make(tmp_path, {**FILES, "gate.yaml": text + "budget: {max_calls: 40}\n"})
        write(repo, {PROMPT: REWORDED})
        outcome = gate("diff", "--base", "main", "--quiet", cwd=repo, env={"GROQ_API_KEY": KEY})
    assert outcome.code == 3
    assert SAID in " ".join((outcome.out + outcome.err).split())
