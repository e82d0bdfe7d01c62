"""Counts how many wordings of rules compile to the right scorers: `python -m benchmarks.rules.compiled_rules`.

Plain sentences are read without a model, and checks are proposed as a model may propose them. `--recorded` compares
compiled rules with the recorded verdicts of a judge on real outputs; `--wrong` names wrong scorers. With `--write`
benchmarks/results/promptpex.md gets all tables.
"""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.promptpex.published_tables import RESULTS_PAGE
from benchmarks.rules import judge_agreement
from benchmarks.rules.proposed_checks import proposals_table, proposed, rate_words
from benchmarks.rules.rule_wordings import NONE, TITLES, Outcome, outcomes
from gate.stats.intervals import wilson

OPENS, CLOSES = "<!-- python -m benchmarks.rules.compiled_rules --write -->\n", "<!-- as far as here -->\n"
NOTES = (
    "right: compiled to the scorers that the wording needs, which score outputs that keep or break it correctly.",
    "precision: right of compiled; recall: right of all that code can check. 95 % Wilson intervals.",
    "No wording was used to make the plain sentences that are read without a model, but for excluding wrong results.",
    "Proposed checks: with the first output that keeps and the first that breaks the wording as their examples.",
)


def by_kind(title: str, outcomes: Sequence[Outcome]) -> Table:
    """Precision and recall by kind. Wordings that must not compile count against the precision in the row for all."""
    out = Table(title=title, title_justify="left")
    out.add_column("kind of rule")
    for name in ("wordings", "compiled", "right", "wrong", "precision", "recall"):
        out.add_column(name, justify="right")
    for kind in dict.fromkeys(one.wording["kind"] for one in outcomes):
        _add(
            out, "must not compile" if kind == NONE else kind, [one for one in outcomes if one.wording["kind"] == kind]
        )
    out.add_section()
    _add(out, "all", outcomes)
    return out


def _add(table: Table, name: str, outcomes: Sequence[Outcome]) -> None:
    compiled = sum(one.compiled is not None for one in outcomes)
    right = sum(one.right for one in outcomes)
    positives = sum(one.wording["expect"] is not None for one in outcomes)
    counts = (str(number) for number in (len(outcomes), compiled, right, compiled - right))
    table.add_row(name, *counts, rate_words(wilson(right, compiled)), rate_words(wilson(right, positives)))


def tables() -> list[Table]:
    """The tables of wordings, of proposed checks, and of recorded answers (by rule and by prompt)."""
    rows = judge_agreement.recorded()
    by_source = [by_kind(title, outcomes(name)) for name, title in TITLES.items()]
    return [*by_source, proposals_table(proposed()), judge_agreement.by_rule(rows), judge_agreement.by_prompt(rows)]


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


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/promptpex.md")
    parser.add_argument("--recorded", action="store_true", help="compare with recorded verdicts of a judge")
    parser.add_argument("--wrong", action="store_true", help="name wrong scorers")
    wanted = parser.parse_args(arguments)
    console = Console(width=150 if not sys.stdout.isatty() else None)
    if wanted.write:
        page = RESULTS_PAGE.read_text(encoding="utf-8")
        RESULTS_PAGE.write_text(written(page, tables()), encoding="utf-8")
    elif wanted.recorded:
        judge_agreement.show(console)
    else:
        for name, title in TITLES.items():
            console.print(by_kind(title, outcomes(name)))
            _print_wrong(console, outcomes(name), wanted.wrong)
        console.print(proposals_table(proposed()))
        for line in NOTES:
            console.print(line, highlight=False)


def _print_wrong(console: Console, outcomes: Sequence[Outcome], wanted: bool) -> None:
    for one in outcomes if wanted else ():
        if one.fault:
            console.print(f"{one.fault}: {one.wording['text']}", markup=False, highlight=False)


if __name__ == "__main__":
    main(sys.argv[1:])
