"""The replayed tables as text: each cell with its interval, the cause of each difference, and totals."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.promptpex.recorded_verdicts import MODELS
from benchmarks.promptpex.table_cells import TABLES, Cell
from gate.numbers import NOTHING, share
from gate.report.sheet import Sheet, SheetRow, SheetTable, figure_columns, text_columns
from gate.report.sheets.matrix import difference_text as as_points
from gate.report.sheets.matrix import rate_interval
from gate.stats.intervals import paired_mean
from gate.testgen.evaluation.metrics import (
    Group,
    OutcomeRow,
    Tally,
    group_difference,
    mean_difference,
    tally_difference,
)

HEADS: Mapping[Group, str] = {"promptpex": "PPex", "control": "control", "rule": "rules", "inverse": "inverse"}
CONTRASTS: tuple[tuple[Group, Group], ...] = (("promptpex", "control"), ("inverse", "rule"))
_MEAN = "Mean over prompts: each prompt counts once, as the mean over its models [paired t, 95 %]."


def sheet(told: Sequence[OutcomeRow], found: Sequence[Cell], paper: Mapping[str, Any]) -> Sheet:
    """All tables.

    Args:
        told: the recorded verdicts.
        found: the recomputed cells.
        paper: the printed values of the paper, and its counts.
    """
    odd = [cell for cell in found if cell.cause]
    headline = f"{len(found) - len(odd)} of {len(found)} cells are recomputed as printed; {len(odd)} differ."
    grids = (
        *(_cells(table, found) for table in TABLES),
        _odd(odd),
        *_pooled(told, paper),
        _sides(paper),
        _others(paper),
    )
    return Sheet(headline, (), grids)


def _cells(table: str, found: Sequence[Cell]) -> SheetTable:
    """For each prompt and model: counts, percent with interval, the printed value, and the difference."""
    first, second = TABLES[table]
    groups = (text for group in (first, second) for text in (HEADS[group], "printed"))
    head = (*text_columns("prompt", "model"), *figure_columns(*groups, "difference"))
    cells = {(cell.prompt, cell.model, cell.group): cell for cell in found if cell.table == table}
    lines = []
    for prompt, model in dict.fromkeys((prompt, model) for prompt, model, _ in cells):
        one, other = (cells[prompt, model, group] for group in (first, second))
        turned = (other, one) if table == "Table 3" else (one, other)
        texts = (
            text for cell in (one, other) for text in (counted(cell.tally), f"{cell.printed}{' *' * bool(cell.cause)}")
        )
        lines.append(SheetRow((prompt, model, *texts, as_points(tally_difference(turned[0].tally, turned[1].tally)))))
    minus = "inverse minus rules" if table == "Table 3" else "PPex minus control"
    below = f"Violations/tests and percent [Wilson, 95 %]; difference in points, {minus} [Newcombe, 95 %]."
    return SheetTable(f"{table} of the paper", head, tuple(lines), (f"{below} * differs from what is printed.",))


def _odd(odd: Sequence[Cell]) -> SheetTable:
    head = (*text_columns("cell"), *figure_columns("counted", "printed"), *text_columns("cause"))
    lines = (SheetRow((_name(cell), counted(cell.tally), str(cell.printed), cell.cause)) for cell in odd)
    return SheetTable("Cells that differ", head, tuple(lines))


def _name(cell: Cell) -> str:
    return f"{cell.table}: {cell.prompt}, {cell.model}, {HEADS[cell.group]}"


def _pooled(told: Sequence[OutcomeRow], paper: Mapping[str, Any]) -> Iterator[SheetTable]:
    """Each contrast by model, over the prompts with records and over all prompts of the paper."""
    for first, second in CONTRASTS:
        name = f"{HEADS[first]} minus {HEADS[second]}"
        lines = []
        for model in MODELS:
            ours = group_difference([row for row in told if row.model == model], first, second)
            one, other = (pooled(paper, group, MODELS.index(model)) for group in (first, second))
            lines.append(SheetRow((model, as_points(ours), as_points(tally_difference(one, other)))))
        means = mean_difference(told, first, second), paired_mean(_by_prompt(paper, first, second))
        lines.append(SheetRow(("mean over prompts", *map(as_points, means))))
        pooled_over = figure_columns("recorded prompts", "all eight prompts")
        head = (*text_columns("model, pooled over prompts"), *pooled_over)
        yield SheetTable(name, head, tuple(lines), (_MEAN,))


def _by_prompt(paper: Mapping[str, Any], first: Group, second: Group) -> list[float]:
    """The difference of each prompt, as the mean over the models."""
    found = []
    for prompt in paper["counts"]:
        places = range(len(MODELS))
        both = (
            tally_difference(of(paper, prompt, first, place), of(paper, prompt, second, place)).value
            for place in places
        )
        found.append(sum(value for value in both if value is not None) / len(MODELS))
    return found


def _sides(paper: Mapping[str, Any]) -> SheetTable:
    """How often one group has more violations than the other, and how often the interval excludes zero."""
    lines = []
    for first, second in CONTRASTS:
        found = [
            tally_difference(of(paper, prompt, first, place), of(paper, prompt, second, place))
            for prompt in paper["counts"]
            for place in range(len(MODELS))
        ]
        more = [one for one in found if one.value is not None and one.value > 0]
        fewer = [one for one in found if one.value is not None and one.value < 0]
        sizes = (f"{len(side)}, shown {sum(one.shown for one in side)}" for side in (more, fewer))
        lines.append(
            SheetRow((f"{HEADS[first]} against {HEADS[second]}", *sizes, str(len(found) - len(more) - len(fewer))))
        )
    note = "Shown: the 95 % interval of the one cell leaves 0 out; nothing is corrected for looking at 32 of them."
    head = (*text_columns(""), *figure_columns("more violations", "fewer", "equal"))
    return SheetTable("The 32 cells of all eight prompts", head, tuple(lines), (note,))


def _others(paper: Mapping[str, Any]) -> SheetTable:
    """Validity and groundedness over all prompts."""
    lines = []
    for name, key in (
        ("tests with a valid input", "tests_valid"),
        ("rules that stand in the prompt", "rules_grounded"),
    ):
        pairs = paper[key].values()
        n, yes = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        lines.append(SheetRow((name, counted(Tally(yes, n - yes, 0, 0, n)))))
    return SheetTable(
        "Tests and rules of all eight prompts", (*text_columns(""), *figure_columns("counted")), tuple(lines)
    )


def pooled(paper: Mapping[str, Any], group: Group, place: int) -> Tally:
    """The counts of a group under one model over all prompts."""
    return _sum(of(paper, prompt, group, place) for prompt in paper["counts"])


def of(paper: Mapping[str, Any], prompt: str, group: Group, place: int) -> Tally:
    """The counts of a group under one model and prompt."""
    kinds = ("rule", "inverse") if group == "promptpex" else (group,)
    pairs = [paper["counts"][prompt][kind][place] for kind in kinds]
    return _sum(Tally(yes, n - yes, 0, 0, n) for yes, n in pairs)


def _sum(tallies: Iterator[Tally]) -> Tally:
    found = list(tallies)
    yes, no = sum(one.yes for one in found), sum(one.no for one in found)
    return Tally(yes, no, 0, 0, yes + no)


def counted(tally: Tally) -> str:
    """`6/18: 33.3 % [16, 56]`, and the number of unknown verdicts."""
    unknown = f", {tally.unknown} unknown" if tally.unknown else ""
    rate = tally.rate.rate
    percent = NOTHING if rate is None else f"{share(rate)} {rate_interval(tally)}"
    return f"{tally.yes}/{tally.decided}{unknown}: {percent}"
