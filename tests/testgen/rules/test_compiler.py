"""Whole sentences become scorers, or none."""

import json

import pytest

from benchmarks.rule_wordings import read
from gate.config.scorer import parse_scorers
from gate.config.specification import OutputRule
from gate.testgen.rules.compiler import compile_rule, compile_rules
from tests.testgen.rules.support import compiled, understood

TUNED = [wording for wording in read() if wording["set"] == "tuned"]


def test_the_reader_of_scorers_takes_what_is_built():
    for wording in TUNED:
        for spec in understood(wording["text"]).scorers if wording["expect"] else ():
            written = {spec.kind: json.loads(json.dumps({**spec.options})), "name": spec.name, "negate": spec.negate}
            assert parse_scorers([written], "compiled") == (spec,)


def test_only_the_whole_output_is_held_to_a_rule():
    parts = ("The input", "The title", "The answers", "Each answer", "The final answer", "The first sentence", "They")
    assert [part for part in parts if compiled(f"{part} must be at most 12 words.") is not None] == []
    whole = ("The output", "Your reply", "The summary", "The text", "The message", "It", "Your whole response")
    assert [said for said in whole if compiled(f"{said} must be at most 12 words.") is None] == []


def test_a_condition_or_hedge_leaves_a_rule_to_the_judge():
    tails = (
        " if possible",
        " unless asked",
        " when the user is short",
        " or so",
        ", roughly",
        " per line",
        " in lists",
    )
    for begin in ("The output must be at most 12 words", "Answer in at most 12 words", "Use at most 12 words"):
        assert compiled(f"{begin}.") is not None
        assert [tail for tail in tails if compiled(f"{begin}{tail}.") is not None] == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The caption must be at most 20 words.", "The output must list five hashtags after the caption."),
        ("The summary must be at most 50 words.", "The response must end with a list of action items."),
        ("The description must be one sentence.", "The output is a product name followed by a description."),
        ("The email must be at most 100 words.", "Below the email, the output must list three reasons."),
        ("It must be at most 3 sentences.", "The introduction must name the customer."),
        ("The text must be in German.", "The output must hold an English translation below the text."),
        ("The caption must be at most 20 words.", "The summary must be at most 50 words."),
        ("The summary must be at most 50 words.", "The output must contain at least 3 bullet points."),
    ],
)
def test_a_named_text_is_the_whole_only_where_no_rule_may_speak_of_another_part(text, other):
    rule = OutputRule("R1", text)
    harmless = ("The output must be friendly and clear.", "Never name a price.", "The response must not give advice.")
    others = [OutputRule(f"R{place}", said) for place, said in enumerate(harmless, 2)]
    assert [one.rule for one in compile_rules([rule, *others])] == ["R1"]
    assert "R1" not in [one.rule for one in compile_rules([rule, *others, OutputRule("R9", other)])]
    assert "R1" not in [one.rule for one in compile_rules([OutputRule("R9", other), rule])]


def test_each_sentence_of_a_rule_is_understood_or_none():
    assert understood("Answer in French. Use at most 5 words.").wording == "in French; at most 5 words"
    assert compiled("Answer in French. Be polite.") is None
    assert compiled("Answer in French. Answer in German.") is None


def test_inverse_and_evidence_play_no_part():
    rule = OutputRule("R2", "The output must be one word.", evidence="at most 3 words", inverse="… two words.")
    found = compile_rule(rule)
    assert found is not None
    assert found.scorers[0].options == {"min": 1, "max": 1}
