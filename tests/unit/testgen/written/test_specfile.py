"""Specification files with mistakes: all are told at once, with their lines."""

import pytest

from gate.inputs import limits
from gate.testgen.written.specification import parse
from tests.unit.inputs.texts import errors

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
        "s.yaml:4: input 1 has 3 rules; at most 2 are allowed",
        "s.yaml:5: two inputs are named 'a'",
        "s.yaml:5: unknown key 'text' in input 2",
        "s.yaml:6: 'name' is missing in input 3",
        "s.yaml:8: 'rule' is missing in rule 1",
        "s.yaml:8: unknown key 'text' in rule 1 (did you mean 'rule'?)",
        "s.yaml:9: rule 2.id must be R and a number, not 'r2' (or leave it out)",
        "s.yaml:9: rule 2.rule is blank",
        "s.yaml:10: rule 3.grounding must be verbatim or judged or edited or ungrounded or unknown, not 'sure'",
        "s.yaml:10: the id R1 is already used on line 8",
        "s.yaml:11: rule 4 must be a mapping, not 'just text' (write '- rule: …')",
        "s.yaml:12: rule 5.obsolete must be true or false, not 'maybe'",
        "s.yaml:12: rule 5.rule must be text, not 80",
        "s.yaml:14: question 1.about must be a list of texts, not 'x'",
        "s.yaml:14: question 1.kind must be ungrounded or assumption or conflict or leak, not 'why'",
        "s.yaml:15: 'text' is missing in question 2",
    ],
)
def test_mistakes(message: str) -> None:
    assert message in errors(lambda: parse(WRONG, "s.yaml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'version' is missing"),
        ("[]", "the file must be a mapping, not a list"),
        ("version: 1\nrules: x", "s.yaml:2: rules must be a list, not 'x'"),
        ("a: [", "s.yaml:1: invalid YAML"),
        ("#" * (limits.SPECIFICATION_CHARS + 1), "s.yaml: is longer than 4,194,304 characters"),
    ],
)
def test_files_of_another_form(text: str, message: str) -> None:
    assert message in errors(lambda: parse(text, "s.yaml"))
