"""Orders as prompts word them, such as `Answer the customer's question in at most two sentences`.

Their patterns were read off public prompts and put into words of this project's own, before any pattern was made for
them; every third of a kind was held out. More than a third must not compile: they speak of the input, of
a part, under a condition, or of what only a judge can read.
"""

import json
from functools import cache
from pathlib import Path

from benchmarks.rule_wordings import Outcome, Wording, outcome

TITLE = "Orders of prompts"
HELD_OUT_TITLE = "Orders of prompts, held out"
DATA = Path(__file__).parent / "data" / "prompt_orders.jsonl"


def orders() -> tuple[Wording, ...]:
    """All of them, in file order."""
    with DATA.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def outcomes(*, held_out: bool = False) -> list[Outcome]:
    """What becomes of each: the outputs decide whether its scorers are right.

    Args:
        held_out: those alone that no pattern was made with a look at, else the others.
    """
    return [outcome(one) for one in orders() if (one["set"] == "held-out") is held_out]
