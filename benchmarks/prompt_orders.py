"""Orders as prompts word them, such as `Answer the customer's question in at most two sentences`.

They follow the patterns of public prompts, reworded for this project before the compiler had patterns for them. Every
third of a kind was held out. More than a third must not compile: they are about the input, about a part, under a
condition, or about something that only a judge can see.
"""

import json
from functools import cache
from pathlib import Path

from benchmarks.rule_wordings import Outcome, Wording, outcome

TITLE = "Orders of prompts"
HELD_OUT_TITLE = "Orders of prompts, held out"
DATA = Path(__file__).parent / "data" / "prompt_orders.jsonl"


def orders() -> tuple[Wording, ...]:
    """All orders, in file order."""
    with DATA.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def outcomes(*, held_out: bool = False) -> list[Outcome]:
    """Compile each order. The outputs decide whether its scorers are right.

    Args:
        held_out: return only the held-out orders, else only the others.
    """
    return [outcome(one) for one in orders() if (one["set"] == "held-out") is held_out]
