"""Prompt files of GitHub Models: placeholders and nothing else are filled in; test data become cases."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gate.cases import reading as cases
from gate.cases.case import Case, render
from gate.prompts import reading
from gate.prompts.reading import placeholders
from tests.config.texts import errors

FILE = """\
name: Summarizer
description: Summarizes text
model: openai/gpt-4o-mini
modelParameters:
  temperature: 0.5
messages:
  - role: System
    content: 'You are {{ kind }}. {% if x %}No Jinja {# here #}, and {{ 1 + 1 }} stays{% endif %}'
  - role: user
    content: |
      user:
      Summarize {{{input}}}
responseFormat: json_schema
jsonSchema: |-
  {"name": "a", "schema": {}}
testData:
  - input: The fox.
    expected: A fox.
    kind: terse
  - {id: mine, input: 7, kind: [1]}
  - kind: alone
evaluators:
  - name: Starts
    string: {startsWith: A}
"""


def shown(text: str, case: Case) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in render(reading.parse(text, "p.prompt.yml"), case)]


@pytest.mark.threat("placeholders")
def test_placeholders_are_filled_and_all_else_is_text() -> None:
    assert shown(FILE, Case("1", "{{ kind }} {% x %}", vars={"kind": "terse"})) == [
        ("system", "You are terse. {% if x %}No Jinja {# here #}, and {{ 1 + 1 }} stays{% endif %}"),
        ("user", "user:\nSummarize {{{ kind }} {% x %}}\n"),
    ]


def test_what_it_says_about_the_model_is_kept_apart_from_what_is_sent() -> None:
    prompt = reading.parse(FILE, "p.prompt.yml")
    assert [key for key, _ in prompt.unused] == ["model", "modelParameters", "responseFormat", "jsonSchema"]
    other = reading.parse(FILE.replace("0.5", "0.9"), "p.prompt.yml")
    assert (other.digest, other.unused != prompt.unused) == (prompt.digest, True)


def test_errors_have_their_lines() -> None:
    text = "x: 1\nmessages:\n  - role: bot\n    content: a\n  - role: user\n    content: '{{user-name}} {{ true }}'\n"
    found = errors(lambda: reading.parse(text, "p.prompt.yml"))
    assert "p.prompt.yml:3: messages[0].role must be system, developer, user or assistant, not 'bot'" in found
    found = errors(lambda: reading.parse(text.replace("bot", "User"), "p.prompt.yml"))
    assert "p.prompt.yml:5: the placeholder '{{user-name}}' has an invalid name" in found
    assert "p.prompt.yml:5: the placeholder '{{ true }}'" in found
    assert "a mapping" in errors(lambda: reading.parse("[]", "p.prompt.yml"))
    assert "'messages' is missing" in errors(lambda: reading.parse("name: x", "p.prompt.yaml"))


def test_test_data_are_cases() -> None:
    assert cases.parse(FILE, "p.prompt.yml") == (
        Case("test-1", "The fox.", expected="A fox.", vars={"kind": "terse"}, where="p.prompt.yml:17"),
        Case("mine", "7", vars={"kind": [1]}, where="p.prompt.yml:20"),
        Case("test-3", "", vars={"kind": "alone"}, where="p.prompt.yml:21"),
    )


SIGNS = st.text(st.sampled_from("{}%#-+ \n\r'\"\\ab_") | st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@given(st.lists(SIGNS, min_size=1, max_size=4), SIGNS)
def test_text_around_placeholders_comes_back_as_it_was(parts: list[str], value: str) -> None:
    content = "{{name}}".join(["a", *parts])
    assume(not set(placeholders(content)) - {"name"})
    assume(all(sign.isprintable() or sign in "\n\r" for sign in content))
    file = json.dumps({"messages": [{"role": "user", "content": content}]}, ensure_ascii=False)
    assert shown(file, Case("1", "x", vars={"name": value}))[-2] == ("user", value.join(["a", *parts]))
