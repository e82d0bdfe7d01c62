"""The model matrix, and the agreement of a specification with its prompt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate.config.specification import Specification
from gate.stats.arrays import Estimate, Undefined
from gate.stats.association import closeness, cosine
from gate.stats.intervals import Difference, Pairs
from gate.testgen.evaluation.metrics import (
    GROUPS,
    Group,
    OutcomeRow,
    Tally,
    VerdictSource,
    group_difference,
    mean_difference,
    non_compliance,
    paired_rows,
    rows_in_group,
)
from gate.testgen.questions import rendered_template

GROUP_NAMES: Mapping[Group, str] = {
    "rule": "rules",
    "inverse": "inverse",
    "promptpex": "rules + inverse",
    "control": "control",
    "overall": "all",
}
CONTRASTS: tuple[tuple[Group, Group], ...] = (("promptpex", "control"), ("inverse", "rule"))


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One row, with a cell for each column."""

    name: str
    cells: tuple[Tally, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Non-compliance of several models.

    Args:
        corner: what the rows are: `tests` or `prompt`.
        models: columns, in the order in which they were named; untrusted.
    """

    title: str
    corner: str
    models: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    source: VerdictSource


@dataclass(frozen=True, slots=True)
class GroupContrast:
    """One group of tests against another, model by model.

    Args:
        across: mean over the prompts, each of which counts once; no number for a single prompt.
    """

    name: str
    differences: tuple[tuple[str, Difference], ...]
    across: Estimate | Undefined


def group_matrix(rows: Sequence[OutcomeRow], source: VerdictSource = "judge") -> Matrix:
    """Groups of tests as rows, without empty groups; a group that holds all tests is not repeated."""
    kinds = {row.kind for row in rows}
    several = {"promptpex": {"rule", "inverse"} <= kinds, "overall": "control" in kinds and len(kinds) > 1}
    groups = [group for group in GROUPS if several.get(group, group in kinds)]
    return matrix_of(rows, source, "tests", [(GROUP_NAMES[group], rows_in_group(rows, group)) for group in groups])


def contrasts(rows: Sequence[OutcomeRow]) -> tuple[GroupContrast, ...]:
    """Rules and inverse rules against control cases, and inverse rules against rules, where there are both."""
    own = {model: [row for row in rows if row.model == model] for model in _models(rows)}
    return tuple(
        GroupContrast(
            f"{GROUP_NAMES[first]} minus {GROUP_NAMES[second]}",
            tuple((model, group_difference(part, first, second)) for model, part in own.items()),
            mean_difference(rows, first, second),
        )
        for first, second in CONTRASTS
        if rows_in_group(rows, first) and rows_in_group(rows, second)
    )


def _models(rows: Iterable[OutcomeRow]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.model for row in rows))


def matrix_of(
    rows: Sequence[OutcomeRow], source: VerdictSource, corner: str, parts: Sequence[tuple[str, Sequence[OutcomeRow]]]
) -> Matrix:
    """Named parts of the rows against models; `corner` says what the parts are."""
    models = _models(rows)
    found = []
    for name, part in parts:
        cells = (non_compliance((row for row in part if row.model == model), source) for model in models)
        found.append(MatrixRow(name, tuple(cells)))
    return Matrix("Tests that break the prompt", corner, models, tuple(found), source)


@dataclass(frozen=True, slots=True)
class SpecAgreement:
    """How similar compliance is under the two prompts.

    Args:
        models: by name, the tests that were decided under both prompts; the original's are the first.
        left_out: models without a test that was decided under both.
    """

    models: tuple[tuple[str, Pairs], ...]
    cosine: float | Undefined
    closeness: float | Undefined
    left_out: tuple[str, ...]


def spec_prompt(spec: Specification) -> str:
    """The prompt that is made from a specification."""
    return rendered_template("spec_prompt", {"intent": spec.intent, "rules": [rule.text for rule in spec.rules]})


def agreement(
    original: Sequence[OutcomeRow], from_spec: Sequence[OutcomeRow], source: VerdictSource = "judge"
) -> SpecAgreement:
    """Compare rates of non-compliance, model by model.

    Args:
        from_spec: rows of the same tests under the prompt that is made from the specification.
    """
    ours, theirs = ([row for row in rows_in_group(rows, "control") if row.valid] for rows in (original, from_spec))
    names = tuple(dict.fromkeys(row.model for row in (*ours, *theirs)))
    pairs = {
        name: paired_rows(
            (row for row in ours if row.model == name), (row for row in theirs if row.model == name), source
        )
        for name in names
    }
    known = tuple((name, found) for name, found in pairs.items() if found.n)
    first = [(one.both + one.first) / one.n for _, one in known]
    second = [(one.both + one.second) / one.n for _, one in known]
    left_out = tuple(name for name in names if not pairs[name].n)
    return SpecAgreement(known, cosine(first, second), closeness(first, second), left_out)
