"""Every case is put into every template before anything is spent, but for those that would only take long again."""

import pytest

from gate.domain.suite import Suite
from gate.errors import InputErrors
from gate.flows.pairing import Sides
from gate.flows.rehearsal import rehearse
from gate.flows.resolve import resolve
from tests.unit.flows.files import Files

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


def test_a_template_that_takes_too_long_is_told_once_and_ends_the_rehearsal() -> None:
    with pytest.raises(InputErrors) as caught:
        rehearse([suite(TURNS, 3)], seconds=0.05)
    (problem,) = caught.value.problems
    assert problem.message.startswith("takes longer than 0.05 s to render")
    assert "'c0'" in problem.message
    assert "more like it" not in problem.message


def test_other_mistakes_are_counted_over_all_cases() -> None:
    with pytest.raises(InputErrors) as caught:
        rehearse([suite("{{ input }}{{ missing }}", 3)])
    (problem,) = caught.value.problems
    assert problem.message.endswith("; and 2 more like it")
