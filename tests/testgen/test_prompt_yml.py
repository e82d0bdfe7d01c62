"""Tests go into a `.prompt.yml` and nothing else in it changes."""

import pytest
from hypothesis import given, settings

from gate.cases import reading as cases
from gate.config.specification import GeneratedTest
from gate.errors import GateError
from gate.prompts import reading
from gate.testgen.files import with_test_data
from tests.testgen.texts import UNIQUE

HEAD = """\
# a prompt
name: 'Quoted'   # why
model: openai/gpt-4o
x-unknown: &anchor {a: 1, b: [2, 3]}
other: *anchor
jsonSchema: |-
  {"name": "a",
    "schema": {"type": "object"}}
messages:
- role: user
  content: >
    Folded {{input}}
    text
"""
TAIL = """\

# the end
evaluators: [{name: x}]   # done
"""
NEW = (
    GeneratedTest("R1-rule-1", "rule", "R1", "Two\nlines: # x", vars={"lang": "no"}),
    GeneratedTest("R1-inverse-1", "inverse", "R1", "One", expected="Yes"),
)
ADDED = """\
- id: R1-rule-1
  input: |-
    Two
    lines: # x
  lang: "no"
- id: R1-inverse-1
  input: One
  expected: "Yes"
"""
OWN = """\
testData:
# mine
- input: "a"   # first
  expected: |
    b

- {input: c, 'expected': d} # last
"""


def words_of(text: str) -> set[str]:
    """The lines, however far in and apart their words stand."""
    return {" ".join(line.split()) for line in text.split("\n")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (HEAD + OWN + TAIL, HEAD + OWN + ADDED + TAIL),
        (HEAD, HEAD + "testData:\n" + ADDED),
        (HEAD + "testData:\n- input: a\n" + TAIL, HEAD + "testData:\n- input: a\n" + ADDED + TAIL),
    ],
)
def test_comments_and_the_other_data_stay(before: str, after: str) -> None:
    assert words_of(with_test_data(before, NEW)) == words_of(after)
    assert with_test_data(with_test_data(before, NEW), NEW) == with_test_data(before, NEW)
    assert with_test_data(before.replace("\n", "\r\n"), NEW) == with_test_data(before, NEW)
    assert reading.parse(before, "p.prompt.yml") == reading.parse(with_test_data(before, NEW), "p.prompt.yml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is not a prompt file of GitHub Models"),
        ("testData: x", "testData in p is not a list"),
        ("testData: &a [{input: x}]\nother: *a\n", "p has YAML that cannot be edited safely"),
    ],
)
def test_what_cannot_be_added_to_is_refused(text: str, message: str) -> None:
    with pytest.raises(GateError, match=message):
        with_test_data(text, NEW, "p")


@settings(max_examples=3)
@given(UNIQUE)
def test_all_texts_come_back(tests: list[GeneratedTest]) -> None:
    for before in (HEAD + OWN + TAIL, HEAD + TAIL, HEAD.replace("\n", "\r\n"), "testData: [{input: a}]\n"):
        after = with_test_data(before, tests)
        found = {case.id: case for case in cases.parse(after, "p.prompt.yml")} if tests else {}
        for test in tests:
            case = found[test.id]
            assert (case.input, case.vars, case.expected) == (test.input, test.vars, test.expected)
        assert with_test_data(after, tests) == after


def test_a_variable_is_neither_id_nor_input_nor_expected_answer() -> None:
    test = GeneratedTest(
        "R1-rule-1", "rule", "R1", input="a", vars={"expected": "forged", "input": "b", "id": "c", "tone": "dry"}
    )
    after = with_test_data("testData: []\n", [test])
    assert "forged" not in after
    assert "id: R1-rule-1" in after and "tone: dry" in after
