"""Quotations are taken out of a sentence."""

import pytest

from gate.testgen.rules.sentences import SENTENCE_CHARS, read_sentence
from tests.testgen.compile.support import compiled, kept


def test_quotations_become_marks_and_the_full_stop_goes():
    read = read_sentence("The output must be \"Yes.\"  or `No` or 'Maybe'.")
    assert read is not None
    assert read.text == "The output must be §0§ or §1§ or §2§"
    assert read.literals == ("Yes.", "No", "Maybe")


def test_an_apostrophe_is_no_quotation_mark():
    read = read_sentence("The users' output mustn't be the model's.")
    assert read is not None
    assert read.literals == ()


def test_a_quoted_tag_is_a_tag():
    read = read_sentence("The output must contain at least 3 `<p>` tags.")
    assert read is not None
    assert "<p>" in read.text
    assert read.literals == ()


def test_what_stands_in_typographic_marks_is_kept_as_written():
    read = read_sentence("The output must contain “don’t – ever”.")
    assert read is not None
    assert read.literals == ("don’t – ever",)
    assert kept("The output must contain “don’t”.", "I don’t.")


@pytest.mark.parametrize(
    "text",
    [
        "The output must contain \x00.",
        "The output must be {{ expected }}.",
        'The output must contain "{% raw %}".',
        "The output must be §0§.",
        "The output must be a JSON array of ſtrings.",
        "The output must be at most 3 ſentences.",
        "The output must be in FİNNISH.",
        'The output must contain " ".',
        'The output must start with "Dear {name}".',
        'The output must start with "Dear [name]".',
        'The output must start with "Dear <customer name>".',
        'The output must start with "Total: ...".',
        "The output must be at most 80 words" + " " * 10 + "." * SENTENCE_CHARS,
    ],
)
def test_nothing_is_read_of(text):
    assert read_sentence(text) is None
    assert compiled(text) is None


def test_the_longest_sentence_is_read_and_a_longer_one_is_not():
    text = "The output must be “" + "x" * 100 + "”"
    assert read_sentence(text.ljust(SENTENCE_CHARS)) is not None
    assert read_sentence(text.ljust(SENTENCE_CHARS + 1)) is None
