"""Figures of generated tests: the model matrix as a sheet and as an SVG picture, counts, contrasts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from gate.config.specification import Specification
from gate.numbers import NOTHING, percent, points_interval, share, two_decimals
from gate.report.escape import one_line, xml_text
from gate.report.sheet import Remark, Sheet, SheetRow, SheetTable, figure_columns, text_columns
from gate.stats.arrays import Estimate, Undefined
from gate.stats.intervals import Difference, paired_difference
from gate.templates.rendering import packaged_templates
from gate.testgen.evaluation.matrix import GROUP_NAMES, GroupContrast, Matrix, SpecAgreement, contrasts, group_matrix
from gate.testgen.evaluation.metrics import (
    Tally,
    ValidShare,
    VerdictSource,
    groundedness_tally,
    valid_share,
    validity_tally,
)
from gate.values import counted

if TYPE_CHECKING:
    from gate.testgen.evaluation.trials import EvaluationResult

BY: Mapping[VerdictSource, str] = {"judge": "by the judge", "code": "by code", "either": "by the judge or by code"}
_BELOW = "· "
"""Before the name of a group of tests, in the rows below the model that answered them."""


def rate_text(tally: Tally) -> str:
    """A share: `33.3 %`; a dash where nothing is decided."""
    return NOTHING if tally.rate.rate is None else share(tally.rate.rate)


def rate_interval(tally: Tally) -> str:
    """The Wilson interval of a share in percent: `[16, 56]`."""
    return f"[{tally.rate.lower * 100:.0f}, {tally.rate.upper * 100:.0f}]" if tally.decided else NOTHING


def matrix_headline(matrix: Matrix) -> str:
    """How often each model breaks the rules in the tests made for them, in a sentence."""
    row = next((row for row in matrix.rows if row.name == GROUP_NAMES["promptpex"]), matrix.rows[0])
    told = list(zip(_short(matrix.models), row.cells, strict=True))
    rates = [
        f"{rate_text(tally)} {rate_interval(tally)} of {tally.decided:,}" if tally.decided else "" for _, tally in told
    ]
    first = next((place for place, rate in enumerate(rates) if rate), None)
    said = [f"{name} {rate or 'has no verdict'}" for (name, _), rate in zip(told, rates, strict=True)]
    if first is not None:
        name, tally = told[first]
        said[first] = f"{name} breaks {rates[first]} {'test' if tally.decided == 1 else 'tests'}"
    return f"{BY[matrix.source].capitalize()}: {', '.join(said)}"


def _short(models: Sequence[str]) -> list[str]:
    """Names of models without their hosts, where no two of them are then alike."""
    names = [model.partition(":")[2] or model for model in models]
    return names if len({*names}) == len(names) else list(models)


def share_grid(matrix: Matrix) -> SheetTable:
    """A row for each model and a column for each group of tests."""
    columns = zip(*(row.cells for row in matrix.rows), strict=True)
    lines = (SheetRow((model, *map(rate_text, cells))) for model, cells in zip(matrix.models, columns, strict=True))
    head = (*text_columns("model"), *figure_columns(*(row.name for row in matrix.rows)))
    return SheetTable(f"{matrix.title}, {BY[matrix.source]}", head, tuple(lines), tuple(_open(matrix)), wraps=True)


def _open(matrix: Matrix) -> Iterator[str]:
    """How much is undecided, and how far that could move a share."""
    for model, tally in zip(matrix.models, matrix.rows[-1].cells, strict=True):
        if tally.open and tally.ends is not None:
            words = ((tally.unknown, "unknown"), (tally.missing, "without an answer"))
            what = " and ".join(f"{count:,} {word}" for count, word in words if count)
            low, high = map(percent, tally.ends)
            yield f"{model}: {what}, of {tally.n:,} tests. If these pass, {low} break a rule; if they fail, {high}."


def count_grids(matrices: Sequence[Matrix]) -> SheetTable:
    """Counts and intervals by model, without empty columns; the matrices have the same tests and models."""
    first = matrices[0]
    head, found = [first.corner], []
    for matrix in matrices:
        head += [matrix.source if len(matrices) > 1 else "count", "95 %", "unknown", "no answer"]
    for place, model in enumerate(first.models):
        groups = [
            (row.name, [matrix.rows[number].cells[place] for matrix in matrices])
            for number, row in enumerate(first.rows)
        ]
        told = [(name, tallies) for name, tallies in groups if any(tally.n for tally in tallies)]
        found.append((model, *("" for _ in head[1:])))
        found += [(_BELOW + name, *(text for tally in tallies for text in _texts(tally))) for name, tallies in told]
    kept = [place for place in range(len(head)) if any(line[place] not in ("", "0", NOTHING) for line in found)]
    lines = tuple(SheetRow(tuple(line[place] for place in kept)) for line in found)
    columns = (*text_columns(head[0]), *figure_columns(*(head[place] for place in kept[1:])))
    return SheetTable("Counts and intervals", columns, lines, wraps=True)


def _texts(tally: Tally) -> tuple[str, str, str, str]:
    count = f"{tally.yes}/{tally.decided}" if tally.n else NOTHING
    return count, rate_interval(tally), str(tally.unknown), str(tally.missing)


_LEGEND = (
    "Shares and counts are violations of the outputs with a verdict [95 %, Wilson].",
    "They leave out what is unknown or has no answer; it never counts as a pass.",
)


@dataclass(frozen=True, slots=True)
class EvaluationFigures:
    """The results of an evaluation.

    Args:
        matrices: one for each source of verdicts; the first gives the headline.
        contrasts: by the source of the first matrix.
        validity: of the tests; None where it was not checked.
        groundedness: of the rules; None where it was not checked.
        agreement: of the specification; None where it was not requested.
    """

    matrices: tuple[Matrix, ...]
    contrasts: tuple[GroupContrast, ...] = ()
    validity: Tally | None = None
    groundedness: Tally | None = None
    valid_share: ValidShare | None = None
    agreement: SpecAgreement | None = None
    warnings: tuple[str, ...] = ()


def evaluation_figures(found: "EvaluationResult", spec: Specification) -> EvaluationFigures:
    """The figures of one evaluation: by the judge, and where code checks some rules, by code and by both together."""
    rows, tests = found.rows, found.tests
    coded = any(row.coded is not None for row in rows)
    sources: tuple[VerdictSource, ...] = ("judge", "code", "either") if coded else ("judge",)
    return EvaluationFigures(
        matrices=tuple(group_matrix(rows, source) for source in sources),
        contrasts=contrasts(rows),
        validity=validity_tally(test for test in tests if test.kind != "control"),
        groundedness=groundedness_tally(spec.rules),
        valid_share=valid_share(rows),
        agreement=found.agreement,
        warnings=found.notes,
    )


def evaluation_sheet(figures: EvaluationFigures) -> Sheet:
    """All figures, of at least one matrix, for a terminal or as Markdown."""
    grids = [*map(share_grid, figures.matrices), count_grids(figures.matrices)]
    grids += [_contrasts(figures.contrasts)] if figures.contrasts else []
    grids += list(_worth(figures))
    grids += [_agreement(figures.agreement)] if figures.agreement else []
    remarks = tuple(Remark(text) for text in figures.warnings)
    cells = (tally for matrix in figures.matrices for row in matrix.rows for tally in row.cells)
    legend = _LEGEND if any(tally.open for tally in cells) else _LEGEND[:1]
    return Sheet(matrix_headline(figures.matrices[0]), remarks, tuple(grids), (" ".join(legend),))


def _contrasts(found: Sequence[GroupContrast]) -> SheetTable:
    models = dict.fromkeys(model for one in found for model, _ in one.differences)
    parts = [dict(one.differences) for one in found]
    lines = [
        SheetRow((model, *(difference_text(part[model]) if model in part else NOTHING for part in parts)))
        for model in models
    ]
    if any(isinstance(one.across, Estimate) for one in found):
        lines.append(SheetRow(("mean over prompts", *(difference_text(one.across) for one in found))))
    below = (
        "Percentage points [95 %; for models by Newcombe, for different tests]. "
        "An interval without 0 shows a difference."
    )
    head = (*text_columns("model"), *figure_columns(*(one.name for one in found)))
    return SheetTable("Differences", head, tuple(lines), (below,), wraps=True)


def difference_text(found: Difference | Estimate | Undefined) -> str:
    """`+12 [+6.1, +19]`, in percentage points, of two rates or a mean of such; a dash where there is none."""
    if isinstance(found, Undefined):
        return NOTHING
    return NOTHING if found.value is None else points_interval(found.value, found.lower, found.upper)


def _worth(figures: EvaluationFigures) -> Iterator[SheetTable]:
    """The quality of the tests and rules themselves."""
    named: Iterable[tuple[str, Tally | None]] = (
        ("tests with a valid input", figures.validity),
        ("rules found in the prompt", figures.groundedness),
        ("violations from a valid input", figures.valid_share.pooled if figures.valid_share else None),
    )
    known = [(name, tally) for name, tally in named if tally is not None and tally.n]
    if not known:
        return
    lines = tuple(
        SheetRow((name, f"{one.yes}/{one.decided}", rate_text(one), rate_interval(one), str(one.unknown)))
        for name, one in known
    )
    macro = figures.valid_share
    below = (
        (f"Violations from a valid input: {share(macro.macro)} as the mean over {counted(macro.prompts, 'prompt')}.",)
        if macro and macro.macro is not None and macro.prompts > 1
        else ()
    )
    yield SheetTable(
        "Tests and rules", (*text_columns(""), *figure_columns("count", "share", "95 %", "unknown")), lines, below
    )


def _agreement(found: SpecAgreement) -> SheetTable:
    """The original prompt against the one rebuilt from the specification, on the same tests."""
    lines = []
    for model, pairs in found.models:
        one, other = ((pairs.both + single, pairs.n) for single in (pairs.first, pairs.second))
        sides = (f"{hits}/{n}" for hits, n in (one, other))
        lines.append(SheetRow((model, *sides, difference_text(paired_difference(pairs)), two_decimals(pairs.p))))
    below = [
        f"Cosine {_likeness(found.cosine)}, closeness {_likeness(found.closeness)}: cosine ignores size, "
        "closeness is 1 minus the mean absolute difference.",
        "Percentage points with Newcombe's 95 % interval for the same tests; p by McNemar's exact test, two-sided.",
    ]
    if found.left_out:
        below.append(f"Without a test that both prompts decided: {', '.join(found.left_out)}.")
    head = (*text_columns("model"), *figure_columns("original", "specification", "difference", "p"))
    return SheetTable(
        "Agreement of the specification, on valid control cases", head, tuple(lines), tuple(below), wraps=True
    )


def _likeness(value: float | Undefined) -> str:
    return f"unknown ({value.reason})" if isinstance(value, Undefined) else f"{value:.3f}"


STEPS = (0.0, 0.1, 0.25, 0.5, 0.75)
"""Each is the lower end of a shade; a higher share is a shade darker."""
LEGEND = ("0 %", "to 10", "to 25", "to 50", "to 75", "to 100 %")
LETTER = 7.4
"""Width of a character of the labels, in pixels."""
LONGEST = 30
"""Characters of a label; longer names lose their middle, and are complete in tooltips and for screen readers."""
MARGIN, TOP, ROW, NARROWEST, BELOW = 16, 92, 62, 116, 76


@dataclass(frozen=True, slots=True)
class HeatmapLabel:
    """A name at a place.

    Args:
        x, y: in pixels.
        lines: as much of it as there is room for.
        whole: the full name.
    """

    x: float
    y: float
    lines: tuple[str, ...]
    whole: str


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """One cell at a place.

    Args:
        x, y: of its upper left corner, in pixels.
        shade: `s0` to `s5`; `none` where there is no verdict.
        lines: the share; the counts; the interval, or what is undecided.
        told: the same in a sentence.
    """

    x: float
    y: float
    shade: str
    lines: tuple[str, ...]
    told: str


def render_heatmap(matrix: Matrix) -> str:
    """The SVG picture, for light and dark pages; every colour repeats a number in its cell. Names are untrusted."""
    rows = [_clean(row.name) for row in matrix.rows]
    models = [_clean(model) for model in matrix.models]
    left = MARGIN + LETTER * min(LONGEST, max(map(cell_len, (*rows, matrix.corner)))) + 12
    wide = max(NARROWEST, 16 + LETTER * min(LONGEST, max(cell_len(part) for name in models for part in _parted(name))))
    heads = [
        HeatmapLabel(left + wide * (place + 0.5), TOP - 26, tuple(map(_cut, _parted(name))), name)
        for place, name in enumerate(models)
    ]
    names = [HeatmapLabel(left - 12, TOP + ROW * (place + 0.5), (_cut(name),), name) for place, name in enumerate(rows)]
    boxes = [
        _box(tally, left + wide * column, TOP + ROW * line, f"{rows[line]}, {models[column]}")
        for line, row in enumerate(matrix.rows)
        for column, tally in enumerate(row.cells)
    ]
    title = f"{matrix.title}, {BY[matrix.source]}"
    width = MARGIN + max(left + max(wide * len(models), 6 * 62), MARGIN + 8.5 * len(title))
    view = {
        "title": title, "corner": matrix.corner, "heads": heads, "names": names,
        "boxes": boxes, "legend": LEGEND, "left": left, "cell": (wide, ROW), "margin": MARGIN, "top": TOP,
        "width": round(width), "height": TOP + ROW * len(rows) + BELOW,
        "below": TOP + ROW * len(rows),
    }  # fmt: skip
    return packaged_templates("gate.report.sheets").get_template("heatmap.svg.j2").render(view) + "\n"


def shade_of(tally: Tally) -> str:
    """The shade of a cell: `s0` for a share of 0, `s1` to `s5` above; `none` where there is no verdict."""
    rate = tally.rate.rate
    return "none" if rate is None else f"s{sum(rate > step for step in STEPS)}"


def _box(tally: Tally, x: float, y: float, where: str) -> HeatmapCell:
    left = ", ".join(
        f"{count} {word}" for count, word in ((tally.unknown, "unknown"), (tally.missing, "no answer")) if count
    )
    if tally.rate.rate is None:
        lines = ("no verdict", left) if left else ("no test",)
        return HeatmapCell(x, y, "none", lines, f"{where}: {', '.join(lines)}")
    counts, percent = f"{tally.yes} of {tally.decided}", share(tally.rate.rate)
    told = f"{where}: {percent}, {counts}, 95 % interval {rate_interval(tally)}{f', {left}' if left else ''}"
    return HeatmapCell(x, y, shade_of(tally), (percent, f"{counts} {rate_interval(tally)}", left), told)


def _parted(name: str) -> tuple[str, ...]:
    """The host of a model, and its name."""
    host, mark, model = name.partition(":")
    return (f"{host}{mark}", model) if mark and model and not host.endswith(" ") else (name,)


def _cut(name: str) -> str:
    """Without its middle where it is long: similar names mostly differ at their ends."""
    if cell_len(name) <= LONGEST:
        return name
    half = LONGEST // 2
    return f"{set_cell_size(name, half - 1).rstrip()}…{set_cell_size(name[::-1], half)[::-1].lstrip()}"


def _clean(name: str) -> str:
    """On one line, and without characters that XML cannot hold."""
    return xml_text(one_line(name)) or "(no name)"
