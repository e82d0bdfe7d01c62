"""The results as tables for a terminal or for Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from benchmarks.statistics.simulation.guarantees import Cell
from benchmarks.statistics.simulation.planned_power import Outcome
from benchmarks.statistics.simulation.rates import Rate
from gate.stats.power import WHOLE


@dataclass(frozen=True, slots=True)
class Result:
    """One cell, simulated with both rules."""

    cell: Cell
    ours: Rate
    familiar: Rate

    @property
    def held(self) -> bool:
        return self.cell.limit is None or self.ours.holds(self.cell.limit, self.cell.at_most)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Title, columns and rows of a table."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def for_terminal(self) -> Table:
        table = Table(*self.columns, title=self.title)
        for row in self.rows:
            table.add_row(*row, style="red" if row[-1] == "BROKEN" else None)
        return table

    def as_markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return f"**{self.title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def promises(results: Sequence[Result]) -> Sheet:
    """G1 to G8, one row per cell."""
    columns = (
        "guarantee",
        "situation",
        "n",
        "slices",
        "counted",
        "joint test, %",
        "familiar rule, %",
        "limit, %",
        "held?",
    )
    rows = []
    for result in results:
        cell = result.cell
        situation = cell.regime
        situation += f", falls by {cell.fall:.2f}" if cell.fall else ""
        situation += "" if cell.declared else ", clusters not declared"
        held = "no guarantee" if cell.limit is None else _held(result.held)
        limit = "" if cell.limit is None else f"{'≤' if cell.at_most else '≥'} {100 * cell.limit:g}"
        rates = (_rate(result.ours), _rate(result.familiar))
        rows.append((cell.promise, situation, str(cell.n), cell.layout.words, str(cell.question), *rates, limit, held))
    return Sheet("Guarantees: rate ± Monte Carlo standard error", columns, rows)


def plans(outcomes: Sequence[Outcome]) -> Sheet:
    """Predicted against simulated power."""
    columns = ("regime", "n", "slices", "change", "fall", "band, %", "its own h, %", "simulated, %", "off by", "held?")
    rows = []
    for found in outcomes:
        plan, change = found.plan, "whole cases" if found.plan.spread == WHOLE else "diffuse"
        band = f"{100 * found.low:.0f} to {100 * found.high:.0f}"
        where = (plan.regime, str(plan.n), plan.layout.words, change, f"{found.fall:.3f}")
        own = (f"{100 * found.point:.0f}", _rate(found.found), f"{100 * found.off_by:+.0f}".replace("-", "−"))
        rows.append((*where, band, *own, _held(found.held)))
    return Sheet("Planning: predicted against simulated power", columns, rows)


def _rate(rate: Rate) -> str:
    return f"{100 * rate.value:.1f} ± {100 * rate.error:.1f}"


def _held(held: bool) -> str:
    return "yes" if held else "BROKEN"
