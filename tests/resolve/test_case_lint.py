import json

import pytest

from gate.cases.stored import Entry
from gate.resolve.case_lint import advice

GOOD: dict[str, object] = {"expected": "x", "description": "why"}


def told(*entries: dict[str, object]) -> list[tuple[str, tuple[str, ...]]]:
    cases: list[Entry] = [json.loads(json.dumps({**GOOD, **entry})) for entry in entries]
    return [(one.message, one.cases) for one in advice(cases)]


def test_the_same_question_twice() -> None:
    (one,) = told({"id": "a", "input": "x"}, {"id": "b", "input": "y"}, {"id": "c", "input": "x"})
    assert one[1] == ("a", "c") and "more than once" in one[0]
    assert told({"id": "a", "input": "x", "vars": {"k": 1}}, {"id": "b", "input": "x", "vars": {"k": True}}) == []


@pytest.mark.parametrize(
    ("entry", "aims"),
    [
        ({}, False),
        ({"criteria": "Kind."}, True),
        ({"scorers": [{"contains": "x"}]}, True),
        ({"extra_scorers": [{"contains": "x"}]}, True),
        ({"expected": False}, True),
    ],
)
def test_what_a_good_answer_is(entry: dict[str, object], aims: bool) -> None:
    found = told({"id": "a", "input": "x", "expected": None, **entry})
    assert [message.startswith("nothing defines a good answer") for message, _ in found] == ([] if aims else [True])


def test_what_the_gate_refuses_of_a_store_is_told_about_a_store_alone() -> None:
    entries: list[Entry] = [
        {"id": "a", "input": "x", "description": "d", "scorers": [{"python": "evals.checks:polite"}]},
        {"id": "b", "input": "y", "description": "d", "scorers": ["contains"], "expected": "y"},
    ]
    assert advice(entries) == ()
    (one,) = advice(entries, stored=True)
    assert one.cases == ("a",)
    assert "runs the function 'evals.checks:polite': the gate will refuse it" in one.message
