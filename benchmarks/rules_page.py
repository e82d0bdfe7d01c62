"""The tables of compiled rules in benchmarks/results/promptpex.md: `python -m benchmarks.compiled_rules --write`."""

from collections.abc import Sequence

from rich.table import Table

from benchmarks import attackers, prompt_orders, second_author
from benchmarks.compiled_rules import by_kind
from benchmarks.promptpex_tables import RESULTS
from benchmarks.recorded_rules import by_prompt, by_rule, recorded
from benchmarks.rule_wordings import outcomes

OPENS, CLOSES = "<!-- python -m benchmarks.compiled_rules --write -->\n", "<!-- as far as here -->\n"


def tables() -> list[Table]:
    """The tables of wordings (one per source) and of recorded answers (by rule and by prompt)."""
    tuned = [one for one in outcomes() if one.wording["set"] == "tuned"]
    held_out = [one for one in outcomes() if one.wording["set"] != "tuned"]
    rows = recorded()
    of_another = by_kind(second_author.TITLE, second_author.outcomes())
    same = [by_kind("Tuned wordings", tuned), by_kind("Held-out wordings", held_out)]
    attacked = by_kind(attackers.TITLE, attackers.outcomes())
    orders = [
        by_kind(prompt_orders.TITLE, prompt_orders.outcomes()),
        by_kind(prompt_orders.HELD_OUT_TITLE, prompt_orders.outcomes(held_out=True)),
    ]
    return [*same, of_another, attacked, *orders, by_rule(rows), by_prompt(rows)]


def written(page: str, found: Sequence[Table]) -> str:
    """The page with updated tables."""
    before, _, rest = page.partition(OPENS)
    told = "\n".join(map(markdown, found))
    return f"{before}{OPENS}\n{told}\n{CLOSES}{rest.partition(CLOSES)[2]}"


def markdown(table: Table) -> str:
    """A terminal table as Markdown."""
    heads = [str(column.header) for column in table.columns]
    rows = zip(*(map(str, column.cells) for column in table.columns), strict=True)
    marks = ["--:" if column.justify == "right" else "---" for column in table.columns]
    lines = [f"| {' | '.join(_plain(cell) for cell in row)} |" for row in (heads, marks, *rows)]
    return "\n".join([f"### {table.title}", "", *lines, ""])


def _plain(cell: str) -> str:
    return cell.replace("<", "\\<").replace("|", "\\|").replace("[", "\\[")


def write() -> None:
    """Write them."""
    RESULTS.write_text(written(RESULTS.read_text(encoding="utf-8"), tables()), encoding="utf-8")
