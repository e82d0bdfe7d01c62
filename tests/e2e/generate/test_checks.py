"""A check that the model proposes is used only if it holds; every other rule goes to the judge."""

import json
import re
from typing import Any

import pytest

from tests.e2e.generate.desk import Desk, document
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of

SPEC = "evals/shop/spec.yaml"
LIMIT = "Your reply must never run past 12 words."
"""A sentence that code cannot read by itself."""
GOOD = {"kind": "max_words", "value": ["12"], "keeps": "It is open.", "breaks": "word " * 13}


def proposing(desk: Desk, sentence: str, check: object) -> None:
    """A prompt with one rule, and a model that proposes a check for it."""
    desk.write("prompts/shop.md", f"You answer questions of customers of a shop.\n\n{sentence}\n")

    def judgement(system: str, user: str) -> str:
        reply: dict[str, Any] = json.loads(reader(system, user))
        if stage_of(system) == "rules":
            reply = {"rules": [{**row, "check": check} for row in reply["rules"]]}
        return json.dumps(reply)

    desk.server.behaviour = Behaviour(judgement=judgement)


def test_a_check_that_holds_is_used_by_the_suite_and_stands_in_the_specification(desk: Desk) -> None:
    proposing(desk, LIMIT, GOOD)
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    assert "1 rule, 1 checked by code, 0 by a judge" in made.out
    assert "{words: {max: 12, name: R1, required: false}}" in made.out
    rule = desk.spec().rule("R1")
    assert rule is not None and rule.check is not None
    assert (rule.check.kind, rule.check.value) == ("max_words", ("12",))
    # A rule read from the file is checked as before.
    found = document(desk.generate("--effort", "min", "--json"))
    assert found["compiled"] == [{"rule": "R1", "checks": "R1 by code: at most 12 words"}]


CODES = "Each code in your reply must read AB- and two digits, such as AB-12."
WORDS = 'Always say "thank you" somewhere.'


@pytest.mark.parametrize(
    ("sentence", "check", "wording"),
    [
        (LIMIT.replace("12", "twelve"), GOOD, "at most 12 words"),
        (LIMIT.replace("never run past 12", "stay under 13"), GOOD, "at most 12 words"),
        (
            WORDS,
            {"kind": "contains", "value": ["thank you"], "keeps": "Well, thank you.", "breaks": "Well."},
            "contains thank you",
        ),
        (
            "Your language must be French.",
            {
                "kind": "language",
                "value": ["French"],
                "keeps": "Le magasin est ouvert tous les jours de la semaine, de neuf heures à cinq heures.",
                "breaks": "The shop is open every day of the week from nine in the morning.",
            },
            "in French",
        ),
        (
            CODES,
            {"kind": "regex", "value": [r"\bAB-\d{2}\b"], "keeps": "It is AB-12.", "breaks": "It is 12."},
            r"/\bAB-\d{2}\b/",
        ),
        (
            "Whatever you say must be pure JSON.",
            {"kind": "json", "value": [], "keeps": "[1]", "breaks": "Hello"},
            "valid JSON",
        ),
    ],
)
def test_kinds_of_checks(desk: Desk, sentence: str, check: object, wording: str) -> None:
    proposing(desk, sentence, check)
    found = document(desk.generate("--effort", "min", "--json"))
    assert [one["checks"] for one in found["compiled"]] == [f"R1 by code: {wording}"]


