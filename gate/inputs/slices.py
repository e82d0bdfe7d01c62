"""Which cases belong to which slice, and the automatic dimension `length`."""

from collections.abc import Sequence
from dataclasses import replace

from gate.config.policy import OVERALL
from gate.domain.case import Case

LENGTH = "length"
"""The automatic dimension."""


def length_edges(cases: Sequence[Case]) -> tuple[int, int]:
    """The terciles of the questions' lengths, in characters: the longest `short` and the longest `medium`.

    Args:
        cases: the base exam; (0, 0) when it is empty.
    """
    lengths = sorted(len(case.question) for case in cases)
    if not lengths:
        return 0, 0
    third, two_thirds = -(-len(lengths) // 3), -(-2 * len(lengths) // 3)
    return lengths[third - 1], lengths[two_thirds - 1]


def with_length(cases: Sequence[Case], edges: tuple[int, int]) -> tuple[Case, ...]:
    """The cases, each with `length` short, medium or long; a case that brings its own keeps it.

    Args:
        cases: any cases, also those that the edges were not taken from.
        edges: of `length_edges`.
    """
    return tuple(
        case if LENGTH in case.slices else replace(case, slices={**case.slices, LENGTH: _band(case, edges)})
        for case in cases
    )


def _band(case: Case, edges: tuple[int, int]) -> str:
    length = len(case.question)
    if length <= edges[0]:
        return "short"
    return "medium" if length <= edges[1] else "long"


def members(cases: Sequence[Case], dimensions: Sequence[str]) -> dict[str, list[int]]:
    """Indices into `cases` per slice: `overall` first, then `dimension=value`.

    Args:
        cases: the exam, `length` already added.
        dimensions: dimensions to test; their order is kept, values are sorted.
    """
    found = {OVERALL: list(range(len(cases)))}
    for dimension in dimensions:
        values: dict[str, list[int]] = {}
        for index, case in enumerate(cases):
            if dimension in case.slices:
                values.setdefault(case.slices[dimension], []).append(index)
        found.update({f"{dimension}={value}": values[value] for value in sorted(values)})
    return found
