"""Batches and notes: nothing is lost, and a thousand problems are a few lines."""

from hypothesis import given
from hypothesis import strategies as st

from gate.testgen.cases.inputs import in_batches
from gate.testgen.questions import problem_notes


@given(st.lists(st.integers()), st.integers(1, 9))
def test_batches_hold_everything_in_order(items: list[int], size: int) -> None:
    batches = in_batches(items, size)
    assert [item for batch in batches for item in batch] == items
    assert all(len(batch) == size for batch in batches[:-1]) and all(batches)


def test_a_problem_names_the_first_few_that_it_befell() -> None:
    assert problem_notes({}) == ()
    assert problem_notes({"refused": ["a"], "cut off": [str(n) for n in range(10)]}) == (
        "refused: a",
        "cut off: 0, 1, 2, 3, 4, 5, 6, 7 and 2 more",
    )


def test_many_problems_are_few_lines() -> None:
    lines = problem_notes({f"refused in way {n}": [f"R{n}"] for n in range(400)})
    assert len(lines) == 9
    assert lines[-1] == "other problems: R8, R9, R10, R11, R12, R13, R14, R15 and 384 more"
