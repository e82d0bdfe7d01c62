"""The paper's Tables 2 and 3 by cell: the printed value, the value of the verdicts, and why the two differ."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from benchmarks.paths import DATA
from benchmarks.promptpex.recorded_verdicts import MODELS
from benchmarks.promptpex.recorded_verdicts import Row as Recorded
from gate.testgen.evaluation.metrics import Group, OutcomeRow, OutputVerdict, Tally, non_compliance, rows_in_group

PRINTED = DATA / "promptpex-tables.json"
TABLES: Mapping[str, tuple[Group, Group]] = {"Table 2": ("promptpex", "control"), "Table 3": ("rule", "inverse")}
_OUTCOMES: Mapping[str | None, OutputVerdict] = {"ok": "compliant", "err": "violation", None: "unknown"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the paper.

    Args:
        table: `Table 2` or `Table 3`.
        prompt, model, group: row and column of the cell.
        tally: the recorded verdicts.
        printed: percent in the paper.
        cause: why the printed value is not that of the verdicts, rounded half up; empty if it is.
    """

    table: str
    prompt: str
    model: str
    group: Group
    tally: Tally
    printed: int
    cause: str


def rows(recorded: Sequence[Recorded]) -> list[OutcomeRow]:
    """The recorded verdicts as rows of an evaluation; a missing verdict is unknown."""
    return [
        OutcomeRow(row["prompt"], model, row["test"], row["kind"], _rule(row["rule"]), _OUTCOMES[verdict])
        for row in recorded
        for model, verdict in row["verdicts"].items()
    ]


def _rule(number: int | None) -> str:
    return "" if number is None else f"R{number}"


def paper() -> dict[str, Any]:
    """The printed values of the paper, and the counts of all its prompts."""
    found: dict[str, Any] = json.loads(PRINTED.read_text(encoding="utf-8"))
    return found


def cells(told: Sequence[OutcomeRow], printed_tables: Mapping[str, Any]) -> list[Cell]:
    """Every cell of both tables for the prompts with records."""
    found = []
    for table, groups in TABLES.items():
        for prompt in dict.fromkeys(row.prompt for row in told):
            for place, model in enumerate(MODELS):
                own = [row for row in told if row.prompt == prompt and row.model == model]
                for group in groups:
                    tally = non_compliance(rows_in_group(own, group))
                    column = printed_tables["printed"][group]
                    printed = column[prompt][place]
                    cause = cause_of(tally, printed, [column[name][place] for name in column])
                    found.append(Cell(table, prompt, model, group, tally, printed, cause))
    return found


def half_up(share: Fraction) -> int:
    """Percent, rounded half up."""
    return int(share * 100 + Fraction(1, 2))


def cause_of(tally: Tally, printed: int, column: Sequence[int]) -> str:
    """The first way of counting the same verdicts that gives the printed value."""
    decided, unknown, n = Fraction(tally.yes, tally.decided), tally.unknown, tally.n
    if half_up(decided) == printed:
        return ""
    if round(decided * 100) == printed:
        return f"rounding: {float(decided * 100):.1f} is printed rounded to the even neighbour"
    if unknown and half_up(Fraction(tally.yes + unknown, n)) == printed:
        return f"a missing verdict is counted as a violation: {tally.yes + unknown}/{n}"
    if unknown and half_up(Fraction(tally.yes, n)) == printed:
        return f"a missing verdict is counted as a pass: {tally.yes}/{n}"
    *prompts, average = column
    as_printed = Fraction(sum(prompts), len(prompts))
    as_counted = as_printed + Fraction(half_up(decided) - printed, len(prompts))
    if half_up(as_counted / 100) == average != half_up(as_printed / 100):
        return (
            f"a slip in print: the printed average of its column, {average}, fits {half_up(decided)} "
            f"({float(as_counted):.1f}) and not {printed} ({float(as_printed):.1f})"
        )
    return "unexplained"
