"""Texts of a case that name its other fields are filled in for judge and simulated user, or the run is refused."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import gate, write_jsonl
from tests.support.model_server import Behaviour, ModelServer

TEXT = "The city is {{ expected }} in {{ country }}."
FILLED = "The city is Rome in Italy."
FIELDS = {"expected": "Rome", "vars": {"country": "Italy"}, "name": "c"}
PLAIN = {"id": "c", "input": "Where?", "expected": "Rome", "vars": {"country": "Italy"}}
TALK = {**FIELDS, "user": {"goal": "Learn it.", "max_turns": 1}, "prompt": "Hello."}
CASES = {
    "criteria": {**PLAIN, "criteria": TEXT},
    "judge_prompt": {**FIELDS, "prompt": "Where?", "judge_prompt": TEXT},
    "judge_prompt of a round": {**FIELDS, "rounds": [{"prompt": "Hello."}, {"prompt": "Where?", "judge_prompt": TEXT}]},
    "scorers": {**PLAIN, "scorers": [{"judge": {"criteria": TEXT, "model": "own:j"}}]},
    "extra_scorers": {**PLAIN, "extra_scorers": [{"judge": {"name": "more", "criteria": TEXT, "model": "own:j"}}]},
    "persona": {**TALK, "user": {"goal": "Learn it.", "persona": TEXT, "max_turns": 2}},
    "goal": {**TALK, "user": {"goal": TEXT, "max_turns": 2}},
    "facts": {**TALK, "user": {"goal": "Learn it.", "max_turns": 2}, "facts": {"place": TEXT}},
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    def judgement(system: str, user: str) -> str:
        person = {"done": False, "message": "Where?"}
        return json.dumps(person if '"done"' in system else {"reason": "So.", "score": 1.0})

    with ModelServer(Behaviour(answer=lambda system, user: "It is Rome.", judgement=judgement)) as running:
        yield running


def write(root: Path, server: ModelServer, case: dict[str, object], scorer: str = "") -> None:
    write_jsonl(root / "cases.jsonl", [case])
    (root / "prompt.md").write_text("Answer.")
    scorer = scorer or "judge: {criteria: Is kind., model: own:j}"
    (root / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\nsuites:\n"
        "  - name: bot\n    prompt: prompt.md\n    cases: cases.jsonl\n    samples: 1\n    model: own:m\n"
        f"    conversation: {{user: {{model: own:u}}}}\n    scorers:\n      - {scorer}\n"
    )


@pytest.mark.parametrize("place", CASES)
def test_no_model_reads_a_placeholder_of_a_case(tmp_path: Path, server: ModelServer, place: str) -> None:
    write(tmp_path, server, CASES[place])
    done = gate("check", cwd=tmp_path)
    assert done.code == 0, done.err
    asked = json.dumps(server.bodies)
    assert FILLED in asked and "{{" not in asked


@pytest.mark.parametrize("place", CASES)
def test_an_unknown_name_in_a_text_of_a_case_is_refused_before_a_call(
    tmp_path: Path, server: ModelServer, place: str
) -> None:
    case = json.loads(json.dumps(CASES[place]).replace("{{ country }}", "{{ planet }}"))
    write(tmp_path, server, case)
    refused = gate("check", cwd=tmp_path)
    assert refused.code == 2 and server.bodies == []
    assert "cases.jsonl:1: a template cannot be filled in for case 'c': 'planet' is undefined" in refused.err


def test_a_placeholder_inside_of_a_mapping_is_filled_in(tmp_path: Path, server: ModelServer) -> None:
    plain = {key: value for key, value in PLAIN.items() if key != "vars"}
    write(tmp_path, server, plain, 'json_path: {path: place, equals: {city: "{{ expected }}"}}')
    server.behaviour = Behaviour(answer=lambda system, user: '{"place": {"city": "Rome"}}')
    assert gate("check", cwd=tmp_path).code == 0
