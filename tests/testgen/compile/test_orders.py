"""Orders as prompts word them: one test for each kind of pattern, with what it must leave alone."""

import pytest

from gate.config.specification import OutputRule
from gate.testgen.rules.compiler import compile_rules
from tests.testgen.compile.support import compiled, kept, understood


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("Answer the customer's question in at most two sentences.", "at most 2 sentences"),
        ("Summarize the following text in one sentence.", "exactly 1 sentence"),
        ("Write a one-sentence summary of the article.", "exactly 1 sentence"),
        ("Limit every reply to three sentences.", "at most 3 sentences"),
        ("Word limit: 80 words.", "at most 80 words"),
        ("Answer in 1-2 sentences max.", "from 1 to 2 sentences"),
        ("Respond in one short paragraph.", "exactly 1 paragraph"),
        ("Answer in bullet points.", "a bullet point"),
        ("Translate the following text to German.", "in German"),
        ("Only speak German.", "in German"),
        ("Answer the customer's question in German.", "in German"),
        ("Plain text only.", "no Markdown, no HTML tags"),
        ("Avoid emojis and exclamation marks.", "no emoji; no exclamation mark"),
        ("Do not include any text outside the JSON object.", "JSON and nothing else"),
        ("Return only the number.", "one number"),
        ("Give your answer as a number between 1 and 3.", "a number from 1 to 3"),
        ("Do not wrap the JSON in code fences.", "no code fence"),
        ("Do not use bullet points or headings.", "no bullet point; no headings"),
        ("Never mention Acme or Globex.", "without Acme, Globex"),
        ('Always say "thanks for asking!" at the end of the answer.', "ends with thanks for asking!"),
        ('Begin every reply with "Dear customer".', "starts with Dear customer"),
        ("Respond with exactly one word: red, blue, or green.", "one of red, blue, green, in capitals or not"),
        ("Classify the sentiment as positive or negative.", "one of positive, negative, in capitals or not"),
    ],
)
def test_an_order_is_read_as_it_is_meant(text, wording):
    assert understood(text).wording == wording


@pytest.mark.parametrize(
    "text",
    [
        "Answer each question in one sentence.",
        "Answer the question in one language.",
        "Summarise each section in one sentence.",
        "Summarize the text in one sentence and list three keywords.",
        "Translate the title into German.",
        "Only speak politely.",
        "Never mention competitors.",
        "Never mention that you are an AI.",
        "Do not ask more than one question at a time.",
        'Say "Goodbye" at the end of the conversation.',
        "The text is in English.",
    ],
)
def test_what_looks_like_it_is_left_alone(text):
    assert compiled(text) is None


def test_brevity_is_said_by_the_bound_beside_it_and_by_nothing_else():
    for text in (
        "Be brief: at most 80 words.",
        "Keep the answer concise (at most 80 words).",
        "Your replies are short, at most 80 words.",
        "Use at most 80 words and keep the answer concise.",
    ):
        assert understood(text).wording == "at most 80 words"
    assert compiled("Be brief: no Markdown.") is None
    assert compiled("Keep it short: at most 80 words per paragraph.") is None


def test_a_bound_before_two_things_is_not_taken_for_one_of_them():
    assert compiled("The output must not contain more than 3 commas or colons.") is None
    assert understood("Do not use commas or colons.").wording == "no comma; no colon"


def test_a_question_at_the_end():
    text = "Always end your reply with a question."
    assert kept(text, "We can refund it. Shall we? 🙂")
    assert kept(text, 'Did you mean "today?"')
    assert not kept(text, "Shall we? Tell me.")
    assert kept("Do not end with a question.", "Shall we? Tell me.")


def test_an_apology_is_somebodys_own():
    text = "Do not apologise."
    for apology in ("Sorry, no.", "We're so sorry.", "We apologize for that.", "My sincere apologies."):
        assert not kept(text, apology)
    for other in ("There is no need to apologise.", "It is in a sorry state.", "She apologised to us."):
        assert kept(text, other)


def test_a_name_is_a_whole_word_with_its_capital():
    assert not kept("Never mention our competitors Acme and Globex.", "Try Globex.")
    assert kept("Never mention our competitors Acme and Globex.", "The acme of Globexia.")


def test_a_summary_is_the_whole_only_where_nothing_else_is_asked_for():
    asked = OutputRule("R1", "Summarize the article in one sentence.")
    harmless = (OutputRule("R2", "You are a careful editor."), OutputRule("R3", "Be polite."))
    assert [one.rule for one in compile_rules((asked, *harmless))] == ["R1"]
    assert compile_rules((asked, *harmless, OutputRule("R4", "List five keywords."))) == ()
