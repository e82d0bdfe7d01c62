import pytest

from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.errors import InputErrors
from gate.scoring.interface import Subject
from gate.scoring.panel import SHORT_REASON_CHARS, fill_options, validate
from gate.values import JsonValue


@pytest.mark.parametrize(
    ("value", "expected", "filled"),
    [
        ("{{ expected }}", 42, 42),
        ("{{expected}}", [1, 2], [1, 2]),
        ("{{ expected }}", "x", "x"),
        ("{{ expected }}!", 42, "42!"),
        (["a {{ expected }}", "{{ id }}"], "x", ["a x", "c"]),
        (["{{ expected }}", "z"], ["x", "y"], ["x", "y", "z"]),
        (["{{ expected }}", 3, None], {"a": 1}, [{"a": 1}, 3, None]),
        ([["a"]], None, [["a"]]),
        ({"a": ["{{ expected }}", {"b": "{{ id }}"}]}, [1, 2], {"a": [1, 2, {"b": "c"}]}),
        (True, None, True),
        ("plain", None, "plain"),
    ],
)
def test_what_is_filled_in(value: JsonValue, expected: JsonValue, filled: JsonValue) -> None:
    assert fill_options({"value": value}, Case("c", input="q", expected=expected)) == {"value": filled}


@pytest.mark.parametrize("value", ["{{ expected }}", ["a", "{{ expected }}"], ["{{ slices.lang }}"]])
def test_a_field_that_is_missing_is_an_error(value: JsonValue) -> None:
    with pytest.raises(InputErrors, match="cannot be filled in for case 'c'"):
        fill_options({"value": value}, Case("c", input="q"))


def test_a_reason_is_one_short_line() -> None:
    spec = ScorerSpec("regex", "regex", {"pattern": "a\nb" + "c" * 900})
    reason = validate(spec, Subject(Case("c", input="q"), "x")).reason
    assert reason.startswith("does not match /a\\nbccc")
    assert len(reason) == SHORT_REASON_CHARS
    assert reason.endswith("…")
