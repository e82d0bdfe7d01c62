"""Wordings by a second author who had not seen how rules are compiled."""

from functools import cache

from benchmarks.rule_wordings import NONE, Outcome, Wording, outcome
from benchmarks.strangers_rules import RULES
from benchmarks.strangers_unfit import UNFIT

TITLE = "Wordings by a second author"


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
