"""Sentences that become scorers without a model, and the many that do not."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.config.scorer import parse_scorers
from gate.config.specification import CompiledRule, OutputRule
from gate.scoring.panel import option_complaints
from gate.testgen.rules.checks import passes
from gate.testgen.rules.compiler import compile_rule
from gate.testgen.rules.plain_forms import PLAIN_FORMS, SENTENCE_CHARS

EXAMPLES: dict[str, tuple[str, str, str]] = {
    "Answer in at most two sentences.": ("at most 2 sentences", "It is open. Come in.", "It is. It was. It will be."),
    "Answer in three sentences.": ("exactly 3 sentences", "It is. It was. It will be.", "It is open."),
    "Never exceed 80 words.": ("at most 80 words", "word " * 80, "word " * 81),
    "Always write in English.": (
        "in English",
        "The shop is open every day of the week from nine to five.",
        "Der Laden ist jeden Tag der Woche von neun bis fünf Uhr geöffnet.",
    ),
    "Answer as JSON.": ("valid JSON", '{"a": 1}', "a"),
    "Return a JSON object.": ("a JSON object", '{"a": 1}', "[1]"),
    "The output must be a JSON array.": ("a JSON array", "[1]", '{"a": 1}'),
    'Never use the word "unfortunately".': ("without unfortunately", "Sadly so.", "Unfortunately so."),
    'The answer must contain "Veloheim".': ("contains Veloheim", "At Veloheim.", "At home."),
    'Start with "Dear customer".': ("starts with Dear customer", "Dear customer, hello", "Hello"),
    'End with "Best regards".': ("ends with Best regards", "Yes. Best regards", "Yes."),
    "Always end with a question.": ("a question at the end", "Is it?", "It is."),
    'The output must be "yes" or "no".': ("one of yes, no, in capitals or not", "Yes.", "Maybe"),
    "The output must be in lowercase.": ("no capitals", "yes", "Yes"),
    "The output must be in uppercase.": ("no small letters", "YES", "Yes"),
    "Do not use emojis.": ("no emoji", "Hello", "Hello 😀"),
    "No Markdown.": ("no Markdown", "Hello", "**Hello**"),
    "The answer must not contain links.": ("no web addresses", "Hello", "See https://a.b"),
}


def compiled(text: str) -> CompiledRule | None:
    return compile_rule(OutputRule("R1", text))


def scored(text: str, output: str) -> bool | None:
    rule = compiled(text)
    assert rule is not None, text
    return passes(rule.scorers, output)


def test_each_form_has_an_example_here() -> None:
    assert [form.example for form in PLAIN_FORMS] == list(EXAMPLES)


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_of_a_form_is_checked_by_code(text: str) -> None:
    wording, keeps, breaks = EXAMPLES[text]
    rule = compiled(text)
    assert rule is not None
    assert (rule.wording, passes(rule.scorers, keeps), passes(rule.scorers, breaks)) == (wording, True, False)
    for spec in rule.scorers:
        written = {spec.kind: json.loads(json.dumps({**spec.options})), "name": spec.name, "negate": spec.negate}
        assert parse_scorers([written], "compiled") == (spec,)


@pytest.mark.parametrize("tail", [" if possible", " unless asked", " or so", ", roughly", " per line", " and be kind"])
@pytest.mark.parametrize("text", EXAMPLES)
def test_a_condition_a_hedge_or_a_second_demand_leaves_a_sentence_to_the_judge(text: str, tail: str) -> None:
    assert compiled(f"{text.removesuffix('.')}{tail}.") is None


@pytest.mark.parametrize(
    "part", ["The input", "The title", "The summary", "The answers", "Each answer", "The final answer", "They"]
)
def test_only_the_whole_output_is_held_to_a_rule(part: str) -> None:
    assert compiled(f"{part} must be at most 12 words.") is None


@pytest.mark.parametrize(
    "text",
    [
        "The output must contain \x00.",
        "The output must be {{ expected }}.",
        'The output must contain "{% raw %}".',
        'The output must contain " ".',
        'The output must start with "Dear {name}".',
        'The output must start with "Dear [name]".',
        'The output must start with "Step N:".',
        'The output must be "PASS" or "FAIL: reason".',
        'Never use the word "May".',
        "The output must be at most 3 ſentences.",
        "The output must be at least 0 words.",
        "The output must be between 80 and 20 words.",
        "The output must be at most 9999999 words.",
        "The output must be at most 80 words" + " " * SENTENCE_CHARS,
    ],
)
def test_a_sentence_that_could_mean_something_else_is_left_to_the_judge(text: str) -> None:
    assert compiled(text) is None


@pytest.mark.threat("rule-pattern")
@pytest.mark.parametrize("literal", ["(a+)+$", ".*", "[^b]", "a|b", "\\", "(?i)a", "^", "a{,}"])
def test_a_quotation_is_no_pattern(literal: str) -> None:
    text = f'The output must be one of "{literal}", "other".'
    assert [scored(text, output) for output in (literal, "a" * 30, "b")] == [True, False, False]


PARTS = [*EXAMPLES, "at most", "between", "and", "or", ",", '"a"', '"("', "`[`", '"(a+)+$"', "3", "five", "{{", "“é”"]


@given(st.text(max_size=700) | st.lists(st.sampled_from(PARTS), max_size=10).map(" ".join))
@settings(max_examples=50)
def test_any_sentence_becomes_scorers_that_the_reader_takes_or_none(text: str) -> None:
    for spec in rule.scorers if (rule := compiled(text)) else ():
        assert not list(option_complaints(spec.kind, spec.options))


@pytest.mark.threat("rule-pattern")
@pytest.mark.parametrize("begin", ["", "The output must be ", "Never use ", "Answer ", 'Include "a"'])
def test_no_sentence_makes_a_search_that_never_ends(begin: str) -> None:
    words = ("the ", "a ", ", ", '"a", ', "at most ", "1 ", "please ")
    assert [word for word in words if compiled((begin + word * SENTENCE_CHARS)[:SENTENCE_CHARS]) is not None] == []
