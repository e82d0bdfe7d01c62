"""The tables of compiled rules in benchmarks/results/promptpex.md, written by `compiled_rules --write`."""

from collections.abc import Sequence

from rich.table import Table

from benchmarks.promptpex.published_tables import RESULTS_PAGE
from benchmarks.rules.compiled_rules import by_kind
from benchmarks.rules.judge_agreement import by_prompt, by_rule, recorded
from benchmarks.rules.proposed_checks import proposals_table, proposed
from benchmarks.rules.rule_wordings import TITLES, outcomes

OPENS, CLOSES = "<!-- python -m benchmarks.rules.compiled_rules --write -->\n", "<!-- as far as here -->\n"


def tables() -> list[Table]:
    """The tables of wordings, of proposed checks, and of recorded answers (by rule and by prompt)."""
    rows = recorded()
    by_source = [by_kind(title, outcomes(name)) for name, title in TITLES.items()]
    return [*by_source, proposals_table(proposed()), by_rule(rows), by_prompt(rows)]


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
    RESULTS_PAGE.write_text(written(RESULTS_PAGE.read_text(encoding="utf-8"), tables()), encoding="utf-8")
