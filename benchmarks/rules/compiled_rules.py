"""Counts how many wordings of rules compile to the right scorers: `python -m benchmarks.rules.compiled_rules`.

Plain sentences are read without a model, and checks are proposed as a model may propose them. With `--model M` a model
proposes them, for `--each N` wordings. `--recorded` compares compiled rules with the recorded verdicts of a judge on
real outputs; `--wrong` names wrong scorers. With `--write` benchmarks/results/promptpex.md gets all tables.
"""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.rules import proposed_checks
from benchmarks.rules.proposed_checks import rate_words
from benchmarks.rules.rule_wordings import NONE, TITLES, Outcome, outcomes
from gate.config.models import parse_model
from gate.stats.intervals import wilson

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


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/promptpex.md")
    parser.add_argument("--recorded", action="store_true", help="compare with recorded verdicts of a judge")
    parser.add_argument("--wrong", action="store_true", help="name wrong scorers")
    parser.add_argument("--model", type=parse_model, help="a model that proposes checks, as provider:name")
    parser.add_argument("--each", type=int, default=325, help="wordings that it reads, drawn with a fixed seed")
    parser.add_argument("--max-usd", type=float, default=1.0, help="limit in dollars")
    wanted = parser.parse_args(arguments)
    console = Console(width=150 if not sys.stdout.isatty() else None)
    if wanted.write:
        from benchmarks.rules.results_page import write

        write()
    elif wanted.recorded:
        from benchmarks.rules.judge_agreement import show

        show(console)
    elif wanted.model:
        proposed = proposed_checks.model_outcomes(wanted.model, wanted.each, wanted.max_usd)
        console.print(by_kind(f"Checks proposed by {wanted.model}", proposed))
        _print_wrong(console, proposed, wanted.wrong)
    else:
        for name, title in TITLES.items():
            console.print(by_kind(title, outcomes(name)))
            _print_wrong(console, outcomes(name), wanted.wrong)
        console.print(proposed_checks.proposals_table(proposed_checks.proposed()))
        for line in NOTES:
            console.print(line, highlight=False)


def _print_wrong(console: Console, outcomes: Sequence[Outcome], wanted: bool) -> None:
    for one in outcomes if wanted else ():
        if one.fault:
            console.print(f"{one.fault}: {one.wording['text']}", markup=False, highlight=False)


if __name__ == "__main__":
    main(sys.argv[1:])
