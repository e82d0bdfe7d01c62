"""A rule whose sentence puts in a name is not the same where the name is set in another way."""

import pytest

from gate.record.parts import SpecDiff
from gate.testgen.specdiff.diff import NAME_CHANGED, PromptVersion
from tests.testgen.specdiff.specs import rule, spec
from tests.testgen.specdiff.test_diff import diff

PROMPT = "{% set limit = 80 %}\nYou answer.\n\nUse at most {{ limit }} words. Never name a price.\n"
RULES = (rule("R1", "At most {{ limit }} words.", "at most {{ limit }} words"), rule("R2", "No price.", "name a price"))


def compared(base: str, head: str) -> SpecDiff:
    return diff(PromptVersion(spec(*RULES), base), PromptVersion(spec(*RULES), head))


@pytest.mark.parametrize(
    "head",
    [
        PROMPT.replace("80", "800"),
        PROMPT.replace("{% set limit = 80 %}", "{%- set a, limit = 1, 80 -%}"),
        PROMPT.replace("{% set limit = 80 %}", "{% set limit %}800{% endset %}"),
    ],
)
def test_a_name_that_is_set_in_another_way(head: str) -> None:
    found = {change.rule.id: (change.state, change.reason) for change in compared(PROMPT, head).rules}
    assert found == {"R1": ("unknown", NAME_CHANGED), "R2": ("unchanged", "")}


def test_a_name_that_no_sentence_uses() -> None:
    found = compared(PROMPT + "{% set other = 1 %}", PROMPT + "{% set other = 2 %}")
    assert {change.state for change in found.rules} == {"unchanged"}
