"""Which exam each suite sits, whatever a change does to names, paths and patterns."""

import pytest

from gate.config.gatefile import load
from gate.errors import GateError
from gate.limits import NEW_SUITES
from gate.resolve.pairing import Pairing, Sides, pair
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


MOVED = "moved: {p/hard.md: p/strict.md}\n"


def test_a_suite_that_keeps_its_name_says_where_its_prompt_went() -> None:
    head = {"p/strict.md": "Rewritten.\n", "p/easy.md": EASY}
    found = paired(BASE, head, BOTH, config(("hard", "p/strict.md"), ("easy", "p/easy.md")))
    assert sat(found) == {("hard", "p/strict.md", "hard", "p/hard.md"), ("easy", "p/easy.md", "easy", "p/easy.md")}
    assert [one.moved for one in found.pairs] == [True, False]
    assert found.gone == ()


def test_likeness_alone_names_no_successor() -> None:
    head = {"p/strict.md": HARD, "p/easy.md": EASY}
    found = paired(BASE, head, BOTH, config(("strict", "p/strict.md"), ("easy", "p/easy.md")))
    assert [old.prompt for old in found.gone] == ["p/hard.md"]
    assert ("strict", "p/strict.md", "own", "p/strict.md") in sat(found)
    found = paired(BASE, head, BOTH, config(("strict", "p/strict.md"), ("easy", "p/easy.md")) + MOVED)
    assert ("strict", "p/strict.md", "hard", "p/hard.md") in sat(found)
    assert found.gone == ()


def test_a_move_within_a_pattern_is_named_and_is_no_new_prompt() -> None:
    head = {"p/strict.md": HARD, "p/easy.md": EASY}
    found = paired(BASE, head, PATTERN, PATTERN)
    assert [old.prompt for old in found.gone] == ["p/hard.md"]
    found = paired(BASE, head, PATTERN, PATTERN + MOVED)
    assert sat(found) == {
        ("all:strict", "p/strict.md", "all:hard", "p/hard.md"),
        ("all:easy", "p/easy.md", "all:easy", "p/easy.md"),
    }
    assert not any(one.new_prompt for one in found.pairs)
    assert found.gone == ()


def test_a_folder_that_moves_with_its_pattern_keeps_its_names() -> None:
    head = {path.replace("p/", "q/"): text for path, text in BASE.items()}
    found = paired(BASE, head, PATTERN, PATTERN.replace("p/*", "q/*"))
    assert sat(found) == {
        ("all:hard", "q/hard.md", "all:hard", "p/hard.md"),
        ("all:easy", "q/easy.md", "all:easy", "p/easy.md"),
    }
    assert found.gone == ()


def test_every_exam_of_a_prompt_moves_with_it() -> None:
    old = config(("one", "p/*.md"), ("two", "p/*.md"), ("three", "p/hard.md"))
    head = {"p/strict.md": HARD, "p/easy.md": EASY}
    for new in (old.replace("p/hard.md", "p/strict.md"), config(("only", "p/strict.md"), ("one", "p/easy.md")) + MOVED):
        found = paired(BASE, head, old, new)
        moved = {one.exam.name for one in found.pairs if one.current.prompt == "p/strict.md" and not one.own_exam}
        assert moved == {"one:hard", "two:hard", "three"}
        assert {one.exam.name for one in found.pairs if one.current.prompt == "p/easy.md"} >= {"one:easy", "two:easy"}
        names = [one.current.name for one in found.pairs]
        assert len(set(names)) == len(names)
        assert found.gone == ()


@pytest.mark.parametrize("named", ["", "moved: {p/hard.md: p/nowhere.md}\n", "moved: {p/other.md: p/new.md}\n"])
def test_a_prompt_without_a_successor_is_gone(named: str) -> None:
    found = paired(BASE, {"p/easy.md": EASY, "p/new.md": "New.\n"}, PATTERN, PATTERN + named)
    assert [(old.name, old.prompt) for old in found.gone] == [("all:hard", "p/hard.md")]
    assert {(one.current.name, one.new_prompt) for one in found.pairs} == {("all:easy", False), ("all:new", True)}


@pytest.mark.parametrize(("after", "new"), [(BASE, False), ({**BASE, "p/new.md": "New.\n"}, True)])
def test_a_path_that_the_base_does_not_have_is_corrected_on_both_sides(after: dict[str, str], new: bool) -> None:
    path = "p/new.md" if new else "p/hard.md"
    (pair,) = paired(BASE, after, config(("hard", "p/hrad.md")), config(("hard", path))).pairs
    assert (pair.current.prompt, pair.exam.prompt, pair.new_prompt, pair.own_exam) == (path, path, new, False)


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
