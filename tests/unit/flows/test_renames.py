"""Which file is the successor of which."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.flows.renames import successors
from tests.unit.flows.files import Files

THOROUGH = settings(deadline=None, derandomize=True, database=None, max_examples=100)
LINES = [f"line {number} of a prompt\n" for number in range(8)]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("".join)


def text(*numbers: int) -> str:
    return "".join(LINES[number] for number in numbers)


def found(base: dict[str, str], head: dict[str, str], new: list[str] | None = None) -> dict[str, str]:
    gone = sorted(base.keys() - head.keys())
    named = sorted(head.keys() - base.keys()) if new is None else new
    return successors(Files(base), Files(head), gone, named)


def test_an_edited_file_is_a_successor_from_half_of_its_content_on() -> None:
    old = {"a.md": text(0, 1, 2, 3)}
    assert found(old, {"b.md": text(0, 1, 4, 5)}) == {"a.md": "b.md"}
    assert found(old, {"b.md": text(0, 4, 5, 6)}) == {}


def test_the_most_similar_one_wins_and_a_copy_before_all() -> None:
    old = {"a.md": text(0, 1, 2, 3)}
    head = {"b.md": text(0, 1, 2, 4), "c.md": text(3, 2, 1, 0), "d.md": text(0, 1, 2, 3)}
    assert found(old, head) == {"a.md": "d.md"}
    assert found(old, {"b.md": head["b.md"], "c.md": head["c.md"]}) == {"a.md": "c.md"}


def test_of_equals_the_one_of_the_same_name() -> None:
    old = {"x/a.md": text(0, 1)}
    assert found(old, {"b.md": text(0, 1), "y/a.md": text(0, 1)}) == {"x/a.md": "y/a.md"}


def test_names_that_are_exchanged_do_not_exchange_the_exams() -> None:
    old = {"easy.md": text(0, 1, 2), "hard.md": text(5, 6, 7)}
    head = {"new/hard.md": text(0, 1, 2), "new/easy.md": text(5, 6, 4)}
    assert found(old, head) == {"easy.md": "new/hard.md", "hard.md": "new/easy.md"}


def test_each_file_has_one_partner() -> None:
    old = {"a.md": text(0, 1, 2, 3), "b.md": text(0, 1, 2, 4)}
    assert found(old, {"c.md": text(0, 1, 2, 3)}) == {"a.md": "c.md"}


def test_a_file_without_a_suite_is_found_after_those_that_have_one() -> None:
    old = {"a.md": text(0, 1, 2, 3), "other.md": "x"}
    stray = {"kept/z.md": text(0, 1, 2, 3), "b.md": text(0, 1, 2, 4), "other.md": "x"}
    assert found(old, stray, ["b.md"]) == {"a.md": "b.md"}
    assert found(old, stray, []) == {"a.md": "kept/z.md"}
    assert found(old, {"kept/z.txt": text(0, 1, 2, 3), "other.md": "x"}, []) == {}


def test_empty_and_unreadable_files_are_nobodys_successors() -> None:
    assert found({"a.md": ""}, {"b.md": " "}) == {}
    assert found({"a.md": text(0)}, {"b.md": ""}) == {}


def test_nothing_is_read_where_the_fingerprint_tells() -> None:
    base, head = Files({"a.md": text(0)}), Files({"b.md": text(0)})
    assert successors(base, head, ["a.md"], ["b.md"]) == {"a.md": "b.md"}
    assert successors(base, head, [], ["b.md"]) == {}
    assert base.reads + head.reads == []


@THOROUGH
@given(st.lists(TEXTS, max_size=5), st.lists(TEXTS, max_size=5), st.permutations(range(5)))
def test_order_makes_no_difference_and_nothing_serves_twice(old: list[str], new: list[str], order: list[int]) -> None:
    base = {f"a{number}.md": data for number, data in enumerate(old)}
    head = {f"b{number}.md": data for number, data in enumerate(new)}
    gone, named = list(base), list(head)
    made = successors(Files(base), Files(head), gone, named)
    assert len(set(made.values())) == len(made)
    assert set(made) <= base.keys()
    shuffled = [named[place] for place in order if place < len(named)]
    assert successors(Files(base), Files(head), gone[::-1], shuffled) == made
    # Whoever has an exact copy does not go without a successor.
    if len(set(old)) == len(old):
        assert {path for path, data in base.items() if data in head.values()} <= made.keys()
