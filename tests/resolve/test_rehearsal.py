"""Every case is put into every template before anything is spent, but for those that would only take long again."""

import json
from dataclasses import replace

import pytest

from gate.errors import InputErrors
from gate.resolve.pairing import Sides
from gate.resolve.resolved import rehearse
from gate.resolve.two_refs import resolve
from gate.suite import Suite
from gate.values import JsonValue
from tests.resolve.files import Files

CONFIG = """\
version: 1
defaults: {model: "fake:oracle"}
suites: [{name: s, prompt: p.j2, cases: c.jsonl, scorers: [contains]}]
"""
TURNS = "{% for i in range(99999) %}{% set a = 'x'*4000000 %}{% if 'y' in a ~ i %}{% endif %}{% endfor %}"


def suite(candidate: str, cases: int) -> Suite:
    rows = "".join(f'{{"id": "c{n}", "input": "a", "expected": "b"}}\n' for n in range(cases))
    base = {"gate.yaml": CONFIG, "p.j2": "{{ input }}", "c.jsonl": rows}
    return resolve(Sides(Files(base, "main"), Files({**base, "p.j2": candidate}, "head"))).suites[0]


def scored(scorer: JsonValue, expected: JsonValue) -> Suite:
    """A suite of three cases with one scorer, in JSON, which YAML reads, too."""
    row = {"input": "a"} if expected is None else {"input": "a", "expected": expected}
    rows = "".join(json.dumps({"id": f"c{n}", **row}) + "\n" for n in range(3))
    config = CONFIG.replace("[contains]", json.dumps([scorer]))
    base = {"gate.yaml": config, "p.j2": "{{ input }}", "c.jsonl": rows}
    return resolve(Sides(Files(base, "main"), Files({**base, "p.j2": "x {{ input }}"}, "head"))).suites[0]


def test_a_template_that_takes_too_long_is_reported_once_and_ends_the_rehearsal() -> None:
    with pytest.raises(InputErrors) as caught:
        rehearse([suite(TURNS, 3)], seconds=0.05)
    (problem,) = caught.value.problems
    assert problem.message.startswith("takes longer than 0.05 s to render")
    assert "'c0'" in problem.message
    assert "other case" not in problem.message


@pytest.mark.parametrize(
    ("scorer", "expected", "told"),
    [
        ({"contains": {"any": ["a", "{{ expected }}"]}}, "", "the text that it looks for is empty, and every answer"),
        ("number", "many", 'its value "many" is not a number'),
        ({"language": "{{ expected }}"}, "german", '"german" is not a language that this scorer can detect'),
        ("similarity", " ", "the text that it compares with is empty"),
        ({"regex": "{{ expected }}"}, "(", "its pattern is not a regular expression: missing )"),
        ({"json_path": {"path": "a", "equals": "{{ expected }}"}}, None, "cannot be filled in for case 'c0'"),
    ],
)
def test_what_a_case_gives_a_validator_is_tried(scorer: JsonValue, expected: JsonValue, told: str) -> None:
    with pytest.raises(InputErrors) as caught:
        rehearse([scored(scorer, expected)])
    assert told in str(caught.value)
    assert "c.jsonl:1" in str(caught.value)
    assert "and in 2 other cases" in str(caught.value)


def test_a_new_prompt_needs_a_scorer_that_judges_one_answer_alone() -> None:
    compared = scored({"pairwise": "The kinder answer is better."}, None)
    rehearse([compared])
    with pytest.raises(InputErrors) as caught:
        rehearse([replace(compared, baseline=None)])
    (problem,) = caught.value.problems
    assert problem.message == "'pairwise' compares two answers, and case 'c0' of s has one; and in 2 other cases"
