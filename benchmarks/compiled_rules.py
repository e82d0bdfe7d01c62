"""Counts how many wordings of rules compile to the right scorers: `python -m benchmarks.compiled_rules`.

`--recorded` compares compiled rules with the recorded verdicts of a judge on real outputs; `--wrong` names what went
wrong among the tuned wordings. With `--write` benchmarks/results/promptpex.md gets all tables.
"""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks import attackers, prompt_orders, second_author
from benchmarks.rule_wordings import NONE, Outcome, outcome, read
from gate.stats.intervals import Rate, wilson

NOTES = (
    "right: compiled to the scorers that the wording needs, which score outputs that keep or break it correctly.",
    "precision: right of compiled; recall: right of all that code can check. 95 % Wilson intervals.",
    "Held out: written before the patterns and not used for them, but by the same author.",
    "By a second author: run once; no pattern was added for missed wordings. Expect similar figures for your rules.",
    "By reviewers who looked for faults: the patterns were tuned since, so the figures only show that these are fixed.",
    "Orders of prompts: worded as in public prompts. A third was held out, as above.",
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
    table.add_row(name, *counts, _rate(wilson(right, compiled)), _rate(wilson(right, positives)))


def _rate(found: Rate) -> str:
    return "-" if found.rate is None else f"{found.rate:.3f} [{found.lower:.3f}, {found.upper:.3f}]"


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    console = Console(width=150 if not sys.stdout.isatty() else None)
    if "--write" in arguments:
        from benchmarks.rules_page import write

        write()
        return
    if "--recorded" in arguments:
        from benchmarks.recorded_rules import show

        show(console)
        return
    outcomes = [outcome(wording) for wording in read()]
    tuned = [one for one in outcomes if one.wording["set"] == "tuned"]
    console.print(by_kind("Tuned wordings", tuned))
    if "--wrong" in arguments:
        for one in tuned:
            if one.fault or (one.compiled is None and one.wording["expect"] is not None):
                console.print(f"{one.fault or 'not compiled'}: {one.wording['text']}", markup=False, highlight=False)
        return
    console.print(by_kind("Held-out wordings", [one for one in outcomes if one.wording["set"] == "held-out"]))
    console.print(by_kind(second_author.TITLE, second_author.outcomes()))
    console.print(by_kind(attackers.TITLE, attackers.outcomes()))
    console.print(by_kind(prompt_orders.TITLE, prompt_orders.outcomes()))
    console.print(by_kind(prompt_orders.HELD_OUT_TITLE, prompt_orders.outcomes(held_out=True)))
    for line in NOTES:
        console.print(line, highlight=False)


if __name__ == "__main__":
    main(sys.argv[1:])
