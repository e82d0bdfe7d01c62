"""Specification files with errors: all are listed with lines."""

import pytest

from gate import limits
from gate.config.specification_file import parse_specification
from tests.config.texts import errors

WRONG = """\
version: 2
intnet: x
inputs:
  - {name: a, rules: [{text: a}, {text: b}, {text: c}]}
  - {name: a, text: x}
  - description: x
rules:
  - {id: R1, text: x}
  - {id: r2, rule: ''}
  - {id: R1, rule: x, grounding: sure}
  - just text
  - {rule: 80, obsolete: maybe}
questions:
  - {kind: why, about: x, text: y}
  - {kind: leak}
"""


@pytest.mark.parametrize(
    "message",
    [
        "s.yaml:1: version must be 1, not 2",
        "s.yaml:2: unknown key 'intnet' (did you mean 'intent'?)",
        "s.yaml:4: inputs[0].rules has more than 2 entries",
        "s.yaml:5: unknown key 'text' in inputs[1]",
        "s.yaml:6: 'name' is missing in inputs[2]",
        "s.yaml:8: 'rule' is missing in rules[0]",
        "s.yaml:8: unknown key 'text' in rules[0] (did you mean 'rule'?)",
        "s.yaml:9: rules[1].id must be R and a number, such as R7 (or leave it out)",
        "s.yaml:9: rules[1].rule must not be blank",
        "s.yaml:10: rules[2].grounding must be verbatim, judged, edited, ungrounded or unknown, not 'sure'",
        "s.yaml:11: rules[3] must be a mapping, not 'just text'",
        "s.yaml:12: rules[4].obsolete must be true or false, not 'maybe'",
        "s.yaml:12: rules[4].rule must be text, not 80",
        "s.yaml:14: questions[0].about must be a list, not 'x'",
        "s.yaml:14: questions[0].kind must be ungrounded, assumption, conflict or leak, not 'why'",
        "s.yaml:15: 'text' is missing in questions[1]",
    ],
)
def test_errors(message: str) -> None:
    assert message in errors(lambda: parse_specification(WRONG, "s.yaml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "'version' is missing"),
        ("[]", "must be a mapping, not an empty list"),
        ("version: 1\nrules: x", "s.yaml:2: rules must be a list, not 'x'"),
        ("a: [", "s.yaml:1: invalid YAML"),
        ("#" * (limits.SPECIFICATION_CHARS + 1), "s.yaml: is longer than 4,194,304 characters"),
    ],
)
def test_files_in_other_formats(text: str, message: str) -> None:
    assert message in errors(lambda: parse_specification(text, "s.yaml"))


@pytest.mark.parametrize(
    ("text", "line"),
    [("inputs: [{name: a}, {name: b},\n {name: a}]", 3), ("rules:\n- {id: R1, rule: x}\n- {id: R1, rule: y}", 4)],
)
def test_names_and_ids_are_given_once(text: str, line: int) -> None:
    told = errors(lambda: parse_specification(f"version: 1\n{text}", "s.yaml"))
    assert f"s.yaml:{line}: " in told and "" in told
