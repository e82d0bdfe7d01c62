"""What follows from a comparison."""

from gate.record.parts import ChangeState, RuleChange, SpecDiff
from gate.testgen.specdiff.comparison import rules_to_test, update_plan
from tests.testgen.specdiff.specs import rule, spec

OLD = [rule(f"R{n}", f"old {n}", f"old words {n}") for n in range(1, 7)]
NEW = [rule(f"R{n}", f"new {n}", f"new words {n}") for n in range(1, 7)]


def change(state: ChangeState, place: int) -> RuleChange:
    return RuleChange(
        state,
        None if state == "added" else OLD[place - 1],
        None if state == "removed" else NEW[place - 1],
    )


DIFF = SpecDiff(
    (
        change("unchanged", 1),
        change("reworded", 2),
        change("tightened", 3),
        change("loosened", 4),
        change("removed", 5),
        change("unknown", 6),
        change("added", 1),
    )
)


def test_tests_are_made_for_what_is_new_or_stricter() -> None:
    assert [one.text for one in rules_to_test(DIFF)] == ["new 3", "new 1"]
    assert [one.text for one in rules_to_test(SpecDiff((change("changed", 2),)))] == ["new 2"]


def test_the_plan_adds_under_new_ids_and_marks_what_holds_no_longer() -> None:
    plan = update_plan(spec(*OLD), DIFF, taken=["R40"])
    assert [(one.id, one.text) for one in plan.add] == [("R41", "new 3"), ("R42", "new 4"), ("R43", "new 1")]
    assert plan.obsolete == ("R3", "R4", "R5")
    assert plan.open == ("R6",)


def test_a_new_rule_keeps_an_id_that_is_free_and_no_two_get_the_same() -> None:
    found = SpecDiff(tuple(RuleChange("added", None, rule(name, name)) for name in ("R9", "R1", "R9")))
    assert [one.id for one in update_plan(spec(*OLD), found).add] == ["R9", "R10", "R11"]


def test_a_reworded_rule_keeps_its_id_and_words_and_moves_to_the_new_ones_of_the_prompt() -> None:
    (moved,) = update_plan(spec(*OLD), DIFF).moved
    assert (moved.id, moved.text, moved.evidence) == ("R2", "old 2", "new words 2")
