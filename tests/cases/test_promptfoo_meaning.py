"""Converted scorers have the meaning of promptfoo's assertions (its src/assertions)."""

import json
import time
from typing import Any

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.convert import export_cases
from tests.scoring.validators.scored import score
from tests.support.promptfoo import imported_scorers, imported_tests


@pytest.mark.parametrize(
    ("kind", "value", "answer", "passes"),
    [
        ("equals", "Paris", "Paris", True),
        ("equals", "Paris", "Paris\n", False),
        ("equals", {"a": 1}, '{"a": 1.0}', True),
        ("starts-with", "Dear", "\nDear Ada", False),
        ("regex", "^b$", "a\nb", False),
        ("regex", r"^[\w-]+$", "a-1", True),
        ("regex", "(?<x>a|b)\\k<x>", "bb", True),
        ("is-json", {"type": "object"}, "```json\n{}\n```", False),
        ("contains-any", 'red, "green, blue"', "green", False),
        ("contains-any", 'a ""b"", c', 'a ""b""', True),
    ],
)
def test_assertions_keep_their_meaning(kind: str, value: Any, answer: str, passes: bool) -> None:
    (scorer,), heard = imported_scorers({"type": kind, "value": value})
    assert score(scorer, answer) == float(passes)
    assert not heard


def test_values_known_only_at_rendering_are_left_out_and_reported() -> None:
    for value in ("{{ words }}", ["file://words.txt"], 'a, "b'):
        found, heard = imported_scorers({"type": "contains-any", "value": value})
        assert (found, len(heard)) == ([], 1)


def test_a_variable_used_only_by_a_scorer_is_an_empty_text() -> None:
    text = "prompts: ['{{ a }}']\ntests: [{vars: {a: b}, assert: [{type: not-equals, value: '{{ c }}'}]}]\n"
    (suite,) = read_bundle(text, "promptfooconfig.yaml", lambda _: None).suites
    assert suite.cases[0]["vars"] == {"a": "b", "c": ""}


@pytest.mark.parametrize(("value", "count"), [(["a", 1], 2), ([["a"], ["b"]], 1), ([1, "a"], 1)])
def test_a_list_that_begins_with_a_text_expands_to_cases(value: Any, count: int) -> None:
    assert len(imported_tests({"vars": {"x": value}})[0]) == count


def test_an_approximate_assertion_is_reported_on_export() -> None:
    def told(scorer: Any) -> list[str]:
        return [
            loss.what
            for loss in export_cases([{"id": "c", "input": "?", "scorers": [scorer]}], "c.yaml", "promptfoo").losses
        ]

    assert told({"exact": {"value": "a"}}) == [
        "the scorer exact of the case 'c' is equals there, which is not quite the same"
    ]
    assert (
        told("json")
        and told({"regex": "^a"})
        and told({"words": {"max": 3}})
        and told({"contains": "a", "required": True})
    )
    assert not told({"exact": {"value": "a", "strip": False}}) and not told({"contains": "a"})


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d+(?<x>\w)\k<x>$",
        r"[^$^]",
    ],
)
def test_a_pattern_converts_in_both_directions(pattern: str) -> None:
    (scorer,), _ = imported_scorers({"type": "regex", "value": pattern})
    exported = export_cases([{"id": "c", "input": "?", "scorers": [scorer]}], "c.jsonl", "promptfoo")
    assert not exported.losses
    assert imported_scorers(*json.loads(exported.text)["assert"]) == ([scorer], [])


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)a",
        r"\p{L}",
    ],
)
def test_a_pattern_that_javascript_does_not_support_is_reported(pattern: str) -> None:
    scorer: Any = {"regex": {"pattern": pattern}}
    losses = export_cases([{"id": "c", "input": "?", "scorers": [scorer]}], "c.yaml", "promptfoo").losses
    assert [loss.what for loss in losses] == ["promptfoo has no assertion for the scorer regex of the case 'c'"]


def test_hostile_patterns_and_lists_end() -> None:
    begun = time.process_time()
    for text in ("[" * 50_000, "{{" * 20_000, "\\" * 50_001 + "q", '"' * 50_001, "a," * 50_000, ", " * 50_000 + '"'):
        for kind in ("regex", "contains-any"):
            imported_scorers({"type": kind, "value": text})
        export_cases([{"id": "c", "input": "?", "scorers": [{"regex": {"pattern": text}}]}], "c.yaml", "promptfoo")
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)paris",
        "a{,2}",
        r"\Aa",
    ],
)
def test_a_pattern_that_javascript_reads_differently_is_left_out_and_reported(pattern: str) -> None:
    found, heard = imported_scorers({"type": "regex", "value": pattern})
    assert not found and "means something else to JavaScript, or nothing" in heard[0]


def test_unchecked_parts_of_a_schema_are_reported() -> None:
    for word in ({"format": "date"}, {"nullable": True}):
        found, heard = imported_scorers({"type": "is-json", "value": {"properties": {"a": {"type": "string", **word}}}})
        assert found and next(iter(word)) in heard[0]
    found, heard = imported_scorers({"type": "is-json", "value": "properties: {format: {type: string}}"})
    assert found and not heard
