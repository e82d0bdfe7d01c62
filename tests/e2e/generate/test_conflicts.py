"""Rules that code checks and no output can keep are questions to the author, without a model that finds them."""

import pytest

from tests.e2e.generate.desk import Desk

CONFLICTS = [
    (
        "The answer must have at most 20 words. The answer must have at least 100 words.",
        "R1 and R2 contradict each other: at least 100 words, and at most 20 words. Which one is right?",
    ),
    (
        "The answer must have at most two sentences. The answer must be in English. The answer must be in German.",
        "R2 and R3 contradict each other: in the language en, and in the language de. Which one is right?",
    ),
    (
        'The answer must be valid JSON. The answer must start with "Dear".',
        'R1 and R2 contradict each other: JSON, and a text that starts with "Dear"',
    ),
    (
        'The answer must start with "Hello". The answer must start with "Dear".',
        'R1 and R2 contradict each other: starts with "Hello", and with "Dear"',
    ),
    (
        'The answer must contain "our refund policy". Never use the word "refund".',
        "",  # the word may be a part of another
    ),
    ("The answer must have at most 20 words. The answer must have at least 3 sentences.", ""),
]


@pytest.mark.parametrize(("prompt", "said"), CONFLICTS)
def test_rules_that_contradict_each_other_are_asked_about(desk: Desk, prompt: str, said: str) -> None:
    desk.write("prompts/shop.md", f"You answer questions of customers of a shop.\n\n{prompt}\n")
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    questions = [one.text for one in desk.spec().questions if one.kind == "conflict"]
    assert [one.startswith(said) for one in questions] == [True] * bool(said), questions
    # The next run asks the same, once.
    assert desk.generate("--effort", "min").code == 0
    assert not (desk.root / "evals/shop/spec-2.yaml").exists()


def test_a_rule_that_a_person_adds_is_compared_too(desk: Desk) -> None:
    desk.generate("--effort", "min")
    path = desk.root / "evals/shop/spec.yaml"
    rule = "  - {rule: The answer must have at least 200 words., inverse: It is short., grounding: edited}\n"
    text = path.read_text(encoding="utf-8").replace("rules:\n", f"rules:\n{rule}", 1)
    desk.write("evals/shop/spec.yaml", text)
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    (question,) = [one for one in desk.spec("evals/shop/spec-2.yaml").questions if one.kind == "conflict"]
    assert "at least 200 words, and at most 80 words" in question.text
