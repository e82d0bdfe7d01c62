import pytest

from gate.domain.jsonvalue import JsonValue
from tests.unit.scoring.validators.scored import judged, score


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
        ({"all": list("abcdefg")}, "", 0.0, 'does not contain "a", "b", "c", "d", "e" and 2 more'),
        ({"any": ["PARIS"], "ignore_case": False}, "Paris", 0.0, 'contains none of "PARIS"'),
    ],
)
def test_contains_several(options: JsonValue, answer: str, expected: float, reason: str) -> None:
    found = judged({"contains": options}, answer)
    assert (found.value, found.reason) == (expected, reason)


def test_the_expected_value_is_looked_for_only_where_nothing_else_is() -> None:
    assert score("contains", "Paris", "Paris") == 1.0
    assert score({"contains": {"any": ["Lyon"]}}, "Lyon", "Paris") == 1.0


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


def test_beginnings_and_ends_fold_case_when_asked() -> None:
    assert score({"starts_with": {"value": "straße", "ignore_case": True}}, "STRASSE 1") == 1.0
    assert score({"ends_with": {"value": "STRASSE", "ignore_case": True}}, "in der Straße") == 1.0
