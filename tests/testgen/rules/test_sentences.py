"""Quotations are taken out of a sentence."""

import pytest

from gate.testgen.rules.sentences import SENTENCE_CHARS, read_sentence
from tests.testgen.rules.support import compiled


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
