"""Each form on outputs that keep a rule and that break it, and on sentences that are near to it and mean another."""

import pytest

from tests.testgen.compile.support import compiled, kept, understood


@pytest.mark.parametrize(
    ("text", "keeping", "breaking"),
    [
        (
            "The output must be a number.",
            ["3", "-4", "3.5", "1,250", ".5", "+7 "],
            ["", "-", ".", "3.", "3 apples", "1,25"],
        ),
        ("The output must be an integer between 0 and 20.", ["0", "20", "07"[1:]], ["21", "-1", "1.5", "", "7 "[:0]]),
        ("The output must be a single digit.", ["7", " 7\n"], ["77", "x", "٣"]),
        ("The output must be a single letter.", ["A", "é"], ["AB", "1", ""]),
        ("The output must be a date in the format YYYY-MM-DD.", ["2026-11-22"], ["2026-13-01", "2026-11-32", "26-1-1"]),
        ("The output must be in uppercase.", ["ÄPFEL 3!", ""], ["Äpfel", "ä"]),
        ("The output must be in lowercase.", ["äpfel 3!"], ["Äpfel"]),
        ("The output must start with an uppercase letter.", ["Ärger", " A"], ["a", "1", ""]),
        ("The output must not contain any digits.", ["none"], ["a 1"]),
        ("The output must not contain any blank lines.", ["a\nb", "\n\na\n\n"], ["a\n\nb", "a\n \nb"]),
        ("The output must not contain any links.", ["www is old"], ["see https://a.b", "www.a.b"]),
        (
            "The output must not contain Markdown.",
            ["2 * 3 * 4", "2**3", "a_b_c", "__init__", "- ", "#tag", "1 > 0"],
            ["*a*", "__a b__", "_a_", "`a`", "> a", "| a | b |\n| - | - |"],
        ),
        (
            "The output must not contain HTML tags.",
            ["1 < 2 > 1", "<3", "a <- b"],
            ["<b>", "</p>", '<a href="x">', "<br/>"],
        ),
        ("The output must not contain code fences.", ["`a`"], ["```", "~~~py"]),
        ("The output must be in title case.", ["A Day in the Life", "I Saw NASA"], ["A day", "the Day", "ALL BIG"]),
        ("The output must be in a code block.", ["```\nx\n```"], ["x", "```\nx"]),
        ("The output must be wrapped in <answer> tags.", ["<answer>4</answer>"], ["4", "<answer>4"]),
        ("The output must be a number from 0 to 2.", ["0", "1.75", "2.00"], ["2.1", "3", "-1", "two"]),
        ("The output must be a bulleted list.", ["- a\n- b", "* a\n  goes on\n\n* b"], ["a\nb", "- a\nb", "  a", ""]),
        ("The output must be a numbered list with two items.", ["1. a\n2) b"], ["1. a", "1. a\n2. b\n3. c"]),
        ("Return a comma-separated list of at most two items.", ["a", "a, b"], ["a, b, c", "a,, b", "see a b"]),
        ("Return a semicolon-separated list.", ["a; b, c; d"], ["a, b and c", "a;", "a\nb; c"]),
        ("Answer without Markdown, emojis, or dashes.", ["a-b"], ["**a**", "😀", "a — b"]),
        ("The output must not contain emojis.", ["a # 1 ©", "™"], ["😀", "☀\ufe0f", "🇩🇪"]),
    ],
)
def test_notation(text, keeping, breaking):
    assert [output for output in keeping if not kept(text, output)] == []
    assert [output for output in breaking if kept(text, output)] == []


@pytest.mark.parametrize(
    ("text", "keeping", "breaking"),
    [
        ('The output must not start with "Sure".', ["Of course"], ["Sure, here"]),
        ('Do not start the reply with the word "I".', ["It is so.", "Indeed."], ["I can.", "I"]),
        ('The output must start with the word "I".', ["I can."], ["It is so."]),
        ('The output must end with the word "END".', ["The END", "END"], ["LEGEND"]),
        ('The output must start with "Yes" or "No".', ["Yes, so it is", "No."], ["Maybe", "So: Yes"]),
        ('The output must end with "." or "!".', ["Yes.", "Yes! "], ["Yes", "Yes?"]),
        ('The output must contain "alpha" or "beta".', ["A beta.", "Alpha"], ["c", "alphabet"]),
        ('The output must contain at least one of the words "thou" and "hath".', ["He hath"], ["He has"]),
        ('The output must contain both "red" and "blue".', ["Blue or red"], ["red"]),
        ('The output must not contain the symbol "#".', ["a"], ["a#b"]),
        ('The output must not contain the word "cat".', ["category"], ["a Cat."]),
    ],
)
def test_words_and_edges(text, keeping, breaking):
    assert [output for output in keeping if not kept(text, output)] == []
    assert [output for output in breaking if kept(text, output)] == []


