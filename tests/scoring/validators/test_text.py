import itertools
import unicodedata

import pytest

from gate.values import JsonValue
from tests.scoring.validators.scored import judged, score


@pytest.mark.parametrize(
    ("options", "answer", "expected", "reason"),
    [
        ({"any": ["Lyon", "Paris"]}, "It is paris.", 1.0, 'contains "Paris"'),
        ({"any": ["Lyon", "Nice"]}, "It is Paris.", 0.0, 'contains none of "Lyon", "Nice"'),
        ({"all": ["a", "b"]}, "a and b", 1.0, 'contains "a", "b"'),
        ({"all": ["a", "b"]}, "a", 0.0, 'does not contain "b"'),
        ({"none": ["a", "b"]}, "x", 1.0, 'contains none of "a", "b", as it should be'),
        ({"none": ["a", "b"]}, "b", 0.0, 'contains "b", which it must not'),
        ({"any": ["a", "b"], "none": ["c"]}, "a c", 0.0, 'contains "c", which it must not'),
        ({"any": ["a", "b"], "none": ["c"]}, "b", 1.0, 'contains "b"'),
        ({"value": "x", "all": ["y"]}, "y", 0.0, 'does not contain "x"'),
        ({"all": list("abcdefg")}, "", 0.0, 'does not contain "a", "b", "c" and 4 more'),
        ({"any": ["PARIS"], "ignore_case": False}, "Paris", 0.0, 'contains none of "PARIS"'),
    ],
)
def test_contains_several(options: JsonValue, answer: str, expected: float, reason: str) -> None:
    found = judged({"contains": options}, answer)
    assert (found.value, found.reason) == (expected, reason)


def test_an_expected_list_stands_for_its_items() -> None:
    assert score({"contains": {"any": "{{ expected }}"}}, "b", ["a", "b"]) == 1.0
    assert score({"contains": {"all": "{{ expected }}"}}, "b", ["a", "b"]) == 0.0
    assert score({"contains": {"all": ["{{ expected }}", "c"]}}, "a b c", ["a", "b"]) == 1.0
    assert score({"contains": {"any": ["no. {{ expected }}"]}}, "no. 3", 3) == 1.0


def test_texts_of_a_list_hold_fields_of_the_case() -> None:
    assert score({"contains": {"all": ["{{ input }}", "id {{ id }}"]}}, "q with id c") == 1.0


@pytest.mark.parametrize(
    ("kind", "answer", "expected"),
    [
        ("starts_with", "Hello there", 1.0),
        ("starts_with", "\n Hello", 1.0),
        ("starts_with", "Say Hello", 0.0),
        ("starts_with", "hello", 0.0),
        ("ends_with", "Say Hello", 1.0),
        ("ends_with", "Hello \n", 1.0),
        ("ends_with", "Hello!", 0.0),
        ("ends_with", "", 0.0),
    ],
)
def test_beginnings_and_ends(kind: str, answer: str, expected: float) -> None:
    assert score({kind: "Hello"}, answer) == expected


@pytest.mark.parametrize(
    ("kind", "right"), [("exact", "two"), ("starts_with", "two, I think"), ("ends_with", "It is two")]
)
def test_one_of_an_expected_list_is_enough(kind: str, right: str) -> None:
    assert score(kind, right, ["one", "two"]) == 1.0
    assert score(kind, "three", ["one", "two"]) == 0.0
    assert score(kind, '["one", "two"]', ["one", "two"]) == 1.0
    assert judged(kind, "three", ["one", "two"]).reason.endswith('one of "one", "two"')


@pytest.mark.parametrize("kind", ["exact", "contains", "starts_with", "ends_with"])
def test_letters_that_look_the_same_are_the_same(kind: str) -> None:
    for text in ("Café au lait", "Größe", "한국어", "\u1f82", "İstanbul", "Việt Nam"):
        one, other = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
        assert one != other
        for want, got, ignore_case in itertools.product((one, other), (one, other), (False, True)):
            assert score({kind: {"value": want, "ignore_case": ignore_case}}, got) == 1.0, text
            assert score({kind: {"value": want, "ignore_case": ignore_case}}, f"{got[:-1]}x") == 0.0, text


def test_a_letter_without_its_accent_is_another_one_however_it_is_written() -> None:
    for form in ("NFC", "NFD"):
        answer = unicodedata.normalize(form, "café")
        assert score({"contains": "cafe"}, answer) == score({"starts_with": "cafe"}, answer) == 0.0
