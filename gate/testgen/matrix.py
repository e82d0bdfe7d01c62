"""The model matrix: groups of tests, or prompts, against models; each cell counts what was not complied with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate.stats.newcombe import Difference
from gate.stats.undefined import Estimate, Undefined
from gate.testgen.metrics import Tally, across_prompts, contrast, non_compliance
from gate.testgen.outcomes import GROUPS, Group, Row, Source, in_group

NAMES: Mapping[Group, str] = {
    "rule": "rules",
    "inverse": "inverse",
    "promptpex": "rules + inverse",
    "control": "control",
    "overall": "all",
}
CONTRASTS: tuple[tuple[Group, Group], ...] = (("promptpex", "control"), ("inverse", "rule"))


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One row.

    Args:
        name: of a group of tests, or of a prompt; hostile.
        cells: one for each column.
    """

    name: str
    cells: tuple[Tally, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Non-compliance of several models.

    Args:
        title: what is counted, in a few words.
        corner: what the rows are: `tests` or `prompt`.
        models: columns, in the order in which they were named; hostile.
        rows: from top to bottom.
        source: who says what is a violation.
    """

    title: str
    corner: str
    models: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Contrast:
    """One group of tests against another, model by model.

    Args:
        name: such as `rules + inverse minus control`.
        differences: model and difference of the two rates.
        across: mean over the prompts, each of which counts once; no number for a single prompt.
    """

    name: str
    differences: tuple[tuple[str, Difference], ...]
    across: Estimate | Undefined


def by_group(rows: Sequence[Row], source: Source = "judge") -> Matrix:
    """Groups of tests as rows; a group without a test is left out, and one that is all there is stands once.

    Args:
        rows: of an evaluation.
        source: who says what is a violation.
    """
    kinds = {row.kind for row in rows}
    several = {"promptpex": {"rule", "inverse"} <= kinds, "overall": "control" in kinds and len(kinds) > 1}
    groups = [group for group in GROUPS if several.get(group, group in kinds)]
    return _matrix(rows, source, "tests", [(NAMES[group], in_group(rows, group)) for group in groups])


def by_prompt(rows: Sequence[Row], group: Group = "promptpex", source: Source = "judge") -> Matrix:
    """Prompts as rows, for one group of tests.

    Args:
        rows: of several evaluations.
        group: whose tests.
        source: who says what is a violation.
    """
    own = in_group(rows, group)
    prompts = dict.fromkeys(row.prompt for row in own)
    parts = [(name, [row for row in own if row.prompt == name]) for name in prompts]
    everything = [("all prompts", own)] if len(prompts) > 1 else []
    return _matrix(own, source, "prompt", [*parts, *everything])


def contrasts(rows: Sequence[Row], source: Source = "judge") -> tuple[Contrast, ...]:
    """Rules and inverse rules against control cases, and inverse rules against rules, where there are both.

    Args:
        rows: of an evaluation, or of several.
        source: who says what is a violation.
    """
    own = {model: [row for row in rows if row.model == model] for model in _models(rows)}
    return tuple(
        Contrast(
            f"{NAMES[first]} minus {NAMES[second]}",
            tuple((model, contrast(part, first, second, source)) for model, part in own.items()),
            across_prompts(rows, first, second, source),
        )
        for first, second in CONTRASTS
        if in_group(rows, first) and in_group(rows, second)
    )


def _models(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.model for row in rows))


def _matrix(rows: Sequence[Row], source: Source, corner: str, parts: Sequence[tuple[str, Sequence[Row]]]) -> Matrix:
    models = _models(rows)
    found = []
    for name, part in parts:
        cells = (non_compliance((row for row in part if row.model == model), source) for model in models)
        found.append(MatrixRow(name, tuple(cells)))
    return Matrix("Tests that were not complied with", corner, models, tuple(found), source)
