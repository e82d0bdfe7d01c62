"""Which file is the successor of which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.resolve.renames import MOST_ALIKE, MOST_BYTES, MOST_STRAYS, Moves, successors
from tests.resolve.files import Files

LINES = [f"line {number} of a prompt\n" for number in range(8)]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("".join)


def text(*numbers: int) -> str:
    return "".join(LINES[number] for number in numbers)


def found(base: dict[str, str], head: dict[str, str], new: list[str] | None = None) -> dict[str, str]:
    gone = sorted(base.keys() - head.keys())
    named = sorted(head.keys() - base.keys()) if new is None else new
    moves = successors(Files(base), Files(head), gone, named)
    assert moves.unsure == frozenset()
    return dict(moves.found)


def test_an_edited_file_is_a_successor_from_half_of_its_content_on() -> None:
    old = {"a.md": text(0, 1, 2, 3)}
    assert found(old, {"b.md": text(0, 1, 4, 5)}) == {"a.md": "b.md"}
    assert found(old, {"b.md": text(0, 4, 5, 6)}) == {}


def test_the_most_similar_one_wins_and_a_copy_before_all() -> None:
    old = {"a.md": text(0, 1, 2, 3)}
    head = {"b.md": text(0, 1, 2, 4), "c.md": text(3, 2, 1, 0), "d.md": text(0, 1, 2, 3)}
    assert found(old, head) == {"a.md": "d.md"}
    assert found(old, {"b.md": head["b.md"], "c.md": head["c.md"]}) == {"a.md": "c.md"}


def test_a_file_without_a_suite_is_found_after_those_that_have_one() -> None:
    old = {"a.md": text(0, 1, 2, 3), "other.md": "x"}
    stray = {"kept/z.md": text(0, 1, 2, 3), "b.md": text(0, 1, 2, 4), "other.md": "x"}
    assert found(old, stray, ["b.md"]) == {"a.md": "b.md"}
    assert found(old, stray, []) == {"a.md": "kept/z.md"}
    assert found(old, {"b.md": text(0, 1, 2, 4), "other.md": "y" * 99, "other.txt": "z"}, []) == {"a.md": "b.md"}


@pytest.mark.parametrize("path", ["zz/a.txt", "zz/a", ".hidden/deep/.a.md", "zz/other.png", "a.md.bak"])
def test_neither_another_ending_nor_a_hidden_folder_is_a_way_out(path: str) -> None:
    head = {path: text(0, 1, 2, 4), **{f"a{number}/a.md": text(4, 5, 6, 7) for number in range(50)}}
    assert found({"x/a.md": text(0, 1, 2, 3)}, head, []) == {"x/a.md": path}


def test_an_exact_copy_is_found_behind_any_number_of_decoys_and_settles_nothing_among_too_many() -> None:
    decoys = {f"a{number}/a.md": text(4, 5, 6, 7) for number in range(MOST_STRAYS)}
    old, copy = {"x/a.md": text(0, 1, 2, 3)}, {"zz/b.png": text(0, 1, 2, 3)}
    few = {path: decoys[path] for path in sorted(decoys)[1:]}
    assert successors(Files(old), Files(few | copy), ["x/a.md"], []) == Moves({"x/a.md": "zz/b.png"})
    head = Files(decoys | copy)
    unsure = Moves({"x/a.md": "zz/b.png"}, frozenset({"x/a.md"}))
    assert successors(Files(old), head, ["x/a.md"], []) == unsure
    assert len(head.reads) == MOST_STRAYS
    # A suite that names the copy does.
    assert successors(Files(old), Files(decoys | copy), ["x/a.md"], ["zz/b.png"]) == Moves({"x/a.md": "zz/b.png"})


def others(head: dict[str, str], new: list[str] | None = None) -> dict[str, tuple[str, ...]]:
    moves = successors(Files({"a.md": text(0, 1, 2, 3)}), Files(head), ["a.md"], new or [])
    assert moves.unsure == frozenset()
    return dict(moves.others)


def test_a_copy_does_not_end_the_search_among_files_without_a_suite() -> None:
    copy, edited, half = text(0, 1, 2, 3), text(0, 1, 2, 4), text(0, 1, 4, 5)
    assert others({"copy.md": copy, "b.txt": half, "c.txt": edited, "d.txt": text(4)}) == {"a.md": ("c.txt", "b.txt")}
    assert others({"b.txt": half, "c.txt": edited}) == {"a.md": ("b.txt",)}
    # What a suite names is that suite's; a second copy changes nothing, whoever uses it.
    assert others({"copy.md": copy, "c.txt": edited}, ["copy.md"]) == {}
    assert others({"copy.md": copy, "z/copy.md": copy}) == {}


def test_too_many_that_are_alike_leave_it_open() -> None:
    head = {"copy.md": text(0, 1, 2, 3)} | {f"c{number}.md": text(0, 1, 2, 4) for number in range(MOST_ALIKE)}
    assert len(others(head)["a.md"]) == MOST_ALIKE
    base, head = {"a.md": text(0, 1, 2, 3)}, head | {"d.md": text(0, 1, 2, 5)}
    assert successors(Files(base), Files(head), ["a.md"], []) == Moves({"a.md": "copy.md"}, frozenset({"a.md"}))


def test_of_too_many_files_of_its_size_a_prompt_is_not_called_deleted() -> None:
    decoys = {f"a{number:03}/a.md": text(4, 5, 6, 7) for number in range(MOST_STRAYS)}
    base = Files({"x/a.md": text(0, 1, 2, 3), "x/large.md": text(0, 1, 2) * 50})
    gone = sorted(base.texts)
    assert successors(base, Files(decoys), gone, []) == Moves({})
    head = Files({**decoys, "zz/b.txt": text(0, 1, 2, 4)})
    assert successors(base, head, gone, []) == Moves({}, frozenset({"x/a.md"}))
    assert len(head.reads) == MOST_STRAYS


def test_no_more_is_read_than_a_bounded_number_of_bytes() -> None:
    # Long lines: there are fewer to compare.
    long = [
        "".join(LINES[number].rstrip() * 100 + "\n" for number in numbers) for numbers in ((0, 1, 2, 3), (4, 5, 6, 7))
    ]
    old = long[0] * 120
    head = Files({f"{number}.md": long[1] * (240 + number) for number in range(12)})
    found = successors(Files({"a.md": old}), head, ["a.md"], list(head.texts)[:6])
    assert found == Moves({}, frozenset({"a.md"}))
    assert sum(len(head.texts[path]) for path in head.reads) <= MOST_BYTES
    assert 6 < len(head.reads) < len(head.texts)


@given(st.lists(TEXTS, max_size=5), st.lists(TEXTS, max_size=5), st.permutations(range(5)))
def test_order_makes_no_difference_and_nothing_serves_twice(old: list[str], new: list[str], order: list[int]) -> None:
    base = {f"a{number}.md": data for number, data in enumerate(old)}
    head = {f"b{number}.md": data for number, data in enumerate(new)}
    gone, named = list(base), list(head)
    moves = successors(Files(base), Files(head), gone, named)
    made = moves.found
    assert len(set(made.values())) == len(made)
    assert set(made) <= base.keys()
    shuffled = [named[place] for place in order if place < len(named)]
    assert successors(Files(base), Files(head), gone[::-1], shuffled) == moves
    # Whoever has an exact copy does not go without a successor.
    if len(set(old)) == len(old):
        assert {path for path, data in base.items() if data in head.values()} <= made.keys()
