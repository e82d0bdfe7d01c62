"""A format in a JSON Schema is checked, or the report says that it is not."""

import json
from pathlib import Path

import pytest

from tests.support.command import gate
from tests.support.repository import make

CONFIG = """version: 1
defaults: {model: 'replay:answers.jsonl', samples: 1}
suites:
  - name: days
    prompt: prompts/day.md
    cases: cases.jsonl
    scorers: [{json_schema: {schema: {type: object, properties: {day: {type: string, format: FORMAT}}}}}]
"""


@pytest.mark.parametrize(
    ("name", "code", "said"), [("date", 1, False), ("phone", 0, True), ("int32", 0, True), ("email", 1, False)]
)
def test_a_format_is_checked_or_said(tmp_path: Path, name: str, code: int, said: bool) -> None:
    files = {
        "gate.yaml": CONFIG.replace("FORMAT", name),
        "prompts/day.md": "Say the day as JSON.\n",
        "cases.jsonl": '{"id": "a", "input": "When?"}\n',
        "answers.jsonl": json.dumps({"input": "When?", "output": json.dumps({"day": "yesterday"})}) + "\n",
    }
    outcome = gate("check", cwd=make(tmp_path, files))
    assert outcome.code == code, outcome.out + outcome.err
    text = " ".join((outcome.out + outcome.err).split())
    assert (f"the format {name} is not checked" in text) is said