@pytest.mark.threat("rule-pattern")
@pytest.mark.parametrize(
    ("sentence", "check", "reason"),
    [
        (LIMIT, {**GOOD, "value": ["11"]}, "its value is not in the quoted words"),
        (LIMIT.replace("12", "13"), GOOD, "its value is not in the quoted words"),
        (LIMIT, {**GOOD, "kind": "min_words"}, "it fails the example that the rule allows"),
        ("Your reply must hold at least 12 words or so.", GOOD, "its bound is not that of the quoted words"),
        (LIMIT.replace("never run past", "run to exactly"), GOOD, "its bound is not that of the quoted words"),
        (LIMIT.replace("12", "about 12"), GOOD, "the rule has a condition or a hedge"),
        (LIMIT.replace("12 words", "12 words, unless asked"), GOOD, "the rule has a condition or a hedge"),
        (LIMIT, {**GOOD, "breaks": "It is open."}, "it passes the example that breaks the rule"),
        (LIMIT, {**GOOD, "breaks": ""}, "an example is missing"),
        (LIMIT, {**GOOD, "value": ["a dozen words or 12"]}, "its value does not fit its kind"),
        (LIMIT, {**GOOD, "kind": "language", "value": ["12"]}, "its value does not fit its kind"),
        (
            WORDS,
            {"kind": "contains", "value": ["thanks"], "keeps": "thanks", "breaks": "no"},
            "its value is not in the quoted words",
        ),
        (
            CODES,
            {"kind": "regex", "value": [r"\bCD-\d{2}\b"], "keeps": "CD-12", "breaks": "12"},
            "its value is not in the quoted words",
        ),
        (CODES, {"kind": "regex", "value": ["(AB"], "keeps": "AB", "breaks": "12"}, "its value does not fit its kind"),
        (
            CODES,
            {"kind": "regex", "value": ["(A+)+B$"], "keeps": "AB", "breaks": "A" * 4_000},
            "it passes the example that breaks the rule",
        ),
        (
            'Always write "{{ name }}" somewhere.',
            {"kind": "contains", "value": ["{{ name }}"], "keeps": "{{ name }}", "breaks": "no"},
            "its value holds a template or control characters",
        ),
    ],
)
def test_a_check_that_does_not_hold_is_named_and_left_to_the_judge(
    desk: Desk, sentence: str, check: object, reason: str
) -> None:
    proposing(desk, sentence, check)
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    assert "1 rule, 0 checked by code, 1 by a judge" in made.out
    assert f"does not hold ({reason}): R1" in " ".join(made.out.split())
    assert "check:" not in (desk.root / SPEC).read_text(encoding="utf-8").partition("\nrules:")[2]


@pytest.mark.parametrize(
    "check", [None, 7, "max_words", {}, {"kind": "none"}, {"kind": "magic"}, {"kind": "json", "keeps": 1}]
)
def test_a_reply_without_a_check_in_the_form_asked_for_is_a_rule_for_the_judge(desk: Desk, check: object) -> None:
    proposing(desk, LIMIT, check)
    made = desk.generate("--effort", "min")
    assert made.code == 0, made.err
    assert "1 rule, 0 checked by code, 1 by a judge" in made.out


def edited(desk: Desk, before: str, after: str) -> None:
    text = (desk.root / SPEC).read_text(encoding="utf-8")
    assert re.search(before, text, re.DOTALL), text
    desk.write(SPEC, re.sub(before, after, text, count=1, flags=re.DOTALL))


def test_a_check_of_an_edited_rule_is_dropped_unless_it_was_edited_too(desk: Desk) -> None:
    proposing(desk, LIMIT, GOOD)
    assert desk.generate("--effort", "min").code == 0
    edited(desk, "rule: Your reply must never run past 12 words", "rule: Your reply must run past 12 words")
    assert document(desk.generate("--effort", "min", "--json"))["compiled"] == []
    edited(desk, r"check:.*?(?=\n    grounding)", "check: {kind: min_words, value: 12}")
    found = document(desk.generate("--effort", "min", "--json"))
    assert [one["checks"] for one in found["compiled"]] == ["R1 by code: at least 12 words"]


def test_a_check_that_a_person_writes_is_tried_and_named_if_it_does_not_hold(desk: Desk) -> None:
    assert desk.generate("--effort", "min").code == 0
    edited(desk, "rules:\n", "rules:\n  - {rule: Be as brief as 30 words are., check: {kind: max_words, value: 30}}\n")
    found = document(desk.generate("--effort", "min", "--json"))
    assert "R4 by code: at most 30 words" in [one["checks"] for one in found["compiled"]]
    edited(desk, "value: 30", "value: 31")
    made = desk.generate("--effort", "min")
    assert "its check in the specification is not used (its value is not in the quoted words): R4" in " ".join(
        made.out.split()
    )
    edited(desk, "kind: max_words, value: 31", "kind: most_words, value: 30")
    refused = desk.generate("--effort", "min")
    assert refused.code == 2
    assert "spec.yaml" in refused.err and "kind" in refused.err
