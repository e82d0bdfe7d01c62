"""Specification files: reading back, edited rules, and updates."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.config.scorer import ScorerSpec
from gate.config.specification import (
    AuthorQuestion,
    CompiledRule,
    Component,
    Grounding,
    InputRule,
    OutputRule,
    Specification,
)
from gate.config.specification_file import (
    parse_specification,
    read_specification,
    specification_text,
    updated_specification,
)
from gate.errors import GateError
from tests.testgen.texts import NASTY, SAID

SPEC = Specification(
    "ab" * 32,
    "Answers: briefly",
    (Component("question", "what is asked", (InputRule("It is one sentence."), InputRule("a", "b"))),),
    (
        OutputRule("R1", "At most 80 words.", "at most 80\nwords", "More than 80 words.", "verbatim"),
        OutputRule("R3", "Never #1.", "", "", "judged"),
    ),
    (AuthorQuestion("conflict", ("R1", "R3"), "Which counts?"),),
    "openai:m",
)
MAYBE = st.just("") | SAID
RULE_NAMES = st.lists(st.integers(1, 999), max_size=4, unique=True).map(lambda found: [f"R{one}" for one in found])


@st.composite
def specifications(draw: st.DrawFn) -> Specification:
    names = draw(st.lists(st.sampled_from(["a", "two words", "no", "x: y", "é"]), max_size=2, unique=True))
    input_rules = st.lists(st.builds(InputRule, SAID, MAYBE), max_size=2).map(tuple)
    return Specification(
        draw(MAYBE),
        draw(MAYBE),
        tuple(Component(name, draw(MAYBE), draw(input_rules)) for name in names),
        tuple(
            OutputRule(name, draw(SAID), draw(MAYBE), draw(MAYBE), draw(st.sampled_from(get_args(Grounding))))
            for name in draw(RULE_NAMES)
        ),
        tuple(AuthorQuestion("leak", tuple(names), draw(SAID)) for _ in range(draw(st.integers(0, 2)))),
        "openai:m",
        draw(st.sampled_from(["", "Ada"])),
    )


@settings(max_examples=6)
@given(specifications(), NASTY)
def test_everything_is_read_back(specification: Specification, wording: str) -> None:
    compiled = [CompiledRule(rule.id, (ScorerSpec("words", rule.id),), wording) for rule in specification.rules]
    text = specification_text(specification, compiled)
    assert parse_specification(text, "s.yaml") == specification
    assert updated_specification(text, specification) == text
    assert specification_text(parse_specification(text, "s.yaml"), compiled) == text


def test_an_edited_rule_drops_the_old_inverse() -> None:
    text = specification_text(SPEC).replace("At most 80 words.", "At most 90 words.")
    rule = parse_specification(text, "s.yaml").rules[0]
    assert (rule.text, rule.grounding, rule.inverse) == ("At most 90 words.", "edited", "")
    both = text.replace("More than 80", "More than 90")
    assert parse_specification(both, "s.yaml").rules[0].inverse == "More than 90 words."
    inverse_only = specification_text(SPEC).replace("More than 80", "Far more than 80")
    assert parse_specification(inverse_only, "s.yaml").rules[0] == replace(
        SPEC.rules[0], inverse="Far more than 80 words."
    )


MINE = """\
version: 1
# mine
rules:
- rule: First.   # of mine

- {id: R7, rule: Second., inverse: , obsolete: false}
- id: R2
  rule: 'Gone already.'
  obsolete: true
- id: R5
  rule: "Goes."
  inverse: |
    Stays.
# end
"""


def test_a_rule_without_an_id_gets_a_free_one() -> None:
    found = read_specification(MINE, "s.yaml")
    assert [(rule.id, rule.grounding) for rule in found.specification.rules] == [
        ("R8", "edited"),
        ("R7", "edited"),
        ("R5", "edited"),
    ]
    assert found.ids == {"R2", "R5", "R7", "R8"}
    assert found.specification.generator == "hand"


def test_an_update_keeps_what_people_wrote() -> None:
    later = Specification(
        "cd",
        "",
        rules=(
            OutputRule("R8", "Another text.", inverse="Not first: never."),
            OutputRule("R7", "Second.", inverse="Not second."),
            OutputRule("R2", "Gone already."),
            OutputRule("R9", "New.", "new", grounding="verbatim"),
        ),
    )
    after = updated_specification(MINE, later)
    assert after == (
        """\
version: 1
# mine
rules:
  - rule: First. # of mine
    id: R8
    inverse: "Not first: never."

  - {id: R7, rule: Second., inverse: Not second., obsolete: false}
  - id: R2
    rule: 'Gone already.'
    obsolete: false
  - id: R5
    rule: "Goes."
    inverse: |
      Stays.
    obsolete: true
  - id: R9
    rule: New.
    evidence: new
    grounding: verbatim
"""
        + after[after.index("    origin: ") : after.index("prompt: cd\n")]
        + "prompt: cd\n"
        + "# end\n"
    )
    assert updated_specification(after, later) == after
    assert [rule.id for rule in parse_specification(after, "s.yaml").rules] == ["R8", "R7", "R2", "R9"]
    windows = MINE.replace("\n", "\r\n")
    assert updated_specification(windows, later) == after


def test_an_alias_is_not_written_through() -> None:
    text = "version: 1\ninputs: [&a {name: x}]\nrules:\n- &r {rule: x}\n- *r\n"
    with pytest.raises(GateError, match="s.yaml has YAML that cannot be edited safely"):
        updated_specification(text, SPEC, "s.yaml")
