"""Figures of generated tests on paper: the model matrix, counts with intervals, contrasts, and what tests are worth."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from gate.domain.promptspec import GeneratedTest, Specification
from gate.domain.words import counted
from gate.report.generation.counts import counts, headline, interval, rate_of, shares
from gate.report.numbers import NOTHING, plain, points, points_interval, share
from gate.report.sheet import Grid, Line, Remark, Sheet
from gate.stats.newcombe import Difference, paired_difference
from gate.stats.undefined import Estimate, Undefined
from gate.testgen.agreement_of_specs import SpecAgreement
from gate.testgen.matrix import Contrast, Matrix, by_group, contrasts
from gate.testgen.metrics import Tally, ValidShare, groundedness, valid_share, validity
from gate.testgen.outcomes import Row, Source

_LEGEND = (
    "Shares and counts are violations of the outputs with a verdict [95 %, Wilson].",
    "What is unknown or without an answer is no part of them, and never a pass.",
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What an evaluation came to.

    Args:
        matrices: one for each source of verdicts; the first gives the headline.
        contrasts: by the source of the first matrix.
        validity: of the tests, where it was checked.
        groundedness: of the rules.
        valid_share: of the violations.
        agreement: of the specification, where it was asked for.
        warnings: sentences that must be seen.
    """

    matrices: tuple[Matrix, ...]
    contrasts: tuple[Contrast, ...] = ()
    validity: Tally | None = None
    groundedness: Tally | None = None
    valid_share: ValidShare | None = None
    agreement: SpecAgreement | None = None
    warnings: tuple[str, ...] = ()


class Evaluation(Protocol):
    """What an evaluation came to."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each test and model."""
        ...

    @property
    def tests(self) -> tuple[GeneratedTest, ...]:
        """That were run."""
        ...

    @property
    def agreement(self) -> SpecAgreement | None:
        """Of the specification."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What did not go as it should."""
        ...


def figures_of(found: Evaluation, spec: Specification) -> Figures:
    """The figures of one evaluation: by the judge, and where code checks some rule by code, and by both together.

    Args:
        found: what it came to.
        spec: of the prompt.
    """
    rows, tests = found.rows, found.tests
    coded = any(row.coded is not None for row in rows)
    sources: tuple[Source, ...] = ("judge", "code", "either") if coded else ("judge",)
    return Figures(
        matrices=tuple(by_group(rows, source) for source in sources),
        contrasts=contrasts(rows),
        validity=validity(test for test in tests if test.kind != "control"),
        groundedness=groundedness(spec.rules),
        valid_share=valid_share(rows),
        agreement=found.agreement,
        warnings=found.notes,
    )


def sheet(figures: Figures) -> Sheet:
    """All of it, for a terminal or as Markdown.

    Args:
        figures: with one matrix or more.
    """
    grids = [*map(shares, figures.matrices), counts(figures.matrices)]
    grids += [_contrasts(figures.contrasts)] if figures.contrasts else []
    grids += list(_worth(figures))
    grids += [_agreement(figures.agreement)] if figures.agreement else []
    remarks = tuple(Remark(text) for text in figures.warnings)
    cells = (tally for matrix in figures.matrices for row in matrix.rows for tally in row.cells)
    legend = _LEGEND if any(tally.open for tally in cells) else _LEGEND[:1]
    return Sheet(headline(figures.matrices[0]), remarks, tuple(grids), (" ".join(legend),))


def _contrasts(found: Sequence[Contrast]) -> Grid:
    models = dict.fromkeys(model for one in found for model, _ in one.differences)
    parts = [dict(one.differences) for one in found]
    lines = [Line((model, *(told(part[model]) if model in part else NOTHING for part in parts))) for model in models]
    if any(isinstance(one.across, Estimate) for one in found):
        lines.append(Line(("mean over prompts", *(told(one.across) for one in found))))
    below = (
        "Percentage points [95 %; of models Newcombe's, for different tests]; an interval without 0 shows a difference."
    )
    return Grid("Differences", ("model", *(one.name for one in found)), tuple(lines), (below,), wraps=True)


def told(found: Difference | Estimate | Undefined) -> str:
    """`+12 [+6.1, +19]`, in percentage points; a dash where there is no difference to tell.

    Args:
        found: a difference of two rates, or a mean of such.
    """
    if isinstance(found, Undefined):
        return NOTHING
    return NOTHING if found.value is None else f"{points(found.value)} {points_interval(found.lower, found.upper)}"


def _worth(figures: Figures) -> Iterator[Grid]:
    """What the tests and rules themselves are worth."""
    named: Iterable[tuple[str, Tally | None]] = (
        ("tests with a valid input", figures.validity),
        ("rules that stand in the prompt", figures.groundedness),
        ("violations from a valid input", figures.valid_share.pooled if figures.valid_share else None),
    )
    known = [(name, tally) for name, tally in named if tally is not None and tally.n]
    if not known:
        return
    lines = tuple(
        Line((name, f"{one.yes}/{one.decided}", rate_of(one), interval(one), str(one.unknown))) for name, one in known
    )
    macro = figures.valid_share
    below = (
        (f"Violations from a valid input: {share(macro.macro)} as the mean over {counted(macro.prompts, 'prompt')}.",)
        if macro and macro.macro is not None and macro.prompts > 1
        else ()
    )
    yield Grid("Tests and rules", ("", "count", "share", "95 %", "unknown"), lines, below)


def _agreement(found: SpecAgreement) -> Grid:
    """The original prompt against the one that the specification makes, on the same tests."""
    lines = []
    for model, pairs in found.models:
        one, other = ((pairs.both + single, pairs.n) for single in (pairs.first, pairs.second))
        sides = (f"{hits}/{n}" for hits, n in (one, other))
        lines.append(Line((model, *sides, told(paired_difference(pairs)), plain(pairs.p))))
    below = [
        f"Cosine {_likeness(found.cosine)}, closeness {_likeness(found.closeness)}: cosine does not see size, "
        "closeness is 1 minus the mean absolute difference.",
        "Points with Newcombe's interval of 95 % for the same tests; p of McNemar's exact test, two-sided.",
    ]
    if found.left_out:
        below.append(f"Without a test that was decided twice: {', '.join(found.left_out)}.")
    head = ("model", "original", "specification", "difference", "p")
    return Grid("Agreement of the specification, on valid control cases", head, tuple(lines), tuple(below), wraps=True)


def _likeness(value: float | Undefined) -> str:
    return f"unknown ({value.reason})" if isinstance(value, Undefined) else f"{value:.3f}"