@pytest.mark.parametrize(
    "text",
    [
        'The output must not contain both "a" and "b".',
        'The output must contain one of "a" or "b" and "c".',
        "The output must contain the words listed above.",
        'The output must start with "Dear" and the name.',
        "The output must end with a question about the user.",
        "The output must contain a number.",
        "The output must be in Markdown.",
        "The output must not be in uppercase.",
        "The output must not be a number.",
        "The output must be a comma-separated list of names.",
        "The output must be a bulleted list of reasons.",
        "Do not use Markdown, except for bold text.",
    ],
)
def test_near_to_it(text):
    assert compiled(text) is None


def test_a_choice_of_letters_and_of_words_with_blanks():
    assert kept("The output must be one of A, B, or C.", "B")
    assert kept("The output must be one of the following teams: Human Resources, Legal.", "Human Resources")
    assert not kept("The output must be one of the following teams: Human Resources, Legal.", "Human")


def test_a_choice_names_as_many_as_it_says():
    assert compiled("The output must be one of the three labels: red, green, blue.") is not None
    assert compiled("The output must be one of the four labels: red, green, blue.") is None


def test_spelling_counts_only_where_the_rule_says_so():
    for text in ('The output must be "yes" or "no".', "Answer yes or no.", 'Output "yes" or "no", regardless of case.'):
        assert all(kept(text, output) for output in ("yes", "Yes", "No.", " no\n"))
        assert not any(kept(text, output) for output in ("maybe", "Yes!", "Yes, it is.", "no.."))
    assert not kept('The output must be exactly "yes" or "no".', "Yes")
    assert not kept('The output must be exactly "yes" or "no".', "yes.")
    assert not kept('The output must be "yes" or "no" (case-sensitive).', "Yes")


def test_keys_of_an_object():
    named = 'The output must be a JSON object with exactly the keys "a", "b" and "c".'
    assert kept(named, '{"a": 1, "b": 2, "c": 3}')
    assert not kept(named, '{"a": 1, "b": 2, "c": 3, "d": 4}')
    assert compiled('The output must be a JSON object with three keys: "a" and "b".') is None
    assert compiled('The output must be a JSON object with the keys "a" or "b".') is None
    assert compiled("The output must be a JSON object with keys sorted and lowercase.") is None


def test_an_array_as_it_is_shown():
    for shown in ('["name"]', '`["name"]`', '["first", "second", ...]'):
        text = f"The output must be an array in the format {shown}."
        assert kept(text, '["BERT"]')
        assert not kept(text, '[["BERT"]]')
    assert compiled("The output must be an array in the format `[1]`.") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('The output must contain "Ann" and "Bo".', "contains Ann, Bo"),
        ('The output must contain "Ann" or "Bo".', "contains one of Ann, Bo"),
        ('The output must not contain "ask" or "bet".', "without ask, bet"),
        ('The output must not contain "ask" or "US".', "without ask; without US in capitals"),
        ('The output must end with "A" or "B".', "ends with A or B"),
        ('The output must not start with "A".', "does not start with A"),
        ("The output must contain exactly one <p> tag.", "exactly 1 <p> tag"),
        ("Each <p> tag must contain at least two <em> tags.", "at least 2 <em> tags in each <p>"),
        ('The output must contain at most two occurrences of "ask".', "“ask” at most 2 times"),
    ],
)
def test_what_is_checked_is_told(text, told):
    assert understood(text).wording == told


def test_languages_have_their_codes():
    assert understood("The output must be in Portuguese.").scorers[0].options == {"is": "pt"}
    for other in ("Klingon", "British English", "German or French", "simple English", "the user's language"):
        assert compiled(f"The output must be in {other}.") is None
