"""Wordings by a second author who had not seen the compiler, and how many compile to the right scorers.

They were run once. No pattern was made or changed for a wording that did not compile. Wrong results of that run were
fixed; `FIRST` has the counts before.
"""

from dataclasses import dataclass
from functools import cache

from benchmarks.rule_wordings import NONE, Outcome, Wording, outcome
from benchmarks.strangers_rules import RULES
from benchmarks.strangers_unfit import UNFIT

TITLE = "Wordings by a second author"


@dataclass(frozen=True, slots=True)
class Count:
    """The counts of a run.

    Args:
        wordings: wordings that code can check.
        compiled: how many of these compiled.
        right: how many of these are right.
        unfit: wordings that compiled although no code can check them.
    """

    wordings: int
    compiled: int
    right: int
    unfit: int


FIRST = Count(245, 137, 136, 0)
"""The only run before any fix. The wrong scorer forbade “It” where the rule forbids the word “I”."""


@cache
def outcomes() -> list[Outcome]:
    """Compile each wording. The outputs decide whether the scorers are right."""
    fit: list[Wording] = [
        {
            "kind": one.kind,
            "set": "second author",
            "text": one.text,
            "expect": [],
            "keeps": [*one.keeps],
            "breaks": [*one.breaks],
        }
        for one in RULES
    ]
    unfit: list[Wording] = [
        {"kind": NONE, "set": "second author", "text": one.text, "expect": None, "keeps": [one.output], "breaks": []}
        for one in UNFIT
    ]
    return [outcome(wording) for wording in fit + unfit]
