"""Stricter or looser, by the options of what checks a rule."""

import pytest

from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule
from gate.testgen.specdiff.strictness import strictness_by_code
from gate.values import JsonValue


def compiled(*scorers: tuple[str, dict[str, JsonValue]], negate: bool = False) -> CompiledRule:
    made = (ScorerSpec(kind, f"R1 {place}", options, negate=negate) for place, (kind, options) in enumerate(scorers))
    return CompiledRule("R1", tuple(made), "some words")


@pytest.mark.parametrize(
    ("before", "after", "relation"),
    [
        ({"max": 80}, {"max": 60}, "tightened"),
        ({"max": 80}, {"max": 100}, "loosened"),
        ({"max": 80}, {"max": 80}, "reworded"),
        ({"min": 10, "max": 80}, {"min": 20, "max": 90}, "changed"),
        ({"min": 3}, {"max": 3}, "changed"),
        ({"min": 3}, {"min": "three"}, None),
    ],
)
def test_counts(before: dict[str, JsonValue], after: dict[str, JsonValue], relation: str | None) -> None:
    assert strictness_by_code(compiled(("words", before)), compiled(("words", after))) == relation


@pytest.mark.parametrize(
    ("kind", "key", "before", "after", "relation"),
    [
        ("forbidden_words", "words", ["a", "b"], ["b", "a"], "reworded"),
        ("forbidden_words", "words", ["a"], ["a", "b"], "tightened"),
        ("contains", "any", ["a"], ["a", "b"], "loosened"),
        ("contains", "all", ["a"], ["a", "b"], "tightened"),
        ("json_path", "one_of", ["a", "b"], ["a"], "tightened"),
        ("regex", "pattern", "^a$", "^b$", None),
    ],
)
def test_lists(kind: str, key: str, before: JsonValue, after: JsonValue, relation: str | None) -> None:
    assert strictness_by_code(compiled((kind, {key: before})), compiled((kind, {key: after}))) == relation


def test_a_demand_more_is_tighter_and_one_less_is_looser() -> None:
    one, two = compiled(("json", {})), compiled(("json", {}), ("words", {"max": 5}))
    assert (strictness_by_code(one, two), strictness_by_code(two, one)) == ("tightened", "loosened")
    assert strictness_by_code(compiled(("words", {"max": 5})), compiled(("characters", {"max": 5}))) is None


def test_what_must_not_be_found_is_turned_around() -> None:
    few, many = (
        compiled(("contains", {"any": ["a"]}), negate=True),
        compiled(("contains", {"any": ["a", "b"]}), negate=True),
    )
    assert strictness_by_code(few, many) == "tightened"
