"""A refusal that no other case could change ends a run at once, in the service's own words, whatever its status."""

import json
from pathlib import Path

import pytest

from tests.support.command import gate, write_jsonl
from tests.support.model_server import Behaviour, ModelServer, Raw

KEY = [
    {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}
]
FIELD = {"detail": [{"loc": ["body", "messages", 0, "name"], "msg": "Field required", "type": "missing"}]}
MODEL = {"error": {"message": "model m-9 not found, try pulling it first"}}
REFUSALS = {
    "a key": (400, KEY, "API key not valid"),
    "the form of a request": (422, FIELD, "messages.0.name: Field required"),
    "a model": (400, MODEL, "check the name of the model"),
    "a parameter": (400, {"error": {"message": "top_p is not taken", "param": "top_p"}}, "top_p is not taken"),
}
CASES = 60


@pytest.mark.parametrize("what", REFUSALS)
def test_it_is_not_asked_sixty_times(tmp_path: Path, what: str) -> None:
    status, body, said = REFUSALS[what]
    write_jsonl(tmp_path / "c.jsonl", [{"id": f"c{n}", "input": "Hi", "expected": "x"} for n in range(CASES)])
    (tmp_path / "p.md").write_text("Answer.")
    with ModelServer(Behaviour(raw=Raw(status, json.dumps(body).encode()))) as server:
        (tmp_path / "gate.yaml").write_text(
            f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\nsuites:\n"
            "  - {name: s, prompt: p.md, cases: c.jsonl, samples: 1, model: own:m-9, scorers: [contains]}\n"
        )
        outcome = gate("check", cwd=tmp_path, env={"GATE_CONCURRENCY": "4"})
        asked = len(server.bodies)
    assert (outcome.code, said in " ".join((outcome.err + outcome.out).split())) == (2, True), outcome.err + outcome.out
    assert asked <= 12, asked
