"""The model matrix as a picture: one SVG file, drawn by us, without scripts and without anything that loads."""

from dataclasses import dataclass
from importlib import resources

from jinja2 import Environment, StrictUndefined
from rich.cells import cell_len, set_cell_size

from gate.report.escape import one_line, xml_text
from gate.report.generation.counts import BY, interval
from gate.report.numbers import share
from gate.testgen.matrix import Matrix
from gate.testgen.metrics import Tally

STEPS = (0.0, 0.1, 0.25, 0.5, 0.75)
"""A share above one of them is a shade darker."""
LEGEND = ("0 %", "to 10", "to 25", "to 50", "to 75", "to 100 %")
LETTER = 7.4
"""Width of a character, in pixels, at the size of the labels."""
LONGEST = 30
"""Columns of a label; longer names lose their middle, and are whole in what a pointer or a reader shows."""
MARGIN, TOP, ROW, NARROWEST, BELOW = 16, 92, 62, 116, 76


@dataclass(frozen=True, slots=True)
class Label:
    """A name at a place.

    Args:
        x, y: in pixels.
        lines: as much of it as there is room for.
        whole: all of it.
    """

    x: float
    y: float
    lines: tuple[str, ...]
    whole: str


@dataclass(frozen=True, slots=True)
class Box:
    """One cell at a place.

    Args:
        x, y: of its upper left corner, in pixels.
        shade: `s0` to `s5`; `none` where there is no verdict.
        lines: the share; counts; interval or what is open.
        told: the same in a sentence.
    """

    x: float
    y: float
    shade: str
    lines: tuple[str, ...]
    told: str


def render(matrix: Matrix) -> str:
    """The picture, readable on light and on dark pages; every colour says what a number in the cell says too.

    Args:
        matrix: names in it are hostile.
    """
    rows = [_clean(row.name) for row in matrix.rows]
    models = [_clean(model) for model in matrix.models]
    left = MARGIN + LETTER * min(LONGEST, max(map(cell_len, (*rows, matrix.corner)))) + 12
    wide = max(NARROWEST, 16 + LETTER * min(LONGEST, max(cell_len(part) for name in models for part in _parted(name))))
    heads = [
        Label(left + wide * (place + 0.5), TOP - 26, tuple(map(_cut, _parted(name))), name)
        for place, name in enumerate(models)
    ]
    names = [Label(left - 12, TOP + ROW * (place + 0.5), (_cut(name),), name) for place, name in enumerate(rows)]
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
    source = (
        resources.files("gate.report.generation").joinpath("templates", "heatmap.svg.j2").read_text(encoding="utf-8")
    )
    env = Environment(undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return env.from_string(source).render(view) + "\n"


def shade_of(tally: Tally) -> str:
    """The shade of a cell: one for a share of 0, and five for what is above.

    Args:
        tally: counts of the cell.

    Returns:
        `s0` to `s5`, or `none` where there is no verdict.
    """
    rate = tally.rate.rate
    return "none" if rate is None else f"s{sum(rate > step for step in STEPS)}"


def _box(tally: Tally, x: float, y: float, where: str) -> Box:
    left = ", ".join(
        f"{count} {word}" for count, word in ((tally.unknown, "unknown"), (tally.missing, "no answer")) if count
    )
    if tally.rate.rate is None:
        lines = ("no verdict", left) if left else ("no test",)
        return Box(x, y, "none", lines, f"{where}: {', '.join(lines)}")
    counts, percent = f"{tally.yes} of {tally.decided}", share(tally.rate.rate)
    told = f"{where}: {percent}, {counts}, 95 % interval {interval(tally)}{f', {left}' if left else ''}"
    return Box(x, y, shade_of(tally), (percent, f"{counts} {interval(tally)}", left), told)


def _parted(name: str) -> tuple[str, ...]:
    """Who hosts a model, and its name."""
    host, mark, model = name.partition(":")
    return (f"{host}{mark}", model) if mark and model and not host.endswith(" ") else (name,)


def _cut(name: str) -> str:
    """Without its middle where it is long: names that are alike mostly differ at their ends."""
    if cell_len(name) <= LONGEST:
        return name
    half = LONGEST // 2
    return f"{set_cell_size(name, half - 1).rstrip()}…{set_cell_size(name[::-1], half)[::-1].lstrip()}"


def _clean(name: str) -> str:
    """On one line, and without what no XML may hold."""
    return xml_text(one_line(name)) or "(no name)"
