"""Texts in the form in which a judge's words are looked for."""

import unicodedata

import pytest

from gate.scoring.verdict import GROWTH, KEY, PlainText, plain_text


def form(text: str) -> PlainText:
    found = plain_text(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Łódź’s <b>co</b>st,\u00a0in €: 12", "lodzscostin"),
        ("ﬁne ① Ⅳ ²", "fineiv"),
        ("Straße ΌΣΟΣ", "strasseoσoσ"),
        ("с\u0430f\u0435", "cafe"),
        ("가나", "가나"),
        ("価格が", "価格か"),
        ("ガ", "カ"),
        ("don't <br/> 'quote'", "dontquote"),
        (r"a\nb\u0063\x64\u{65}\U00000066 \"g\"", "abcdefg"),
        (r"\ud83d\ude00 \u{ffffffff}x", "uffffffffx"),
        (r"\\\\u0061", "a"),
        ("&amp;lt;b&#99;&#x64;", "bcd"),
        ("%61%2562", "ab"),
        ("\U000e0061\U000e0062", "ab"),
        ("see dGhlIHByaWNlIGlzIG5hbWVk now", "seedghlihbyawnliglzighbwvknowthepriceisnamed"),
        ("", ""),
    ],
)
def test_letters(text: str, letters: str) -> None:
    found = form(text)
    assert found.letters == unicodedata.normalize("NFD", letters)
    assert len(found.edges) == len(found.letters) + 1


def test_what_escapes_hide_is_read_to_the_end_or_not_at_all() -> None:
    assert form(f"{'&amp;' * 3}{'&' + 'amp;' * 500}#97;").letters.endswith("a")
    assert plain_text("&" + "#38;" * 20 + "#97;") is None


def test_numbers_stand_where_they_stood() -> None:
    found = form("1. First, 2 cups: 3, 0,5 or 1,000; at 5:40 it is 6.50 {'a': 7, 'b': [8, 9]} | 10 | (11) 1e1")
    numbers = [float(one) for one in found.numbers]
    assert numbers == [2.0, 3.0, 0.5, 1.0, 0.0, 40.0, 6.5, 7.0, 8.0, 9.0, 10.0, 11.0, 10.0]
    alone = [one for one, own in zip(numbers, found.alone, strict=True) if own]
    assert alone == [3.0, 6.5, 7.0, 8.0, 10.0, 11.0]
    assert found.letters[: found.places[0]] == "first"


def test_words_have_edges_and_names_of_fields_a_sign_behind_them() -> None:
    found = form('His core is a score. "score": 1, Score = 2, <score>3</score>, underscore, sco re: x')
    assert len(list(found.words("score"))) == 6
    assert len(list(found.words("score", KEY))) == 5
    assert list(found.words("core")) == [3]
    assert list(found.words("score", within=(0, 5))) == []


def test_no_character_becomes_a_sentence() -> None:
    assert len(form("\ufdfa" * 10).letters) <= 10 * GROWTH
