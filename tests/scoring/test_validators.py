import json
from dataclasses import replace

import pytest

from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.values import JsonValue


def score(kind: str, answer: str, expected: JsonValue = None, **options: JsonValue) -> float:
    spec = ScorerSpec(kind, kind, options)
    value = validate(spec, Subject(Case("c", input="q", expected=expected), answer)).value
    assert isinstance(value, float)
    return value


@pytest.mark.parametrize(
    ("answer", "options", "expected"),
    [
        ("Paris", {}, 1.0),
        ("  Paris\n", {}, 1.0),
        ("  Paris\n", {"strip": False}, 0.0),
        ("paris", {}, 0.0),
        ("paris", {"ignore_case": True}, 1.0),
        ("Paris!", {}, 0.0),
    ],
)
def test_exact(answer: str, options: dict[str, JsonValue], expected: float) -> None:
    assert score("exact", answer, "Paris", value="{{ expected }}", **options) == expected


def test_a_number_as_expected_is_compared_as_it_is_written() -> None:
    assert score("contains", "It costs 42 euro", 42, value="{{ expected }}") == 1.0


def test_regex() -> None:
    assert score("regex", "Order 4711 shipped", pattern=r"\b\d{4}\b") == 1.0
    assert score("regex", "order shipped", pattern=r"\b\d{4}\b") == 0.0
    assert score("regex", "first\nSECOND", pattern="^second$", ignore_case=True) == 1.0


SCHEMA: JsonValue = {"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"price": 3}', 1.0),
        ('```json\n{"price": 3}\n```', 1.0),
        ('{"price": "3"}', 0.0),
        ("{}", 0.0),
        ('Here you are: {"price": 3}', 0.0),
        ("", 0.0),
        ("[" * 100_000, 0.0),
    ],
)
def test_json_schema(answer: str, expected: float) -> None:
    assert score("json_schema", answer, schema=SCHEMA) == expected


CATASTROPHE = r"^(a|b|ab)*[cd]$"


def test_a_pattern_that_never_ends_leaves_the_sample_unscored() -> None:
    spec = ScorerSpec("regex", "regex", {"pattern": CATASTROPHE})
    result = validate(spec, Subject(Case("c", input="q"), "ab" * 40))
    assert result.value == Unscored("the pattern took longer than 0.5 s")


@pytest.mark.parametrize("answer", ['{"a": NaN}', '{"a": 1e400}', '{"\\ud800": "x"}', '{"a":' * 300 + "1" + "}" * 300])
def test_an_answer_that_is_hardly_json_scores_nothing_and_breaks_nothing(answer: str) -> None:
    schema: JsonValue = {"properties": {"a": {"multipleOf": 0.1}}, "additionalProperties": {"type": "integer"}}
    assert score("json_schema", answer, schema=schema) == 0.0


def test_a_schema_that_cannot_be_applied_leaves_the_sample_unscored() -> None:
    spec = ScorerSpec("json_schema", "json_schema", {"schema": {"properties": {"a": {"$ref": "#foo"}}}})
    assert isinstance(validate(spec, Subject(Case("c", input="q"), '{"a": 1}')).value, Unscored)


def json_score(schema: JsonValue, value: JsonValue) -> float | Unscored:
    spec = ScorerSpec("json_schema", "json_schema", {"schema": schema})
    return validate(spec, Subject(Case("c", input="q"), json.dumps(value))).value


@pytest.mark.parametrize("odd", [{"required": 3}, {"items": [{}]}, {"pattern": "("}, {"properties": []}])
def test_whatever_the_library_raises_leaves_the_sample_unscored(odd: JsonValue) -> None:
    schema: JsonValue = {"properties": {"a": {"$ref": "#/mine"}}, "mine": {"anyOf": [odd, False]}}
    values = [json_score(schema, {"a": value}) for value in ({"x": 1}, [1], "x")]
    assert any(isinstance(value, Unscored) and "the schema cannot be applied" in str(value) for value in values)


def test_a_schema_that_takes_too_many_steps_leaves_the_sample_unscored() -> None:
    schema: JsonValue = {"unevaluatedItems": False, "prefixItems": [{}]}
    score = json_score(schema, list(range(20_000)))
    assert isinstance(score, Unscored)
    assert "the schema takes more than 100,000 steps" in str(score)


def test_what_is_negated_counts_against_the_answer() -> None:
    spec = ScorerSpec("contains", "no names", {"value": "Paris"}, negate=True)
    found = validate(spec, Subject(Case("c", input="q"), "It is Paris."))
    assert (found.value, found.reason) == (0.0, 'negated: contains "Paris"')
    assert validate(spec, Subject(Case("c", input="q"), "It is Lyon.")).value == 1.0
    missing: JsonValue = {"properties": {"a": {"$ref": "#foo"}}}
    broken = replace(spec, kind="json_schema", options={"schema": missing})
    assert isinstance(validate(broken, Subject(Case("c", input="q"), '{"a": 1}')).value, Unscored)
