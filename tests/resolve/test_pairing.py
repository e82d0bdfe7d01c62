"""Which exam each suite sits, whatever a change does to names, paths and patterns."""

import pytest

from gate.config.gatefile import load
from gate.errors import CannotEvaluate, GateError
from gate.limits import NEW_SUITES
from gate.resolve.pairing import Pairing, Sides, pair
from gate.resolve.renames import MOST_STRAYS
from tests.resolve.files import Files

HARD = "Hard.\nBe exact.\nCheck twice.\nAnswer in one word.\n"
EASY = "Easy.\nBe kind.\nSay hello.\nAnswer at length.\n"


def config(*suites: tuple[str, str], cases: str = "c.jsonl") -> str:
    rows = [
        f"  - {{name: {n}, prompt: '{p}', cases: {cases}, scorers: [contains], model: 'fake:a'}}" for n, p in suites
    ]
    return "\n".join(["version: 1", "suites:", *rows]) + "\n"


def paired(base: dict[str, str], head: dict[str, str], old: str, new: str, *names: str) -> Pairing:
    sides = Sides(Files(base, "main"), Files(head, "head"))
    return pair(sides, load(new, "gate.yaml"), load(old, "gate.yaml"), names)


def sat(found: Pairing) -> set[tuple[str, str, str, str]]:
    """Name and prompt as the head has them; name and prompt of the exam, or what stands in for it."""
    return {
        (one.current.name, one.current.prompt, "own" if one.own_exam else one.exam.name, one.exam.prompt)
        for one in found.pairs
    }


BOTH = config(("hard", "p/hard.md"), ("easy", "p/easy.md"))
BASE = {"p/hard.md": HARD, "p/easy.md": EASY}
PATTERN = config(("all", "p/*.md"))


def test_a_move_with_edits_keeps_the_exam_whatever_the_suite_is_called() -> None:
    head = {"p/strict.md": HARD + "Please.\n", "p/easy.md": EASY}
    for name in ("hard", "strict"):
        found = paired(BASE, head, BOTH, config((name, "p/strict.md"), ("easy", "p/easy.md")))
        assert sat(found) == {
            (name, "p/strict.md", "hard", "p/hard.md"),
            ("easy", "p/easy.md", "easy", "p/easy.md"),
        }
        assert [one.moved for one in found.pairs] == [True, False]
        assert found.deleted == ()


def test_a_suite_whose_prompt_was_exchanged_for_another_moved_one_sits_both_exams() -> None:
    head = {"p/x.md": HARD, "p/y.md": EASY}
    found = paired(BASE, head, BOTH, config(("hard", "p/y.md"), ("easy", "p/x.md")))
    assert sat(found) == {("hard", "p/y.md", "easy", "p/easy.md"), ("easy", "p/x.md", "hard", "p/hard.md")}


def test_a_decoy_that_is_more_similar_does_not_free_the_suite_of_its_name() -> None:
    head = {"p/decoy.md": HARD, "p/used.md": "Hard.\nAnything goes.\n", "p/easy.md": EASY}
    new = config(("hard", "p/used.md"), ("decoy", "p/decoy.md"), ("easy", "p/easy.md"))
    found = paired(BASE, head, BOTH, new)
    assert {row for row in sat(found) if row[0] != "easy"} == {
        ("hard", "p/used.md", "hard", "p/hard.md"),
        ("decoy", "p/decoy.md", "hard", "p/hard.md"),
    }


def test_a_move_within_a_pattern_is_no_new_prompt() -> None:
    found = paired(BASE, {"p/strict.md": HARD + "Please.\n", "p/easy.md": EASY}, PATTERN, PATTERN)
    assert sat(found) == {
        ("all:strict", "p/strict.md", "all:hard", "p/hard.md"),
        ("all:easy", "p/easy.md", "all:easy", "p/easy.md"),
    }
    assert not any(one.new_prompt for one in found.pairs)


