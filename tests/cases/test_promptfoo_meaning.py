"""What promptfoo's assertions mean, by its own code (src/assertions), is what the scorers that they become say."""

import time
from typing import Any

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.convert import export_cases
from gate.cases.losses import Losses
from gate.cases.promptfoo_assertions import scorers_of
from gate.cases.promptfoo_context import Context, javascript, listed, translated, value_at
from gate.cases.promptfoo_tests import cases_of
from tests.scoring.validators.scored import score


def scorers(*assertions: Any) -> tuple[list[Any], list[str]]:
    """The scorers of a list of assertions, and what is lost."""
    losses = Losses()
    return scorers_of(value_at(list(assertions), 1), Context(losses), "test 1"), [one.what for one in losses.found]


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
def test_what_it_means_there_it_means_here(kind: str, value: Any, answer: str, passes: bool) -> None:
    (scorer,), heard = scorers({"type": kind, "value": value})
    assert score(scorer, answer) == float(passes)
    assert not heard


def test_what_is_known_only_when_a_template_is_filled_in_is_left_out_and_told() -> None:
    for value in ("{{ words }}", ["file://words.txt"], 'a, "b'):
        found, heard = scorers({"type": "contains-any", "value": value})
        assert (found, len(heard)) == ([], 1)


def test_a_variable_that_only_a_scorer_names_is_an_empty_text() -> None:
    text = "prompts: ['{{ a }}']\ntests: [{vars: {a: b}, assert: [{type: not-equals, value: '{{ c }}'}]}]\n"
    (suite,) = read_bundle(text, "promptfooconfig.yaml", lambda _: None).suites
    assert suite.cases[0]["vars"] == {"a": "b", "c": ""}


@pytest.mark.parametrize(("value", "count"), [(["a", 1], 2), ([["a"], ["b"]], 1), ([1, "a"], 1)])
def test_a_list_is_several_cases_where_it_begins_with_a_text(value: Any, count: int) -> None:
    assert len(cases_of(value_at({"vars": {"x": value}}, 1), 1, Context(Losses()))) == count


def test_an_assertion_that_is_not_quite_the_same_is_told_on_the_way_out() -> None:
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
def test_a_pattern_goes_both_ways(pattern: str) -> None:
    there = javascript(translated(pattern))
    assert there is not None and translated(there) == translated(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)a",
        r"\p{L}",
    ],
)
def test_a_pattern_that_javascript_has_not_is_told(pattern: str) -> None:
    assert javascript(pattern) is None
    scorer: Any = {"regex": {"pattern": pattern}}
    losses = export_cases([{"id": "c", "input": "?", "scorers": [scorer]}], "c.yaml", "promptfoo").losses
    assert [loss.what for loss in losses] == ["promptfoo has no assertion for the scorer regex of the case 'c'"]


def test_hostile_patterns_and_lists_end() -> None:
    begun = time.process_time()
    for text in ("[" * 50_000, "{{" * 20_000, "\\" * 50_001 + "q", '"' * 50_001, "a," * 50_000, ", " * 50_000 + '"'):
        translated(text), javascript(text), listed(text)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)paris",
        "a{,2}",
        r"\Aa",
    ],
)
def test_a_pattern_that_javascript_reads_otherwise_is_left_out_and_told(pattern: str) -> None:
    found, heard = scorers({"type": "regex", "value": pattern})
    assert not found and "means something else to JavaScript, or nothing" in heard[0]


def test_what_a_schema_asks_and_nobody_looks_at_is_told() -> None:
    for word in ({"format": "date"}, {"nullable": True}):
        found, heard = scorers({"type": "is-json", "value": {"properties": {"a": {"type": "string", **word}}}})
        assert found and next(iter(word)) in heard[0]
    found, heard = scorers({"type": "is-json", "value": "properties: {format: {type: string}}"})
    assert found and not heard
