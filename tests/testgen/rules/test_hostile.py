"""Rules are text of strangers: nothing in one raises, becomes part of a pattern, or makes a search without end."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.scorer import parse_scorers
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import option_complaints, validate
from gate.testgen.rules.sentences import SENTENCE_CHARS
from tests.testgen.rules.support import compiled, kept, understood

SUBJECTS = [
    "Answer",
    "Use",
    "Keep it",
    "Never",
    "No",
    "The summary must",
    "Return",
    "The output must",
    "The response should not",
    "Each <p> tag must",
    "Do not",
    "The word",
    "Respond",
    "Avoid",
]
PARTS = [
    *("be", "contain", "start with", "end with", "one of", "at most", "at least", "exactly", "no more than", "between"),
    *("and", "or", ",", ":", "not", "must", "only", "the", "words", "each <p> tag", "tags", "<b>", "in", "German"),
    *(
        '"a"',
        '"("',
        "`[`",
        '"(a+)+$"',
        '"\\"',
        "3",
        "five",
        "JSON",
        "object",
        "array of strings",
        "a JSON array of ſtrings",
        "ſentences",
        "with the keys",
    ),
    *("in the output", "(", ")", "lines", "paragraph", "Markdown", "yes", "no", "single", "{{", "§0§", "“é”", "\u202e"),
]
SENTENCES = st.builds(
    lambda subject, parts: f"{subject} {' '.join(parts)}.",
    st.sampled_from(SUBJECTS),
    st.lists(st.sampled_from(PARTS), max_size=14),
)


@given(st.text(max_size=700) | SENTENCES)
@settings(max_examples=20)
def test_any_sentence_becomes_scorers_that_the_reader_takes_or_none(text):
    found = compiled(text)
    if found is None:
        return
    assert found.wording
    assert len({spec.name for spec in found.scorers}) == len(found.scorers)
    for spec in found.scorers:
        written = {spec.kind: json.loads(json.dumps({**spec.options})), "name": spec.name, "negate": spec.negate}
        assert parse_scorers([written], "compiled") == (spec,)
        assert not list(option_complaints(spec.kind, spec.options))
        validate(spec, Subject(Case("c"), "some text"))


@pytest.mark.parametrize("literal", ["(a+)+$", ".*", "[^b]", "a|b", "\\", "(?i)a", "^", "a{,}"])
def test_a_quotation_is_no_pattern(literal):
    text = f'The output must be one of "{literal}", "other".'
    assert kept(text, literal)
    assert not kept(text, "a" * 30)
    assert not kept(text, "b")


LONG = 5_000
PIECES = (
    "<p",
    "<p>",
    "<p ",
    "<p><strong>",
    "</p",
    "a",
    "A ",
    "a ",
    " ",
    "\n",
    "\n ",
    "- ",
    "-\n",
    "*",
    "_",
    "`",
    "```",
    "[",
    "[a](",
)
MORE_PIECES = ("1,111", "1.", ",", ", ", "a,", "\ufe0f#", "—", "- a\n", "1. a\n", ".", "'")


@pytest.mark.parametrize(
    "text",
    [
        "Each <p> tag must contain exactly one <strong> tag and at least two <em> tags.",
        "The output must contain at least three <p> tags.",
        "The output must contain exactly 900 <p> tags.",
        "The output must have exactly 3 paragraphs.",
        "The output must have at least 500 lines.",
        "The output must contain at most 3 list items.",
        "The output must not contain Markdown.",
        "The output must not contain HTML tags.",
        "The output must not contain emojis.",
        "The output must not contain blank lines.",
        "The output must not contain dashes.",
        "The output must not contain spaces.",
        "The output must be a number.",
        "The output must be a number between 0 and 100.",
        "The output must be in uppercase.",
        "The output must be in title case.",
        "The output must be plain text.",
        "The output must be wrapped in a code block.",
        "The output must be a bulleted list of at most 9 items.",
        "The output must be a numbered list.",
        "The output must be a comma-separated list.",
        "The output must be a semicolon-separated list of at least 3 items.",
        'The output must be one of "a", "b" or "aaaa".',
        'The output must contain exactly one "aa".',
        'The output must end with "a" or "b".',
        "The output must end with a punctuation mark.",
    ],
)
def test_no_output_makes_a_search_that_never_ends(text):
    scorers = understood(text).scorers
    for piece in PIECES + MORE_PIECES:
        subject = Subject(Case("c"), piece * (LONG // len(piece)))
        assert [spec for spec in scorers if isinstance(validate(spec, subject).value, Unscored)] == [], piece


WORDS = (
    "the ",
    "a ",
    "and ",
    "at most ",
    "in ",
    "of the output ",
    "not ",
    "be ",
    "no ",
    "only ",
    "§ ",
    ", ",
    "1 ",
    "x",
)


@pytest.mark.parametrize("begin", ["", "The output must ", "Never ", "Classify the ", "Answer in ", "There must be "])
def test_no_rule_takes_the_reader_long(begin):
    assert [word for word in WORDS if compiled((begin + word * SENTENCE_CHARS)[:SENTENCE_CHARS]) is not None] == []