def test_every_exam_of_a_prompt_moves_with_it() -> None:
    old = config(("one", "p/*.md"), ("two", "p/*.md"), ("three", "p/hard.md"))
    head = {"p/strict.md": HARD, "p/easy.md": EASY}
    for new in (old.replace("p/hard.md", "p/strict.md"), config(("only", "p/strict.md"), ("one", "p/easy.md"))):
        found = paired(BASE, head, old, new)
        moved = {one.exam.name for one in found.pairs if one.current.prompt == "p/strict.md" and not one.own_exam}
        assert moved == {"one:hard", "two:hard", "three"}
        assert {one.exam.name for one in found.pairs if one.current.prompt == "p/easy.md"} >= {"one:easy", "two:easy"}
        names = [one.current.name for one in found.pairs]
        assert len(set(names)) == len(names)
        assert found.deleted == ()


def test_a_prompt_without_a_successor_is_deleted() -> None:
    found = paired(BASE, {"p/easy.md": EASY, "p/new.md": "New.\n"}, PATTERN, PATTERN)
    assert [(old.name, old.prompt) for old in found.deleted] == [("all:hard", "p/hard.md")]
    assert {(one.current.name, one.new_prompt) for one in found.pairs} == {("all:easy", False), ("all:new", True)}


def decoys(count: int) -> dict[str, str]:
    return {f"a{number:03}/hard.md": HARD[::-1] for number in range(count)}


def test_a_prompt_among_too_many_files_is_not_called_deleted_and_its_suites_name_settles_it() -> None:
    easy = config(("easy", "p/easy.md"))
    head = {"p/easy.md": EASY, **decoys(MOST_STRAYS), "zz/other.txt": HARD + "Please.\n"}
    with pytest.raises(
        CannotEvaluate, match=r"cannot find out whether 'p/hard\.md' was deleted or has moved: the change"
    ):
        paired(BASE, head, BOTH, easy)
    assert sat(paired(BASE, head, BOTH, easy, "easy")) == {("easy", "p/easy.md", "easy", "p/easy.md")}
    kept = config(("hard", "zz/new.txt"), ("easy", "p/easy.md"))
    found = paired(BASE, {**head, "zz/new.txt": "Rewritten.\n"}, BOTH, kept)
    assert ("hard", "zz/new.txt", "hard", "p/hard.md") in sat(found)
    assert found.deleted == ()


@pytest.mark.parametrize("kept", [PATTERN, config(("easy", "p/easy.md"))])
def test_new_files_under_a_pattern_are_bounded_before_they_are_asked_for(kept: str) -> None:
    class Counting(Files):
        asked = 0

        def fingerprint(self, path: str) -> str | None:
            type(self).asked += 1
            return super().fingerprint(path)

    new = {f"p/new{number}.md": f"New {number}.\n" for number in range(NEW_SUITES)}
    assert len(paired(BASE, {**BASE, **new}, PATTERN, kept).pairs) == 2 + NEW_SUITES
    sides = Sides(
        Counting(BASE, "main"), Counting({**BASE, **new, "p/more.md": "More.\n", "p/much.md": "Much.\n"}, "head")
    )
    with pytest.raises(GateError, match="the change adds more than 100 new suites"):
        pair(sides, load(kept, "g"), load(PATTERN, "g"), ())
    assert Counting.asked == 0


def test_new_suites_for_what_was_there_are_bounded_and_those_of_a_first_adoption_are_not() -> None:
    many = config(*[(f"s{number}", "p/hard.md") for number in range(NEW_SUITES + 2)], ("easy", "p/easy.md"))
    with pytest.raises(GateError, match="more than 100 new suites"):
        paired(BASE, BASE, BOTH, many)
    sides = Sides(Files(BASE, "main"), Files(BASE, "head"))
    assert len(pair(sides, load(many, "g"), None, ()).pairs) == NEW_SUITES + 3
