"""Prompts and tests of each form become cases that the gate runs."""

import json
import re

import pytest

from tests.e2e.generate.desk import Desk
from tests.support.command import Outcome
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of

MODELS_YML = """\
# our tagger
name: Tagger
model: openai/gpt-4o-mini
modelParameters: {maxTokens: 100}
messages:
  - role: system
    content: You tag words. The answer must be one of NOUN, VERB. Never explain.  # short
  - role: user
    content: "{{ question }}"
testData:
  - question: run   # a person wrote this
    expected: VERB
responseFormat: json_schema
jsonSchema: |
  {"name": "tag", "strict": true, "schema": {"type": "object", "properties": {"tag": {"type": "string"}},
   "required": ["tag"], "additionalProperties": false}}
"""
PROMPTY = """\
---
name: Shop
inputs: {question: {type: string}}
---
system:
You answer customers. The answer must have at most 80 words. Never name a competitor.
user: lines in the middle of a sentence stay text.

user:
{{question}}
"""
TEMPLATE = (
    "You answer {{ customer }} of a shop. The answer must have at most 80 words. Never name a competitor.\n\n"
    "{{ question }}\n"
)
CHAT = """\
- {role: system, content: "You answer customers. The answer must have at most 80 words. Never name a competitor."}
- {role: user, content: "Hello"}
- {role: assistant, content: "Hello. What can I do?"}
"""


def checked(desk: Desk, made: Outcome) -> None:
    """The suggested suite at the end of the summary runs every case."""
    assert made.code == 0, made.err
    [found] = (desk.root / ".gate/generate").glob("*/summary.md")
    summary = found.read_text(encoding="utf-8")
    fenced = re.search(r"^```yaml\n(.*?)^```$", summary, re.MULTILINE | re.DOTALL)
    assert fenced is not None
    desk.write("gate.yaml", fenced[1])
    outcome = desk.gate("check", "--samples", "1", "--json")
    assert outcome.code in (0, 1), outcome.err
    [suite] = outcome.record.new
    name = re.search(r"cases: (\S+)", fenced[1])
    assert name is not None
    assert len(suite.cases) == len(desk.cases(name[1])) > 0
    assert outcome.record.calls.failed == 0


@pytest.mark.parametrize(("name", "text"), [("shop.prompty", PROMPTY), ("shop.yaml", CHAT)])
def test_a_prompt_of_another_form(desk: Desk, name: str, text: str) -> None:
    desk.write(f"prompts/{name}", text)
    made = desk.generate("--effort", "min", prompt=f"prompts/{name}")
    checked(desk, made)
    answering = [entry.system for entry in desk.server.ledger if not stage_of(entry.system)]
    # A line of a system message that looks like the start of another message is text.
    assert any("user: lines in the middle" in system for system in answering) is (text == PROMPTY)


def test_variables_of_a_template_are_parts_of_the_input(desk: Desk) -> None:
    desk.write("prompts/shop.j2", TEMPLATE)
    made = desk.generate("--effort", "min", prompt="prompts/shop.j2")
    checked(desk, made)
    assert all(set(case.vars) == {"question", "customer"} for case in desk.cases())
    assert all(case.vars["customer"] != case.vars["question"] for case in desk.cases())


def test_tests_are_written_into_a_prompt_file_of_github_models(desk: Desk) -> None:
    path = desk.write("prompts/tag.prompt.yml", MODELS_YML)
    made = desk.generate("--effort", "min", "--set", "write_back=true", prompt="prompts/tag.prompt.yml")
    checked(desk, made)
    text = path.read_text(encoding="utf-8")
    for line in MODELS_YML.splitlines():
        assert line in text.splitlines()
    tests = len(desk.cases("evals/tag/cases.yaml"))
    assert text.count("\n  - id: R") == tests > 0
    # The suite that is suggested asks the model that the file names, and not the one that wrote the tests.
    assert '    model: "openai:gpt-4o-mini"\n' in made.out and "the model from the prompt's file" in made.out
    before = path.read_bytes()
    desk.generate("--effort", "min", "--set", "write_back=true", prompt="prompts/tag.prompt.yml")
    assert path.read_bytes() == before


def test_documents_replace_the_retrieved_texts(desk: Desk) -> None:
    def with_documents(system: str, user: str) -> str:
        said = json.loads(reader(system, user))
        if stage_of(system) == "inputs":
            said["components"].append({"name": "documents", "description": "What was found.", "rules": []})
        return json.dumps(said)

    desk.server.behaviour = Behaviour(judgement=with_documents)
    made = desk.generate("--effort", "min", "--set", "documents=true")
    checked(desk, made)
    assert "no documents were made" not in made.out
    assert all("documents: What about" in case.input for case in desk.cases())
