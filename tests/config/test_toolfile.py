"""Files of recorded tools: valid ones, and every error with its line."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.targets import parse_tools
from gate.errors import InputErrors
from gate.limits import TOOL_FILE_CHARS
from tests.config.texts import errors

GOOD = """\
tools:
  - name: get_listings
    description: The flats of a landlord.
    parameters:
      type: object
      properties:
        city: {type: string}
        limit: {type: integer}
      required: [city]
    answers:
      - arguments: {city: Rome}
        result: Two flats.
      - arguments: {limit: 0, city: Oslo}
        result: the limit must be 1 or more
        error: true
      - result: {flats: [], note: "Größe"}
  - name: now
    description: The time.
    answers: [{result: 12}]
"""
ONE = "tools: [{{name: a, description: b, {}}}]"


def test_a_whole_file() -> None:
    tools = parse_tools(GOOD, "tools.yaml")
    assert [(tool.name, tool.description) for tool in tools] == [
        ("get_listings", "The flats of a landlord."),
        ("now", "The time."),
    ]
    assert tools[0].parameters["required"] == ["city"]
    assert tools[1].parameters == {"type": "object", "properties": {}}
    assert [(one.arguments, one.text, one.error) for tool in tools for one in tool.answers] == [
        ({"city": "Rome"}, "Two flats.", False),
        ({"city": "Oslo", "limit": 0}, "the limit must be 1 or more", True),
        ({}, '{"flats": [], "note": "Größe"}', False),
        ({}, "12", False),
    ]


def test_the_documented_file() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/tools.md").read_text(encoding="utf-8")
    shown = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "answers:" in block]
    assert [(tool.name, len(tool.answers)) for tool in parse_tools(shown[0], "shown")] == [("get_listings", 3)]


def test_json_gives_the_same_errors() -> None:
    text = '\ufeff{\n\t"tools": [{"name": "now", "description": "The time.", "answers": [{"result": null}]}]}\n'
    (tool,) = parse_tools(text, "tools.JSON")
    assert (tool.name, [one.text for one in tool.answers]) == ("now", ["null"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tools: []", "t.yaml:1: tools is empty (for example tools: [{name: get_listings"),
        ("tool: []", "t.yaml:1: unknown key 'tool' (did you mean 'tools'?)"),
        ("tools: [{name: a}]", "t.yaml:1: 'description' is missing in tools[0]"),
        (ONE.format("answers: [{}]"), "t.yaml:1: 'result' is missing in tools[0].answers[0]"),
        (
            ONE.format("answers: [{arguments: {x: 1}, result: 1}]"),
            "arguments.x is not a parameter of the tool (the tool has",
        ),
        (
            ONE.format("inputSchema: {}, answers: [{result: 1}]"),
            "unknown key 'inputSchema' in tools[0] (did you mean '",
        ),
        (ONE.format("parameters: {type: array}, answers: [{result: 1}]"), "must be the JSON Schema of an object"),
        (
            ONE.format("parameters: {type: object, $ref: 'http://127.0.0.1:9/'}, answers: [{result: 1}]"),
            "points outside the schema",
        ),
        ("tools: [{name: get flats, description: b, answers: [{result: 1}]}]", "'get flats' is not a valid tool name"),
        (
            ONE.format("answers: [{result: 1}, {arguments: {}, result: 2}]"),
            "answers[1] is never used, because answers[0]",
        ),
        (
            "tools: [&a {name: a, description: b, answers: [{result: 1}]}, *a]",
            "tools[1].name 'a' is also the name of tools[0]",
        ),
        ("tools: [!!python/object:os.system {}]", "the YAML tag"),
    ],
)
def test_an_error_is_reported(text: str, said: str) -> None:
    assert said in errors(lambda: parse_tools(text, "t.yaml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t.json:1: invalid JSON"),
        ('{"tools": []}\n{"tools": []}', "t.json:2: invalid JSON at column 1: Extra data"),
        ('{"tools": [],\n "tools": []}', "the key 'tools' is set twice"),
        ('{\n"tools": [\n{"name": "a b", "description": "c", "answers": [{"result": 1}]}]}', "t.json: tools[0].name"),
    ],
)
def test_a_json_error_is_reported(text: str, said: str) -> None:
    assert said in errors(lambda: parse_tools(text, "t.json"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" " * (TOOL_FILE_CHARS + 1), "is longer than 4,194,304 characters"),
        (ONE.format("answers: [" + "{result: 1}," * 1_001 + "]"), "tools[0].answers has more than 1,000 entries"),
    ],
)
def test_sizes_are_bounded(text: str, said: str) -> None:
    assert said in errors(lambda: parse_tools(text, "t.yaml"))


@given(st.text(st.sampled_from("tools:[]{}-name, answers\n  result\"'&*!1")), st.sampled_from(["t.yaml", "t.json"]))
def test_any_text_is_read_or_refused(text: str, file: str) -> None:
    try:
        parse_tools("tools: " + text, file)
    except InputErrors as error:
        assert error.problems
