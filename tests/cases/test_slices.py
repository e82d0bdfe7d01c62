"""Slices and the automatic dimension."""

from hypothesis import given
from hypothesis import strategies as st

from gate.cases.case import Case, length_edges, members, with_length


def sized(*lengths: int) -> list[Case]:
    return [Case(str(index), "x" * length) for index, length in enumerate(lengths)]


def test_terciles() -> None:
    cases = sized(9, 1, 5, 2, 7, 3, 8, 4, 6)
    assert length_edges(cases) == (3, 6)
    bands = [case.slices["length"] for case in with_length(cases, (3, 6))]
    assert bands == ["long", "short", "medium", "short", "long", "short", "long", "medium", "medium"]


def test_length_edges_of_the_base_apply_to_other_cases() -> None:
    edges = length_edges(sized(1, 2, 3))
    assert [case.slices["length"] for case in with_length(sized(100, 0), edges)] == ["long", "short"]


def test_a_case_keeps_its_own_length() -> None:
    case = Case("a", "x" * 1000, slices={"length": "brief", "tier": "pro"})
    assert with_length([case], (1, 2)) == (case,)


def test_members_keep_the_order_of_dimensions_and_sort_values() -> None:
    cases = [
        Case("a", slices={"tier": "pro", "lang": "de"}),
        Case("b", slices={"tier": "free"}),
        Case("c", slices={"tier": "pro", "lang": "ar", "hidden": "x"}),
    ]
    found = members(cases, ["tier", "lang", "none"])
    assert list(found.items()) == [
        ("overall", [0, 1, 2]),
        ("tier=free", [1]),
        ("tier=pro", [0, 2]),
        ("lang=ar", [2]),
        ("lang=de", [0]),
    ]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60))
def test_bands_are_ordered_and_no_larger_than_they_must_be(lengths: list[int]) -> None:
    cases = with_length(sized(*lengths), length_edges(sized(*lengths)))
    bands = {band: [] for band in ("short", "medium", "long")}
    for case, length in zip(cases, lengths, strict=True):
        bands[case.slices["length"]].append(length)
    for shorter, longer in (("short", "medium"), ("medium", "long"), ("short", "long")):
        assert max(bands[shorter], default=-1) < min(bands[longer], default=99)
    # Ties can only move cases down: the longest band never holds more than its third.
    assert len(bands["long"]) <= len(lengths) / 3
