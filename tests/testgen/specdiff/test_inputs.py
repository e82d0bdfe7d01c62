"""What changed of the input."""

import pytest

from gate.config.specification import Component, InputRule
from gate.record.parts import InputChange
from gate.testgen.specdiff.carryover import input_changes
from gate.testgen.specdiff.places import version_sides

TEXT = "You get an order. An order has five digits. You also get a letter. Be kind."
ORDER = Component("order", "the number of an order", (InputRule("It has five digits.", "An order has five digits."),))
LETTER = Component("letter", "what the customer wrote", (InputRule("It is a letter.", "You also get a letter."),))


def changes(base: list[Component], head: list[Component], text: str, before: str = TEXT) -> list[InputChange]:
    return list(input_changes(base, head, version_sides(before, text)))


def test_nothing_differs_where_the_prompt_says_the_same() -> None:
    anew = Component("The-Order", "a number", (InputRule("Exactly 5 digits are given.", "An order has five digits."),))
    assert changes([ORDER, LETTER], [anew], TEXT + " Be brief.") == []


def test_a_rule_of_a_component_changes() -> None:
    head = Component("order", "the number of an order", (InputRule("It has six digits.", "An order has six digits."),))
    assert changes([ORDER], [head], TEXT.replace("five", "six")) == [
        InputChange(state="changed", component="order", before="It has five digits.", after="It has six digits.")
    ]


def test_components_come_and_go_with_their_sentences() -> None:
    photo = Component("photo", "a picture", (InputRule("It shows the tool.", "The photo shows the tool."),))
    text = TEXT.replace("You also get a letter.", "The photo shows the tool.")
    assert changes([ORDER, LETTER], [ORDER, photo], text) == [
        InputChange(state="removed", component="letter", before="what the customer wrote It is a letter."),
        InputChange(state="added", component="photo", after="a picture It shows the tool."),
    ]


@pytest.mark.parametrize(("before", "after"), [("{{ city }}", "{{ town }}"), ("{{city}}", "{{town}}")])
def test_a_variable_that_the_prompt_names_is_one(before: str, after: str) -> None:
    city, town = Component("city", "where"), Component("town", "a place")
    assert changes([city], [town], f"Tell about {after}.", f"Tell about {before}.") == [
        InputChange(state="removed", component="city", before="where"),
        InputChange(state="added", component="town", after="a place"),
    ]
