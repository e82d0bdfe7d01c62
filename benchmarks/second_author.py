"""Wordings by a second author, who had not seen the compiler: how many become scorers, and the right ones.

They were run once, and no pattern was made or changed for one that was not understood. What was understood wrongly in
that run was mended; `FIRST` is what was counted before.
"""

from dataclasses import dataclass
from functools import cache

from benchmarks.rule_wordings import NONE, Outcome, Wording, outcome
from benchmarks.strangers_rules import RULES
from benchmarks.strangers_unfit import UNFIT

TITLE = "Wordings by a second author"


@dataclass(frozen=True, slots=True)
class Count:
    """What a run counted.

    Args:
        wordings: that code can check.
        compiled: of these.
        right: of the compiled.
        unfit: compiled though no code can check them.
    """

    wordings: int
    compiled: int
    right: int
    unfit: int


FIRST = Count(245, 137, 136, 0)
"""Of the only run before anything was mended. The wrong one forbade “It” where the rule forbids the word “I”."""


@cache
def outcomes() -> list[Outcome]:
    """What becomes of each; of those that code can check, the outputs decide whether the scorers are right."""
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
