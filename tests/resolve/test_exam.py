"""An exam made of cases and rules, how another differs from it, and how many slices it may have."""

from dataclasses import replace

import pytest

from gate.cases.case import Case
from gate.config.models import ModelRef, Params
from gate.config.policy import SuitePolicy
from gate.config.scorer import ScorerSpec
from gate.errors import InputErrors
from gate.limits import SLICES
from gate.resolve.exam import JudgeDefault, ScoringRules, build, changes

CASES = tuple(Case(f"c{i}", input="x" * (i + 1), slices={"lang": "de"}, where=f"f:{i}") for i in range(9))
JUDGE = JudgeDefault(ModelRef("openai", "m"), Params(chat_template="passthrough", temperature=0.3))
EXACT = ScorerSpec("exact", "exact", {"value": "{{ expected }}"})


def test_the_digest_is_that_of_the_content() -> None:
    rules = ScoringRules((EXACT,), (), SuitePolicy())
    first = build(CASES, rules, "main", JUDGE).digest
    moved = tuple(Case(c.id, c.input, slices=c.slices, where=f"elsewhere:{c.where}") for c in CASES)
    assert build(moved, rules, "other", JUDGE).digest == first
    assert build(CASES[:-1], rules, "main", JUDGE).digest != first
    assert build(CASES, ScoringRules((EXACT,), (), SuitePolicy(max_cost_increase=0.5)), "main", JUDGE).digest != first


def test_changes_are_by_id() -> None:
    head = (*CASES[1:8], Case("c8", input="edited"), Case("new", input="n"))
    found = changes(CASES, head)
    assert (found.added, found.removed, found.edited) == (("new",), ("c0",), ("c8",))
    assert not changes(CASES, tuple(reversed(CASES)))


def test_marking_a_case_as_obsolete_is_no_edit() -> None:
    marked = tuple(replace(case, obsolete=case.id in ("c1", "c2")) for case in CASES)
    found = changes(CASES, marked)
    assert (found.obsolete, found.edited, found.removed) == (("c1", "c2"), (), ())
    both = changes(CASES, (*CASES[1:], replace(CASES[0], obsolete=True, input="other")))
    assert (both.obsolete, both.edited) == ((), ("c0",))
    assert changes(marked, CASES).edited == ("c1", "c2")
    assert not changes(marked, [case for case in marked if not case.obsolete])


def test_obsolete_cases_are_no_part_of_an_exam() -> None:
    rules = ScoringRules((EXACT,), (), SuitePolicy())
    marked = tuple(replace(case, obsolete=case.id in ("c1", "c2")) for case in CASES)
    exam = build(marked, rules, "main", JUDGE)
    assert (len(exam.cases), exam.obsolete) == (len(CASES) - 2, 2)
    assert build((*CASES[:1], *CASES[3:]), rules, "main", JUDGE).digest == exam.digest
    with pytest.raises(InputErrors, match="all 9 cases are obsolete"):
        build([replace(case, obsolete=True) for case in CASES], rules, "main", JUDGE)


def many(values: int) -> tuple[Case, ...]:
    return tuple(
        Case(f"c{i}", slices={"id": str(i), "lang": "de"}, where=f"main:evals/f.jsonl:{i}") for i in range(values)
    )


@pytest.mark.parametrize(
    ("dimensions", "remedy"),
    [(("lang", "id"), "remove 'id' from 'slices'"), (None, "set other dimensions under 'slices'")],
)
def test_more_slices_than_a_suite_may_have_name_the_dimension_to_blame(
    dimensions: tuple[str, ...] | None, remedy: str
) -> None:
    with pytest.raises(InputErrors) as caught:
        build(many(SLICES), ScoringRules((EXACT,), dimensions, SuitePolicy()), "main", JUDGE)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("main:evals/f.jsonl", 0)
    assert f"the limit of a suite is 2,000; the dimension 'id' has {SLICES:,} values" in problem.message
    assert remedy in problem.hint
