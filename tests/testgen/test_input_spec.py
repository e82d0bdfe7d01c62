"""The input specification: its parts, their names and rules, and what in them is an assumption."""

import asyncio

import pytest

from gate.config.specification import Component, InputRule
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import StageResult
from gate.testgen.specification.extraction import find_components
from gate.values import JsonValue
from tests.support.scripted_models import Script, ScriptedModel, asker, subject

PROMPT = subject("Name the people in the article.  It is in English. If it is empty, answer Unknown.")
TEMPLATE = subject("Translate {{ article }} into {{ language }}. {% if input %}{{ input }}{% endif %}", template=True)


def component(name: str = "article", *rules: tuple[str, str], description: str = "A text.") -> dict[str, JsonValue]:
    told: list[JsonValue] = [{"evidence": evidence, "rule": text} for evidence, text in rules]
    return {"name": name, "description": description, "rules": told}


def components(*parts: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"components": list(parts)}


def found(script: Script, prompt: PromptSubject = PROMPT) -> tuple[StageResult[tuple[Component, ...]], ScriptedModel]:
    model = ScriptedModel({"inputs": script})
    return asyncio.run(find_components(prompt, asker(model))), model


def test_evidence_is_the_prompts_own_and_the_rest_is_assumed() -> None:
    rules = ("it is  in ENGLISH", "It is in English."), ("It has a title", "It is a news article.")
    parts, model = found(components(component("article", *rules)))
    (part,) = parts.value
    assert part == Component(
        "article", "A text.", (InputRule("It is in English.", "It is in English"), InputRule("It is a news article."))
    )
    assert [rule.assumed for rule in part.rules] == [False, True]
    assert (parts.notes, model.counts["inputs"]) == ((), 1)


def test_two_rules_of_a_part_are_kept_and_the_others_told() -> None:
    rules = [("", text) for text in ("It is short.", "It is  short", "It is old.", "It is new.", "It is odd.")]
    parts, _ = found(components(component("article", *rules)))
    assert [rule.text for rule in parts.value[0].rules] == ["It is short.", "It is old."]
    assert parts.notes == ("2 rules of 'article' left out; the limit is 2",)


def test_the_parts_of_a_template_are_its_variables() -> None:
    parts, model = found(components(component("language"), component("input"), component("article")), TEMPLATE)
    assert [part.name for part in parts.value] == ["article", "input", "language"]
    assert "- article\n- input\n- language\n" in model.requests[0].messages[0].content
    assert "variables" not in found(components(component()))[1].requests[0].messages[0].content


@pytest.mark.parametrize("names", [("article",), ("article", "language", "Input"), ("article", "language", "a", "b")])
def test_parts_of_a_template_that_are_not_its_variables_are_asked_for_once_more(names: tuple[str, ...]) -> None:
    wrong = components(*map(component, names))
    parts, model = found([wrong, components(*map(component, TEMPLATE.variables))], TEMPLATE)
    assert len(parts.value) == 3
    assert "not exactly those of the template's variables" in model.requests[1].messages[1].content
    parts, model = found(wrong, TEMPLATE)
    assert (parts.value, model.counts["inputs"]) == ((), 2)
    assert parts.notes[0].startswith("the input specification was not found: the names of the components are not")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (components(), "there is no component"),
        (components(component("text"), component("Text ")), "same name"),
        (components({"name": "a", "description": "b"}), "rules is no list of objects"),
    ],
)
def test_without_parts_there_is_a_note(script: Script, reason: str) -> None:
    parts, _ = found(script)
    assert parts.value == ()
    assert reason in parts.notes[0]
