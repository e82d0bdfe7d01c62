import json
from pathlib import Path

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
    assert [message.startswith("neither 'expected'") for message, _ in found] == ([] if aims else [True])


def test_slices_that_differ_in_letters_or_blanks_only() -> None:
    found = told(
        *({"id": f"{value}{n}", "input": f"{value}{n}", "slices": {"t": value}} for value in ("A b", "a B", "ab", "c")
          for n in (1, 2)),
    )  # fmt: skip
    assert [(message, len(cases)) for message, cases in found] == [
        ("t is 'A b' and 'a B' and 'ab', which are different slices", 6)
    ]


def test_a_slice_of_one_case() -> None:
    found = told({"id": "a", "input": "x", "slices": {"t": "u"}}, {"id": "b", "input": "y"})
    assert found == [("the slice t=u has one case, which can show nothing", ("a",))]


def test_descriptions_are_asked_for_where_they_may_stand() -> None:
    assert [cases for _, cases in told({"id": "a", "input": "x", "description": "d"})] == []
    file = Path(__file__).parents[2] / "evals/dispatcher/golden_transcripts.json"
    assert advice(json.loads(file.read_text(encoding="utf-8"))) == ()
    (one,) = advice([{"id": "a", "input": "x", "expected": "y"}])
    assert "description" in one.message


def test_what_the_gate_refuses_of_a_store_is_told_of_a_store_alone() -> None:
    entries: list[Entry] = [
        {"id": "a", "input": "x", "description": "d", "scorers": [{"python": "evals.checks:polite"}]},
        {"id": "b", "input": "y", "description": "d", "scorers": ["contains"], "expected": "y"},
    ]
    assert advice(entries) == ()
    (one,) = advice(entries, stored=True)
    assert one.cases == ("a",)
    assert "runs the function 'evals.checks:polite': the gate will refuse it" in one.message
