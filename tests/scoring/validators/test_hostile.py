"""Whatever an answer holds: a score in [0, 1] or `Unscored`, the same each time, with a reason on one short line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case
from gate.config.scorer import JUDGED, parse_scorers
from gate.config.scorer_options import KINDS
from gate.record.transcript import Dollars, Observation, ToolUse, Transcript, Turn, Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import SHORT_REASON_CHARS, VALIDATORS, validate
from gate.values import JsonValue

WRITTEN: list[JsonValue] = [
    *("exact", "contains", "starts_with", "ends_with", "json", "similarity", "refusal"),
    {"contains": {"any": ["a", "?"], "all": ["e"], "none": ["\u0301"]}},
    {"regex": r"(\w+\s?)+$"},
    {"json_schema": {"schema": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}}},
    {"json_path": {"path": "$[0][0].a", "one_of": [1, "x"]}},
    {"number": {"value": 9, "percent": 1}},
    {"number": {"value": 9, "which": "last", "decimal": "comma"}},
    *({kind: {"min": 1, "max": 9}} for kind in ("words", "sentences", "characters")),
    {"forbidden_words": {"words": ["a b", "process", "C++", "我", "?"], "inflections": True}},
    {"asks": {"about": ["name", "zip"], "max_questions": 3}},
    *({"language": code} for code in ("en", "zh")),
    {"similarity": {"metric": "edit"}},
    *({"latency": 1}, {"cost": 1}),
    {"paraphrases": {"n": 2, "max_copied": 0.1}},
    {"tools": {"all": ["a"], "in_order": ["a", "b"], "arguments": {"a": {"subset": {"x": [1]}}}, "max_errors": 0}},
    {"database": {"url": "DB", "query": "select 1", "rows": {"max": 1}, "match": {"a": {"b": 1}}}},
]
SPECS = parse_scorers(WRITTEN, "here")
LONG = 4_000
"""Characters: what takes their square takes minutes."""
UNITS = [
    *("?", "9,", "\n", "[", '{"a":', "a ", "A. ", "- a\n", "e.g. ", "I can't "),
    *("\u0301\u0323", "\ufdfa", "我", "٣٫", "<a "),
]


def check(answer: str, times: int = 2) -> None:
    case = Case("c", input="the question is 9, a b c", expected="the answer is 9")
    uses = tuple(ToolUse(name, answer, answer, failed=True) for name in ("a", answer))
    seen = Observation("database", ((answer,), (answer,)), columns=(answer,))
    talk = Transcript("s", (Turn(0, answer, "case", answer, uses),), observations=(seen,))
    subject = Subject(case, answer, 0.5, Dollars(0.1), talk)
    for spec in SPECS:
        score = validate(spec, subject)
        assert isinstance(score.value, Unscored) or 0.0 <= score.value <= 1.0, spec.name
        assert score.reason
        assert score.reason.isprintable(), spec.name
        assert len(score.reason) <= SHORT_REASON_CHARS
        for _ in range(1, times):
            assert validate(spec, subject) == score or isinstance(score.value, Unscored), spec.name


def test_every_kind_is_tried() -> None:
    assert {spec.kind for spec in SPECS} == set(VALIDATORS)
    assert set(VALIDATORS) == set(KINDS) - JUDGED - {"python"}


@given(st.text(max_size=80) | st.lists(st.sampled_from(UNITS), max_size=20).map("".join))
def test_any_text(answer: str) -> None:
    check(answer)


def test_an_answer_that_is_longer_than_what_is_looked_at() -> None:
    check("a. " * 15_000, times=1)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_long_answer(unit: str) -> None:
    check(unit * (LONG // len(unit)), times=1)


def test_deep_json() -> None:
    for answer in (
        "[" * LONG,
        "[" * 60 + "]" * 60,
        "[[" * LONG,
        '{"a":' * (LONG // 10) + "1" + "}" * (LONG // 10),
        f"[{'9' * LONG}]",
    ):
        check(answer[:LONG], times=1)
